import type { Discount, DiscountShort } from '../events/discount.ts'
import type { Organization } from '../events/organization.ts'
import { catalogueStamps, later, type World } from './world.ts'

/** Who sells, and at which discount. */

export const buildOrganization = (world: World): Organization => ({
  ...catalogueStamps(world, 'organization'),
  id: world.organizationId,
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
    ...later(world, { benefit_revocation_grace_period: 0, prevent_trial_abuse: false }),
  },
  ...later(world, {
    proration_behavior: 'prorate',
    allow_customer_updates: true,
    status: 'active',
    onboarding_resubmission_requested_at: null,
    sso_enforced: false,
    default_presentment_currency: world.currency,
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

const discountTerms = (world: World) => {
  const { type, duration } = world.discount ?? { type: 'percentage', duration: 'once' }
  const value =
    type === 'fixed'
      ? { type, amount: 500, currency: world.currency, ...later(world, { amounts: { [world.currency]: 500 } }) }
      : { type, basis_points: 2500 }
  const length = duration === 'repeating' ? { duration, duration_in_months: 3 } : { duration }
  return { ...value, ...length, id: world.discountId, name: 'Launch', code: 'LAUNCH' }
}

export const buildDiscountShort = (world: World): DiscountShort => discountTerms(world)

export const buildDiscount = (world: World): Discount => ({
  ...discountTerms(world),
  ...catalogueStamps(world, 'discount'),
  metadata: {},
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  redemptions_count: 1,
  organization_id: world.organizationId,
  ...later(world, { max_redemptions_per_customer: null, products: [] }),
})
