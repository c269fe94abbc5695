import type { CustomerState, Grant } from '../events/customer.ts'
import * as catalogue from './catalogue.ts'
import { carriedTimestamps, idOf, later, ownTimestamps, type Scenario } from './scenario.ts'
import { isMetered, subscriptionHead, subscriptionMeter, usageOf } from './subscription.ts'

/** Builds the entities of a customer with one benefit. All of them have the state of the same moment. */

const grantProperties = (scenario: Scenario): Readonly<Record<string, unknown>> => {
  switch (scenario.benefitType) {
    case 'discord':
      return { account_id: '3', guild_id: '1', role_id: '2' }
    case 'github_repository':
      return { account_id: '4', repository_owner: 'example', repository_name: 'private', permission: 'pull' }
    case 'downloadables':
      return { files: [idOf('file', scenario.benefitId)] }
    case 'license_keys':
      return { license_key_id: idOf('license key', scenario.grantId), display_key: '****-ABCDEF' }
    case 'meter_credit':
      return { last_credited_meter_id: scenario.meterId, last_credited_units: 1000, last_credited_at: scenario.now }
    default:
      return {}
  }
}

export const buildGrant = (scenario: Scenario): Grant => {
  const isRevoked = scenario.type === 'benefit_grant.revoked'
  return {
    ...ownTimestamps(scenario),
    id: scenario.grantId,
    granted_at: scenario.now,
    is_granted: !isRevoked,
    revoked_at: isRevoked ? scenario.now : null,
    is_revoked: isRevoked,
    subscription_id: scenario.recurring ? scenario.subscriptionId : null,
    order_id: scenario.recurring ? null : scenario.orderId,
    customer_id: scenario.customerId,
    benefit_id: scenario.benefitId,
    error: null,
    customer: catalogue.buildCustomer(scenario),
    benefit: catalogue.buildBenefit(scenario),
    properties: grantProperties(scenario),
    previous_properties: null,
    ...later(scenario, { member: null, member_id: null }),
  }
}

export const buildCustomerState = (scenario: Scenario): CustomerState => {
  const status = scenario.status ?? 'active'
  const isActive = status === 'active' || status === 'trialing'
  const {
    status: _,
    customer_id,
    checkout_id,
    ended_at,
    customer_cancellation_reason,
    customer_cancellation_comment,
    ...head
  } = subscriptionHead(scenario)
  const subscription: CustomerState['active_subscriptions'][number] = {
    ...head,
    status: status as 'active',
    meters: isMetered(scenario) ? [subscriptionMeter(scenario)] : [],
  }
  const grant: CustomerState['granted_benefits'][number] = {
    ...carriedTimestamps(scenario),
    id: scenario.grantId,
    granted_at: scenario.now,
    benefit_id: scenario.benefitId,
    benefit_type: scenario.benefitType ?? 'custom',
    benefit_metadata: {},
    properties: grantProperties(scenario),
  }
  const usage = usageOf(scenario)
  const meter: CustomerState['active_meters'][number] = {
    ...carriedTimestamps(scenario),
    id: idOf('customer meter', scenario.customerId, scenario.meterId),
    meter_id: scenario.meterId,
    ...usage,
    balance: usage.credited_units - usage.consumed_units,
  }
  return {
    ...catalogue.buildCustomer(scenario),
    active_subscriptions: isActive && scenario.recurring ? [subscription] : [],
    granted_benefits: isActive ? [grant] : [],
    active_meters: isMetered(scenario) ? [meter] : [],
  }
}
