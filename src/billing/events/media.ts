import { z } from 'zod'
import { int, text, time } from './shared.ts'

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
