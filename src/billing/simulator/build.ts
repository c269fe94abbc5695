import { type Entity, type EventType, eventTable } from '../events/table.ts'
import * as catalogue from './catalogue.ts'
import { buildCheckout } from './checkout.ts'
import { buildCustomerState, buildGrant } from './customer.ts'
import { buildOrder, buildRefund } from './order.ts'
import { createScenario, idOf, later, ownTimestamps, type Scenario, type SimulationOptions } from './scenario.ts'
import * as seller from './seller.ts'
import { buildSubscription } from './subscription.ts'

export type { SimulationOptions } from './scenario.ts'

/** A simulated event. Its body has the form that the billing platform sends. */
export interface SimulatedEvent {
  readonly type: EventType
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp?: string
  readonly api_version?: string
}

/** Builds events about seats and members. This version has no schema for these entities. */
const buildOther = (scenario: Scenario) => ({
  ...ownTimestamps(scenario),
  id: idOf(scenario.type.split('.', 1)[0] ?? '', scenario.customerId, scenario.email),
  customer_id: scenario.customerId,
  email: scenario.email,
})

const builders: Readonly<Record<Entity, (scenario: Scenario) => object>> = {
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

/** Builds a complete event of a type. The same options always give the same event. */
export const buildEvent = (type: EventType, options: SimulationOptions): SimulatedEvent => {
  const scenario = createScenario(type, options)
  return {
    type,
    ...later(scenario, { timestamp: scenario.now, api_version: '2026-10' }),
    data: builders[eventTable[type]](scenario) as SimulatedEvent['data'],
  }
}
