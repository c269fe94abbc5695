import { z } from 'zod'
import { Address, Metadata, Stamps, text, time } from './shared.ts'

/** Fields of a customer, which the customer state repeats. */
export const customerFields = {
  ...Stamps,
  id: text,
  organization_id: text,
  metadata: Metadata,
  external_id: text.nullish(),
  email: text.nullish(),
  email_verified: z.boolean(),
  name: text.nullable(),
  billing_address: Address.nullable(),
  tax_id: z.array(z.unknown()).nullable(),
  deleted_at: time.nullable(),
  avatar_url: text.nullish(),
}

/** Who buys (billing-events.md, section 6.1). Teams may have no email. */
export const Customer = z.object(customerFields)
export type Customer = z.output<typeof Customer>
