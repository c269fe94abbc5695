import type { Discount, DiscountShort, Organization } from '../events/seller.ts'
import { catalogueTimestamps, later, type Scenario } from './scenario.ts'

/** Builds the seller and the discounts of simulated events. */

export const buildOrganization = (scenario: Scenario): Organization => ({
  ...catalogueTimestamps(scenario, 'organization'),
  id: scenario.organizationId,
  name: 'Example Shop',
  slug: 'example-shop',
  avatar_url: null,
  email: 'shop@example.com',
  website: 'https://shop.example.com',
  socials: [{ platform: 'github', url: 'https://github.com/example' }],
  details_submitted_at: null,
  feature_settings: { issue_funding_enabled: false },
  subscription_settings: {
    allow_multiple_subscriptions: true,
    allow_customer_updates: true,
    proration_behavior: 'prorate',
    ...later(scenario, { benefit_revocation_grace_period: 0, prevent_trial_abuse: false }),
  },
  ...later(scenario, {
    proration_behavior: 'prorate',
    allow_customer_updates: true,
    status: 'active',
    onboarding_resubmission_requested_at: null,
    sso_enforced: false,
    default_presentment_currency: scenario.currency,
    default_tax_behavior: 'exclusive',
    customer_email_settings: {},
    customer_portal_settings: {},
    dispute_settings: {},
    embed_hosts: [],
    account_id: null,
    payout_account_id: null,
    capabilities: {},
  }),
})

const discountTerms = (scenario: Scenario) => {
  const { type, duration } = scenario.discount ?? { type: 'percentage', duration: 'once' }
  const value =
    type === 'fixed'
      ? { type, amount: 500, currency: scenario.currency, ...later(scenario, { amounts: { [scenario.currency]: 500 } }) }
      : { type, basis_points: 2500 }
  const length = duration === 'repeating' ? { duration, duration_in_months: 3 } : { duration }
  return { ...value, ...length, id: scenario.discountId, name: 'Launch', code: 'LAUNCH' }
}

export const buildDiscountShort = (scenario: Scenario): DiscountShort => discountTerms(scenario)

export const buildDiscount = (scenario: Scenario): Discount => ({
  ...discountTerms(scenario),
  ...catalogueTimestamps(scenario, 'discount'),
  metadata: {},
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  redemptions_count: 1,
  organization_id: scenario.organizationId,
  ...later(scenario, { max_redemptions_per_customer: null, products: [] }),
})
