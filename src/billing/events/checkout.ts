import { z } from 'zod'
import { PublicBenefit } from './benefit.ts'
import { AttachedCustomField, Media, Price, productFields } from './product.ts'
import { DiscountShort } from './seller.ts'
import { Address, CustomFieldData, int, Metadata, Timestamps, text, time } from './shared.ts'

const FieldMode = z.enum(['required', 'optional', 'disabled'])

const CheckoutProduct = z.object({
  ...productFields,
  prices: z.array(Price),
  benefits: z.array(PublicBenefit),
  medias: z.array(Media),
})

/**
 * A purchase in progress (billing-events.md, section 6.4). Whoever has its `client_secret` can use the checkout: never log, store or show
 * the secret.
 */
export const Checkout = z.object({
  ...Timestamps,
  id: text,
  client_secret: text,
  url: text,
  success_url: text,
  currency: text,
  expires_at: time,
  custom_field_data: CustomFieldData.optional(),
  payment_processor: z.literal('stripe'),
  status: z.enum(['open', 'expired', 'confirmed', 'succeeded', 'failed']),
  embed_origin: text.nullable(),
  amount: int,
  discount_amount: int,
  net_amount: int,
  total_amount: int,
  tax_amount: int.nullable(),
  product_id: text.nullish(),
  product_price_id: text.nullish(),
  discount_id: text.nullable(),
  customer_id: text.nullable(),
  subscription_id: text.nullable(),
  allow_discount_codes: z.boolean(),
  require_billing_address: z.boolean(),
  is_discount_applicable: z.boolean(),
  is_free_product_price: z.boolean(),
  is_payment_required: z.boolean(),
  is_payment_setup_required: z.boolean(),
  is_payment_form_required: z.boolean(),
  is_business_customer: z.boolean(),
  customer_name: text.nullable(),
  customer_email: text.nullable(),
  customer_ip_address: text.nullable(),
  customer_billing_name: text.nullable(),
  customer_tax_id: text.nullable(),
  customer_billing_address: Address.nullable(),
  payment_processor_metadata: z.record(z.string(), text),
  billing_address_fields: z.object({
    country: FieldMode,
    state: FieldMode,
    city: FieldMode,
    postal_code: FieldMode,
    line1: FieldMode,
    line2: FieldMode,
  }),
  metadata: Metadata,
  customer_metadata: z.record(z.string(), z.union([text, int, z.boolean()])),
  external_customer_id: text.nullable(),
  customer_external_id: text.nullish(),
  products: z.array(CheckoutProduct),
  product: CheckoutProduct.nullish(),
  product_price: Price.nullish(),
  discount: DiscountShort.nullable(),
  attached_custom_fields: z.array(AttachedCustomField).nullish(),
})
export type Checkout = z.output<typeof Checkout>
