import { z } from 'zod'
import { Interval, int, Stamps, text } from './shared.ts'

/** What every price has. `type` and `recurring_interval` are documented on legacy prices alone since 2026 (section 8.3). */
const common = {
  ...Stamps,
  id: text,
  is_archived: z.boolean(),
  product_id: text,
  type: z.enum(['one_time', 'recurring']).nullish(),
  recurring_interval: Interval.nullish(),
  legacy: z.unknown().optional(),
}

/** Fixed, custom and free prices may be of the legacy kind, which always recurs. */
const orLegacy = <S extends z.ZodObject<typeof common>>(price: S) =>
  price.superRefine((value, context) => {
    if (value.legacy !== true) return
    const require = (field: 'type' | 'recurring_interval', isMet: boolean, message: string) => {
      if (!isMet) context.addIssue({ code: 'custom', path: [field], message })
    }
    require('type', value.type === 'recurring', '"recurring" (legacy price)')
    require('recurring_interval', typeof value.recurring_interval === 'string', 'interval (legacy price)')
  })

/** A price, by `amount_type` (billing-events.md, section 5.2). Of the kinds that came later only the common fields are documented. */
export const Price = z.discriminatedUnion('amount_type', [
  orLegacy(z.object({ ...common, amount_type: z.literal('fixed'), price_amount: int, price_currency: text })),
  orLegacy(
    z.object({
      ...common,
      amount_type: z.literal('custom'),
      price_currency: text,
      minimum_amount: int.nullable(),
      maximum_amount: int.nullable(),
      preset_amount: int.nullable(),
    }),
  ),
  orLegacy(z.object({ ...common, amount_type: z.literal('free') })),
  z.object({
    ...common,
    amount_type: z.literal('metered_unit'),
    price_currency: text,
    unit_amount: text,
    cap_amount: int.nullable(),
    meter_id: text,
    meter: z.object({ id: text, name: text }),
  }),
  z.object({ ...common, amount_type: z.enum(['seat_based', 'unit_based', 'metered_tiers']) }),
])
export type Price = z.output<typeof Price>
