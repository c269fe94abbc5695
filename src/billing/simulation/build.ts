import { type Entity, type EventType, eventTable } from '../events/table.ts'
import * as catalogue from './catalogue.ts'
import { buildCheckout } from './checkout.ts'
import { buildCustomerState, buildGrant } from './holdings.ts'
import { buildOrder, buildRefund } from './purchases.ts'
import * as seller from './seller.ts'
import { buildSubscription } from './subscription.ts'
import { createWorld, idOf, later, ownStamps, type SimulationOptions, type World } from './world.ts'

export type { SimulationOptions } from './world.ts'

/** An event as the platform would send it. */
export interface SimulatedEvent {
  readonly type: EventType
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp?: string
  readonly api_version?: string
}

/** Seats and members: of no entity that we know more of. */
const buildOther = (world: World) => ({
  ...ownStamps(world),
  id: idOf(world.type.split('.', 1)[0] ?? '', world.customerId, world.email),
  customer_id: world.customerId,
  email: world.email,
})

const builders: Readonly<Record<Entity, (world: World) => object>> = {
  customer: catalogue.buildCustomer,
  customer_state: buildCustomerState,
  benefit: catalogue.buildBenefit,
  benefit_grant: buildGrant,
  checkout: buildCheckout,
  order: buildOrder,
  organization: seller.buildOrganization,
  product: catalogue.buildProduct,
  refund: buildRefund,
  subscription: buildSubscription,
  discount: seller.buildDiscount,
  other: buildOther,
}

/** A whole event of this type; the same options give the same event. */
export const buildEvent = (type: EventType, options: SimulationOptions): SimulatedEvent => {
  const world = createWorld(type, options)
  return {
    type,
    ...later(world, { timestamp: world.now, api_version: '2026-10' }),
    data: builders[eventTable[type]](world) as SimulatedEvent['data'],
  }
}
