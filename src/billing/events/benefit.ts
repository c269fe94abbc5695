import { z } from 'zod'
import { AnyObject, int, Metadata, Timestamps, text } from './shared.ts'

/** The last two types are newer than the billing specification. */
export const BenefitType = z.enum([
  'custom',
  'discord',
  'github_repository',
  'downloadables',
  'license_keys',
  'meter_credit',
  'feature_flag',
  'slack_shared_channel',
])

const publicFields = {
  ...Timestamps,
  id: text,
  description: text,
  selectable: z.boolean(),
  deletable: z.boolean(),
  organization_id: text,
}

/** A benefit as it appears in the products of a checkout. */
export const PublicBenefit = z.object({ ...publicFields, type: BenefitType })
export type PublicBenefit = z.output<typeof PublicBenefit>

const common = { ...publicFields, metadata: Metadata }

/**
 * A benefit of a product (billing-events.md, section 5.7). The field `type` distinguishes the kinds. `guild_token` is a secret: never
 * log, store or show it.
 */
export const Benefit = z.discriminatedUnion('type', [
  z.object({ ...common, type: z.literal('custom'), properties: z.object({ note: text.nullable() }) }),
  z.object({
    ...common,
    type: z.literal('discord'),
    properties: z.object({ guild_id: text, role_id: text, guild_token: text.nullish() }),
  }),
  z.object({
    ...common,
    type: z.literal('github_repository'),
    properties: z.object({
      repository_owner: text,
      repository_name: text,
      permission: z.enum(['pull', 'triage', 'push', 'maintain', 'admin']),
    }),
  }),
  z.object({
    ...common,
    type: z.literal('downloadables'),
    properties: z.object({ archived: z.record(z.string(), z.boolean()), files: z.array(text) }),
  }),
  z.object({
    ...common,
    type: z.literal('license_keys'),
    properties: z.object({
      prefix: text.nullable(),
      expires: z.object({ ttl: int, timeframe: z.enum(['year', 'month', 'day']) }).nullable(),
      activations: z.object({ limit: int, enable_customer_admin: z.boolean() }).nullable(),
      limit_usage: int.nullable(),
    }),
  }),
  z.object({
    ...common,
    type: z.literal('meter_credit'),
    properties: z.object({ units: int, rollover: z.boolean(), meter_id: text }),
  }),
  z.object({ ...common, type: z.enum(['feature_flag', 'slack_shared_channel']), properties: AnyObject.optional() }),
])
export type Benefit = z.output<typeof Benefit>
