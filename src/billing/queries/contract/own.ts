import { z } from 'zod'
import { instant, organizationName, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'

export const entityId = plainText(255, 1)

/** Parameters of a list with pages. `total` in the answer counts the rows of all pages. */
export const page = {
  limit: z.coerce.number<string | number>().int().min(1).max(100).default(50),
  offset: z.coerce.number<string | number>().int().min(0).max(1_000_000).default(0),
}
export type Page = z.output<z.ZodObject<typeof page>>

/** When absent: the call reads the principal's own purchases. */
const owner = { organizationId: organizationName.optional() }
const paged = z.object({ ...owner, ...page })

export const Entitlement = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.literal(true)]),
  quantity: z.number().nullable(),
  asOf: instant
    .nullable()
    .describe(
      'When the platform sent the balance in the quantity; it may have changed since. Null if the quantity contains no balance.',
    ),
  /** When the entitlement ends if no further event arrives. Null if it does not end by itself. */
  validUntil: instant.nullable(),
})

export const BillingState = z
  .object({
    entitlements: z.array(Entitlement),
    plan: z.string().nullable(),
    subscriptionStatus: z.string().nullable(),
    /** Largest number of members and open invitations of an organization. Null if there is no limit, or if the owner is not an organization. */
    seats: z.number().nullable(),
  })
  .meta({ id: 'BillingState' })

export const Subscription = z
  .object({
    id: z.string(),
    createdAt: instant,
    productId: z.string(),
    productName: z.string().nullable(),
    status: z.string(),
    /** Price in the smallest unit of the currency, like all amounts. */
    amount: z.number(),
    currency: z.string(),
    recurringInterval: z.string().nullable(),
    currentPeriodStart: instant.nullable(),
    currentPeriodEnd: instant.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    canceledAt: instant.nullable(),
    startedAt: instant.nullable(),
    endsAt: instant.nullable(),
    endedAt: instant.nullable(),
    seats: z.number().nullable(),
  })
  .meta({ id: 'BillingSubscription' })

export const Order = z
  .object({
    id: z.string(),
    createdAt: instant,
    status: z.string(),
    paid: z.boolean(),
    billingReason: z.string(),
    productId: z.string().nullable(),
    productName: z.string().nullable(),
    subscriptionId: z.string().nullable(),
    currency: z.string(),
    subtotalAmount: z.number(),
    discountAmount: z.number(),
    netAmount: z.number(),
    taxAmount: z.number(),
    totalAmount: z.number(),
    refundedAmount: z.number(),
    refundedTaxAmount: z.number(),
    items: z.array(z.object({ label: z.string(), amount: z.number(), taxAmount: z.number() })),
  })
  .meta({ id: 'BillingOrder' })

export const Benefit = z
  .object({
    /** Id of the grant with which the customer has the benefit. */
    id: z.string(),
    benefitId: z.string(),
    type: z.string().nullable(),
    description: z.string().nullable(),
    grantedAt: instant.nullable(),
    revokedAt: instant.nullable(),
    isGranted: z.boolean(),
    subscriptionId: z.string().nullable(),
    orderId: z.string().nullable(),
    licenseKey: z.object({ id: z.string().nullable(), displayKey: z.string() }).nullable(),
    /** The ids of the files on the billing platform. */
    files: z.array(z.string()),
  })
  .meta({ id: 'BillingBenefit' })

export const Meter = z
  .object({
    meterId: z.string(),
    name: z.string().nullable(),
    consumedUnits: z.number(),
    creditedUnits: z.number(),
    balance: z.number(),
    asOf: instant.describe('When the platform sent these numbers. They do not contain later use and purchases.'),
  })
  .meta({ id: 'BillingMeter' })

const listOf = <K extends string, T extends z.ZodType>(key: K, entity: T) =>
  z.object({ [key]: z.array(entity), total: z.number() } as { [P in K]: z.ZodArray<T> } & { total: z.ZodNumber })

export const Subscriptions = listOf('subscriptions', Subscription)
export const Orders = listOf('orders', Order)
export const Benefits = listOf('benefits', Benefit)
export const Meters = listOf('meters', Meter)

export const billingContract = contract('Billing', {
  state: {
    method: 'GET',
    path: '/billing/state',
    summary: 'Get the entitlements of the signed-in user or of one of their organizations',
    access: { permission: 'entitlements:read' },
    query: z.object(owner),
    response: BillingState,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION'],
  },
  subscriptions: {
    method: 'GET',
    path: '/billing/subscriptions',
    summary: 'List the subscriptions of the signed-in user or of an organization, newest first',
    access: { permission: 'entitlements:read' },
    query: paged,
    response: Subscriptions,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION'],
  },
  orders: {
    method: 'GET',
    path: '/billing/orders',
    summary: 'List the orders of the signed-in user or of an organization, newest first',
    access: { permission: 'entitlements:read' },
    query: paged,
    response: Orders,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION'],
  },
  benefits: {
    method: 'GET',
    path: '/billing/benefits',
    summary: 'List the benefits of the signed-in user or of an organization, with license keys and files, newest first',
    access: { permission: 'entitlements:read' },
    query: paged,
    response: Benefits,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION'],
  },
  meters: {
    method: 'GET',
    path: '/billing/meters',
    summary: 'List the usage meters of the signed-in user or of an organization',
    access: { permission: 'entitlements:read' },
    query: paged,
    response: Meters,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION'],
  },
})
