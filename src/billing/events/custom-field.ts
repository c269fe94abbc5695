import { z } from 'zod'
import { int, Metadata, Stamps, text } from './shared.ts'

const common = { ...Stamps, id: text, metadata: Metadata, slug: text, name: text, organization_id: text }

const labels = { form_label: text.optional(), form_help_text: text.optional(), form_placeholder: text.optional() }

/** A question of the checkout, by `type` (billing-events.md, section 5.5). Bounds of a date are seconds since 1970. */
export const CustomField = z.discriminatedUnion('type', [
  z.object({ ...common, type: z.literal('checkbox'), properties: z.object(labels) }),
  z.object({
    ...common,
    type: z.enum(['date', 'number']),
    properties: z.object({ ...labels, ge: int.optional(), le: int.optional() }),
  }),
  z.object({
    ...common,
    type: z.literal('select'),
    properties: z.object({ ...labels, options: z.array(z.object({ value: text, label: text })) }),
  }),
  z.object({
    ...common,
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

/** A question as it is attached to a product. */
export const AttachedCustomField = z.object({
  custom_field_id: text,
  custom_field: CustomField,
  order: int,
  required: z.boolean(),
})
export type AttachedCustomField = z.output<typeof AttachedCustomField>
