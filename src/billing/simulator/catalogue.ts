import type { Benefit, PublicBenefit } from '../events/benefit.ts'
import type { Customer } from '../events/customer.ts'
import type { AttachedCustomField, Media, Meter, Price, Product } from '../events/product.ts'
import { carriedTimestamps, catalogueTimestamps, idOf, later, type PriceKind, type Scenario } from './scenario.ts'

/** Builds the customers and products of simulated events. */

export const buildCustomer = (scenario: Scenario): Customer => ({
  ...catalogueTimestamps(scenario, 'customer'),
  id: scenario.customerId,
  metadata: {},
  external_id: scenario.externalId ?? null,
  email: scenario.email,
  email_verified: true,
  name: scenario.customerName ?? 'Ann Example',
  billing_address: { country: 'FR', line1: '1 rue Exemple', line2: null, postal_code: '75001', city: 'Paris', state: null },
  tax_id: ['FR61954506077', 'eu_vat'],
  organization_id: scenario.organizationId,
  deleted_at: scenario.type === 'customer.deleted' ? scenario.now : null,
  avatar_url: 'https://avatars.example.com/ann.png',
  ...later(scenario, { type: 'individual', billing_name: null, locale: null, first_user_event_at: null }),
})

const kindFields = (scenario: Scenario, kind: PriceKind) => {
  const { amount, currency: price_currency } = scenario
  switch (kind) {
    case 'fixed':
    case 'legacy_fixed':
      return { amount_type: 'fixed', price_amount: amount, price_currency } as const
    case 'custom':
    case 'legacy_custom':
      return { amount_type: 'custom', price_currency, minimum_amount: 500, maximum_amount: null, preset_amount: amount } as const
    case 'free':
    case 'legacy_free':
      return { amount_type: 'free' } as const
    case 'metered_unit': {
      const meter = { id: scenario.meterId, name: meterName }
      return { amount_type: kind, price_currency, unit_amount: '0.05', cap_amount: null, meter_id: meter.id, meter } as const
    }
    default:
      return { amount_type: kind, price_currency } as const
  }
}

export const buildPrice = (scenario: Scenario): Price => {
  const kind = scenario.priceKind ?? (scenario.seats === undefined ? 'fixed' : 'seat_based')
  const isLegacy = kind.startsWith('legacy_')
  const recurs = isLegacy || scenario.recurring
  return {
    ...carriedTimestamps(scenario),
    id: scenario.priceId,
    is_archived: false,
    product_id: scenario.productId,
    type: recurs ? 'recurring' : 'one_time',
    recurring_interval: recurs ? scenario.interval : null,
    ...(isLegacy ? { legacy: true } : {}),
    ...kindFields(scenario, kind),
    ...later(scenario, { source: 'catalog', tax_behavior: null }),
  }
}

const publicBenefit = (scenario: Scenario) => ({
  ...catalogueTimestamps(scenario, 'benefit'),
  id: scenario.benefitId,
  description: 'What the plan gives',
  selectable: true,
  deletable: true,
  organization_id: scenario.organizationId,
  ...later(scenario, { is_deleted: false, visibility: 'public', visibility_configurable: true }),
})

export const buildPublicBenefit = (scenario: Scenario): PublicBenefit => ({
  ...publicBenefit(scenario),
  type: scenario.benefitType ?? 'custom',
})

const benefitProperties = (scenario: Scenario, type: Benefit['type']) => {
  switch (type) {
    case 'custom':
      return { type, properties: { note: null } } as const
    case 'discord': {
      const properties = { guild_id: '1', role_id: '2', guild_token: 'simulated', ...later(scenario, { kick_member: false }) }
      return { type, properties } as const
    }
    case 'github_repository':
      return { type, properties: { repository_owner: 'example', repository_name: 'private', permission: 'pull' } } as const
    case 'downloadables': {
      const file = idOf('file', scenario.benefitId)
      return { type, properties: { archived: { [file]: false }, files: [file] } }
    }
    case 'license_keys': {
      const activations = { limit: 3, enable_customer_admin: true }
      const expires = { ttl: 1, timeframe: 'year' } as const
      return { type, properties: { prefix: 'GATE', expires, activations, limit_usage: null } } as const
    }
    case 'meter_credit':
      return { type, properties: { units: 1000, rollover: false, meter_id: scenario.meterId } } as const
    default:
      return { type, properties: {} } as const
  }
}

export const buildBenefit = (scenario: Scenario): Benefit => ({
  ...publicBenefit(scenario),
  metadata: {},
  ...benefitProperties(scenario, scenario.benefitType ?? 'custom'),
})

const meterName = 'API calls'

export const buildMeter = (scenario: Scenario): Meter => ({
  ...carriedTimestamps(scenario),
  id: scenario.meterId,
  name: meterName,
  metadata: {},
  filter: {
    conjunction: 'and',
    clauses: [
      { property: 'name', operator: 'eq', value: 'call' },
      { conjunction: 'or', clauses: [{ property: 'size', operator: 'gte', value: 1 }] },
    ],
  },
  aggregation: { func: 'count' },
  organization_id: scenario.organizationId,
  ...later(scenario, { unit: 'scalar', custom_label: null, custom_multiplier: null, archived_at: null }),
})

export const buildMedia = (scenario: Scenario): Media => ({
  id: idOf('media', scenario.productId),
  organization_id: scenario.organizationId,
  name: 'cover.png',
  path: 'product_media/cover.png',
  mime_type: 'image/png',
  size: 4096,
  storage_version: null,
  checksum_etag: null,
  checksum_sha256_base64: null,
  checksum_sha256_hex: null,
  last_modified_at: null,
  version: null,
  service: 'product_media',
  is_uploaded: true,
  created_at: carriedTimestamps(scenario).created_at,
  size_readable: '4.0 KB',
  public_url: 'https://files.example.com/product_media/cover.png',
})

export const buildCustomField = (scenario: Scenario): AttachedCustomField => ({
  custom_field_id: idOf('custom field', scenario.productId),
  custom_field: {
    ...carriedTimestamps(scenario),
    id: idOf('custom field', scenario.productId),
    metadata: {},
    type: 'text',
    slug: 'company',
    name: 'Company',
    organization_id: scenario.organizationId,
    properties: { form_label: 'Company', max_length: 100 },
  },
  order: 0,
  required: false,
})

/** The fields that a product has in every event. */
export const productHead = (scenario: Scenario) => ({
  ...catalogueTimestamps(scenario, 'product'),
  id: scenario.productId,
  name: 'Pro',
  description: null,
  recurring_interval: scenario.recurring ? scenario.interval : null,
  is_recurring: scenario.recurring,
  is_archived: false,
  organization_id: scenario.organizationId,
  ...later(scenario, {
    visibility: 'public',
    recurring_interval_count: scenario.recurring ? 1 : null,
    meter_interval: null,
    meter_interval_count: null,
    trial_interval: null,
    trial_interval_count: null,
  }),
})

export const buildProduct = (scenario: Scenario): Product => ({
  ...productHead(scenario),
  metadata: {},
  prices: [buildPrice(scenario)],
  benefits: [buildBenefit(scenario)],
  medias: [buildMedia(scenario)],
  attached_custom_fields: [buildCustomField(scenario)],
  ...later(scenario, { is_deletable: true }),
})
