import { z } from 'zod'
import { Benefit } from './benefit.ts'
import { AttachedCustomField } from './custom-field.ts'
import { Media } from './media.ts'
import { Price } from './price.ts'
import { Interval, Metadata, Stamps, text } from './shared.ts'

/** What checkouts, orders and the product's own events have in common. */
export const productFields = {
  ...Stamps,
  id: text,
  name: text,
  description: text.nullable(),
  recurring_interval: Interval.nullable(),
  is_recurring: z.boolean(),
  is_archived: z.boolean(),
  organization_id: text,
}

/** What is sold (billing-events.md, section 6.7). */
export const Product = z.object({
  ...productFields,
  metadata: Metadata,
  prices: z.array(Price),
  benefits: z.array(Benefit),
  medias: z.array(Media),
  attached_custom_fields: z.array(AttachedCustomField),
})
export type Product = z.output<typeof Product>
