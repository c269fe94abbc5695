import type { CustomerState } from '../events/customer-state.ts'
import type { Grant } from '../events/grant.ts'
import * as catalogue from './catalogue.ts'
import { isMetered, subscriptionHead, subscriptionMeter, usageOf } from './subscription.ts'
import { carriedStamps, idOf, later, ownStamps, type World } from './world.ts'

/** What a customer has: one benefit, and all at one moment. */

const grantProperties = (world: World): Readonly<Record<string, unknown>> => {
  switch (world.benefitType) {
    case 'discord':
      return { account_id: '3', guild_id: '1', role_id: '2' }
    case 'github_repository':
      return { account_id: '4', repository_owner: 'example', repository_name: 'private', permission: 'pull' }
    case 'downloadables':
      return { files: [idOf('file', world.benefitId)] }
    case 'license_keys':
      return { license_key_id: idOf('license key', world.grantId), display_key: '****-ABCDEF' }
    case 'meter_credit':
      return { last_credited_meter_id: world.meterId, last_credited_units: 1000, last_credited_at: world.now }
    default:
      return {}
  }
}

export const buildGrant = (world: World): Grant => {
  const isRevoked = world.type === 'benefit_grant.revoked'
  return {
    ...ownStamps(world),
    id: world.grantId,
    granted_at: world.now,
    is_granted: !isRevoked,
    revoked_at: isRevoked ? world.now : null,
    is_revoked: isRevoked,
    subscription_id: world.recurring ? world.subscriptionId : null,
    order_id: world.recurring ? null : world.orderId,
    customer_id: world.customerId,
    benefit_id: world.benefitId,
    error: null,
    customer: catalogue.buildCustomer(world),
    benefit: catalogue.buildBenefit(world),
    properties: grantProperties(world),
    previous_properties: null,
    ...later(world, { member: null, member_id: null }),
  }
}

export const buildCustomerState = (world: World): CustomerState => {
  const status = world.status ?? 'active'
  const holds = status === 'active' || status === 'trialing'
  const {
    status: _,
    customer_id,
    checkout_id,
    ended_at,
    customer_cancellation_reason,
    customer_cancellation_comment,
    ...head
  } = subscriptionHead(world)
  const subscription: CustomerState['active_subscriptions'][number] = {
    ...head,
    status: status as 'active',
    meters: isMetered(world) ? [subscriptionMeter(world)] : [],
  }
  const grant: CustomerState['granted_benefits'][number] = {
    ...carriedStamps(world),
    id: world.grantId,
    granted_at: world.now,
    benefit_id: world.benefitId,
    benefit_type: world.benefitType ?? 'custom',
    benefit_metadata: {},
    properties: grantProperties(world),
  }
  const usage = usageOf(world)
  const meter: CustomerState['active_meters'][number] = {
    ...carriedStamps(world),
    id: idOf('customer meter', world.customerId, world.meterId),
    meter_id: world.meterId,
    ...usage,
    balance: usage.credited_units - usage.consumed_units,
  }
  return {
    ...catalogue.buildCustomer(world),
    active_subscriptions: holds && world.recurring ? [subscription] : [],
    granted_benefits: holds ? [grant] : [],
    active_meters: isMetered(world) ? [meter] : [],
  }
}
