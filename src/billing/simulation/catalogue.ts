import type { Benefit, PublicBenefit } from '../events/benefit.ts'
import type { AttachedCustomField } from '../events/custom-field.ts'
import type { Customer } from '../events/customer.ts'
import type { Media } from '../events/media.ts'
import type { Meter } from '../events/meter.ts'
import type { Price } from '../events/price.ts'
import type { Product } from '../events/product.ts'
import { carriedStamps, catalogueStamps, idOf, later, type PriceKind, type World } from './world.ts'

/** Who buys, and what is sold. */

export const buildCustomer = (world: World): Customer => ({
  ...catalogueStamps(world, 'customer'),
  id: world.customerId,
  metadata: {},
  external_id: world.externalId ?? null,
  email: world.email,
  email_verified: true,
  name: world.customerName ?? 'Ann Example',
  billing_address: { country: 'FR', line1: '1 rue Exemple', line2: null, postal_code: '75001', city: 'Paris', state: null },
  tax_id: ['FR61954506077', 'eu_vat'],
  organization_id: world.organizationId,
  deleted_at: world.type === 'customer.deleted' ? world.now : null,
  avatar_url: 'https://avatars.example.com/ann.png',
  ...later(world, { type: 'individual', billing_name: null, locale: null, first_user_event_at: null }),
})

const kindFields = (world: World, kind: PriceKind) => {
  const { amount, currency: price_currency } = world
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
      const meter = { id: world.meterId, name: meterName }
      return { amount_type: kind, price_currency, unit_amount: '0.05', cap_amount: null, meter_id: meter.id, meter } as const
    }
    default:
      return { amount_type: kind, price_currency } as const
  }
}

export const buildPrice = (world: World): Price => {
  const kind = world.priceKind ?? (world.seats === undefined ? 'fixed' : 'seat_based')
  const isLegacy = kind.startsWith('legacy_')
  const recurs = isLegacy || world.recurring
  return {
    ...carriedStamps(world),
    id: world.priceId,
    is_archived: false,
    product_id: world.productId,
    type: recurs ? 'recurring' : 'one_time',
    recurring_interval: recurs ? world.interval : null,
    ...(isLegacy ? { legacy: true } : {}),
    ...kindFields(world, kind),
    ...later(world, { source: 'catalog', tax_behavior: null }),
  }
}

const publicBenefit = (world: World) => ({
  ...catalogueStamps(world, 'benefit'),
  id: world.benefitId,
  description: 'What the plan gives',
  selectable: true,
  deletable: true,
  organization_id: world.organizationId,
  ...later(world, { is_deleted: false, visibility: 'public', visibility_configurable: true }),
})

export const buildPublicBenefit = (world: World): PublicBenefit => ({
  ...publicBenefit(world),
  type: world.benefitType ?? 'custom',
})

const benefitProperties = (world: World, type: Benefit['type']) => {
  switch (type) {
    case 'custom':
      return { type, properties: { note: null } } as const
    case 'discord': {
      const properties = { guild_id: '1', role_id: '2', guild_token: 'simulated', ...later(world, { kick_member: false }) }
      return { type, properties } as const
    }
    case 'github_repository':
      return { type, properties: { repository_owner: 'example', repository_name: 'private', permission: 'pull' } } as const
    case 'downloadables': {
      const file = idOf('file', world.benefitId)
      return { type, properties: { archived: { [file]: false }, files: [file] } }
    }
    case 'license_keys': {
      const activations = { limit: 3, enable_customer_admin: true }
      const expires = { ttl: 1, timeframe: 'year' } as const
      return { type, properties: { prefix: 'GATE', expires, activations, limit_usage: null } } as const
    }
    case 'meter_credit':
      return { type, properties: { units: 1000, rollover: false, meter_id: world.meterId } } as const
    default:
      return { type, properties: {} } as const
  }
}

export const buildBenefit = (world: World): Benefit => ({
  ...publicBenefit(world),
  metadata: {},
  ...benefitProperties(world, world.benefitType ?? 'custom'),
})

const meterName = 'API calls'

export const buildMeter = (world: World): Meter => ({
  ...carriedStamps(world),
  id: world.meterId,
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
  organization_id: world.organizationId,
  ...later(world, { unit: 'scalar', custom_label: null, custom_multiplier: null, archived_at: null }),
})

export const buildMedia = (world: World): Media => ({
  id: idOf('media', world.productId),
  organization_id: world.organizationId,
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
  created_at: carriedStamps(world).created_at,
  size_readable: '4.0 KB',
  public_url: 'https://files.example.com/product_media/cover.png',
})

export const buildCustomField = (world: World): AttachedCustomField => ({
  custom_field_id: idOf('custom field', world.productId),
  custom_field: {
    ...carriedStamps(world),
    id: idOf('custom field', world.productId),
    metadata: {},
    type: 'text',
    slug: 'company',
    name: 'Company',
    organization_id: world.organizationId,
    properties: { form_label: 'Company', max_length: 100 },
  },
  order: 0,
  required: false,
})

/** What products have wherever they are carried. */
export const productHead = (world: World) => ({
  ...catalogueStamps(world, 'product'),
  id: world.productId,
  name: 'Pro',
  description: null,
  recurring_interval: world.recurring ? world.interval : null,
  is_recurring: world.recurring,
  is_archived: false,
  organization_id: world.organizationId,
  ...later(world, {
    visibility: 'public',
    recurring_interval_count: world.recurring ? 1 : null,
    meter_interval: null,
    meter_interval_count: null,
    trial_interval: null,
    trial_interval_count: null,
  }),
})

export const buildProduct = (world: World): Product => ({
  ...productHead(world),
  metadata: {},
  prices: [buildPrice(world)],
  benefits: [buildBenefit(world)],
  medias: [buildMedia(world)],
  attached_custom_fields: [buildCustomField(world)],
  ...later(world, { is_deletable: true }),
})
