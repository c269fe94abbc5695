import { z } from 'zod'
import { Benefit } from './benefit.ts'
import { Interval, int, Metadata, Timestamps, text, time } from './shared.ts'

/**
 * The fields of all prices. Since 2026, the platform documents `type` and `recurring_interval` only for legacy prices (billing-events.md,
 * section 8.3).
 */
const priceFields = {
  ...Timestamps,
  id: text,
  is_archived: z.boolean(),
  product_id: text,
  type: z.enum(['one_time', 'recurring']).nullish(),
  recurring_interval: Interval.nullish(),
  legacy: z.unknown().optional(),
}

/** Adds the legacy form of a fixed, custom or free price. A legacy price always recurs. */
const orLegacy = <S extends z.ZodObject<typeof priceFields>>(price: S) =>
  price.superRefine((value, context) => {
    if (value.legacy !== true) return
    const require = (field: 'type' | 'recurring_interval', isMet: boolean, message: string) => {
      if (!isMet) context.addIssue({ code: 'custom', path: [field], message })
    }
    require('type', value.type === 'recurring', '"recurring" (legacy price)')
    require('recurring_interval', typeof value.recurring_interval === 'string', 'interval (legacy price)')
  })

/**
 * A price (billing-events.md, section 5.2). The field `amount_type` distinguishes the kinds. Of kinds that the platform added later, only
 * `priceFields` are documented.
 */
export const Price = z.discriminatedUnion('amount_type', [
  orLegacy(z.object({ ...priceFields, amount_type: z.literal('fixed'), price_amount: int, price_currency: text })),
  orLegacy(
    z.object({
      ...priceFields,
      amount_type: z.literal('custom'),
      price_currency: text,
      minimum_amount: int.nullable(),
      maximum_amount: int.nullable(),
      preset_amount: int.nullable(),
    }),
  ),
  orLegacy(z.object({ ...priceFields, amount_type: z.literal('free') })),
  z.object({
    ...priceFields,
    amount_type: z.literal('metered_unit'),
    price_currency: text,
    unit_amount: text,
    cap_amount: int.nullable(),
    meter_id: text,
    meter: z.object({ id: text, name: text }),
  }),
  z.object({ ...priceFields, amount_type: z.enum(['seat_based', 'unit_based', 'metered_tiers']) }),
])
export type Price = z.output<typeof Price>

/** A picture of a product (billing-events.md, section 5.4). */
export const Media = z.object({
  id: text,
  organization_id: text,
  name: text,
  path: text,
  mime_type: text,
  size: int,
  storage_version: text.nullable(),
  checksum_etag: text.nullable(),
  checksum_sha256_base64: text.nullable(),
  checksum_sha256_hex: text.nullable(),
  last_modified_at: time.nullable(),
  version: text.nullable(),
  service: z.literal('product_media'),
  is_uploaded: z.boolean(),
  created_at: time,
  size_readable: text,
  public_url: text,
})
export type Media = z.output<typeof Media>

const customFieldFields = { ...Timestamps, id: text, metadata: Metadata, slug: text, name: text, organization_id: text }

const labels = { form_label: text.optional(), form_help_text: text.optional(), form_placeholder: text.optional() }

/**
 * A question that a checkout asks the buyer (billing-events.md, section 5.5). The field `type` distinguishes the kinds. The limits of a
 * date are seconds since 1970.
 */
export const CustomField = z.discriminatedUnion('type', [
  z.object({ ...customFieldFields, type: z.literal('checkbox'), properties: z.object(labels) }),
  z.object({
    ...customFieldFields,
    type: z.enum(['date', 'number']),
    properties: z.object({ ...labels, ge: int.optional(), le: int.optional() }),
  }),
  z.object({
    ...customFieldFields,
    type: z.literal('select'),
    properties: z.object({ ...labels, options: z.array(z.object({ value: text, label: text })) }),
  }),
  z.object({
    ...customFieldFields,
    type: z.literal('text'),
    properties: z.object({
      ...labels,
      textarea: z.boolean().optional(),
      min_length: int.optional(),
      max_length: int.optional(),
    }),
  }),
])
export type CustomField = z.output<typeof CustomField>

/** A question of the checkout that is attached to a product. */
export const AttachedCustomField = z.object({
  custom_field_id: text,
  custom_field: CustomField,
  order: int,
  required: z.boolean(),
})
export type AttachedCustomField = z.output<typeof AttachedCustomField>

/** The product fields that occur in checkouts, in orders and in events about products. */
export const productFields = {
  ...Timestamps,
  id: text,
  name: text,
  description: text.nullable(),
  recurring_interval: Interval.nullable(),
  is_recurring: z.boolean(),
  is_archived: z.boolean(),
  organization_id: text,
}

/** A product (billing-events.md, section 6.7). */
export const Product = z.object({
  ...productFields,
  metadata: Metadata,
  prices: z.array(Price),
  benefits: z.array(Benefit),
  medias: z.array(Media),
  attached_custom_fields: z.array(AttachedCustomField),
})
export type Product = z.output<typeof Product>

const Clause = z.object({
  property: text,
  operator: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'not_like']),
  value: z.union([text, int, z.boolean()]),
})

/** Selects the usage that a meter counts. Clauses and filters may be nested to any depth. */
export interface Filter {
  readonly conjunction: 'and' | 'or'
  readonly clauses: readonly (z.output<typeof Clause> | Filter)[]
}
const Filter: z.ZodType<Filter> = z.object({
  conjunction: z.enum(['and', 'or']),
  get clauses(): z.ZodType<Filter['clauses']> {
    return z.array(z.union([Clause, Filter]))
  },
})

/** How a meter aggregates usage. The function `unique` is newer than the billing specification. */
const Aggregation = z.discriminatedUnion('func', [
  z.object({ func: z.literal('count') }),
  z.object({ func: z.enum(['sum', 'max', 'min', 'avg', 'unique']), property: text }),
])

/** A meter counts usage (billing-events.md, section 5.6). */
export const Meter = z.object({
  ...Timestamps,
  id: text,
  name: text,
  metadata: Metadata,
  filter: Filter,
  aggregation: Aggregation,
  organization_id: text,
})
export type Meter = z.output<typeof Meter>
