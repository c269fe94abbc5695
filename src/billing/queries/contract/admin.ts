import { z } from 'zod'
import { json } from '../../../core/json-value.ts'
import { counted, sortedPage } from '../../../core/page.ts'
import { instant, Named, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { Benefit, BillingState, Entitlement, entityId, Meter, Order, Subscription } from './own.ts'

/** The user or organization that owns a customer, and how the customer was linked. */
export const Link = z.object({
  userId: z.string().nullable(),
  organizationId: z.string().nullable(),
  name: z.string().describe('Name of the user or the organization.'),
  linkedBy: z.enum(['external_id', 'email', 'operator']),
  linkedAt: instant,
})

export const Customer = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    externalId: z.string().nullable(),
    createdAt: instant,
    deletedAt: instant.nullable(),
    /** Null while the customer is not linked. */
    link: Link.nullable(),
  })
  .meta({ id: 'BillingCustomer' })

/** Payment states, sorted by how much attention they need. `ended`: no subscription of the customer is running. */
const paymentStatuses = ['past_due', 'unpaid', 'active', 'trialing', 'incomplete', 'paused', 'ended'] as const

/** A customer with its purchases and entitlements. */
export const ListedCustomer = Customer.extend({
  /**
   * The customer's payment state. If the customer has several subscriptions, the state that needs most attention. Null if the customer
   * never had a subscription.
   */
  status: z.enum(paymentStatuses).nullable(),
  plan: z.string().nullable().describe('The plan according to the rules of `billing.entitlements`.'),
  /** The customer's running subscriptions, but at most five of them. */
  subscriptions: z.array(
    z.object({
      id: z.string(),
      productId: z.string(),
      productName: z.string().nullable(),
      status: z.string(),
      amount: z.int().describe('In the smallest unit of the currency.'),
      currency: z.string(),
      interval: z.enum(['day', 'week', 'month', 'year']),
      /** When the subscription renews. If it will not renew, when it ends. */
      nextAt: instant.nullable(),
      endsThen: z.boolean(),
    }),
  ),
  /** Seats of the organization that owns the customer. `bought` is null if the number of seats has no limit. */
  seats: z.object({ bought: z.int().nullable(), used: z.int() }).nullable(),
  entitlements: z.array(z.string()),
}).meta({ id: 'ListedBillingCustomer' })

/** Numbers of customers and amounts, summed over all customers. */
export const PaymentTotals = z
  .object({
    /** How many customers have each payment state. */
    statuses: z.array(z.object({ status: z.enum(paymentStatuses), customers: z.int() })),
    /** For each currency, the price of all active subscriptions for one month, before taxes. */
    currencies: z.array(
      z.object({
        currency: z.string(),
        customers: z.int(),
        monthly: z
          .number()
          .describe('In the smallest unit of the currency. Prices for another interval are converted; a year has twelve months.'),
      }),
    ),
    plans: z.array(z.string()).describe('Names of the plans in `billing.entitlements`, best first.'),
    entitlements: z.array(z.string()).describe('Names of the entitlements in `billing.entitlements`.'),
  })
  .meta({ id: 'BillingTotals' })

/** A delivery without its body. */
export const Delivery = z
  .object({
    id: z.string(),
    endpoint: z.string(),
    webhookId: z.string(),
    type: z.string().nullable(),
    customerId: z.string().nullable(),
    customer: Named.nullable(),
    receivedAt: instant,
    appliedAt: instant.nullable(),
    /** Time when an operator dismissed the delivery. A quarantined delivery stays stored until it is dismissed. */
    dismissedAt: instant.nullable(),
    verdict: z.string(),
    effect: z.string().nullable(),
    attempts: z.number(),
    /** Time of the event as sortable text. */
    eventAt: z.string().nullable(),
    bodySha256: z.string(),
    /** The problems that put the delivery into quarantine. */
    issues: z.array(z.object({ path: z.string(), expected: z.string(), received: z.string() })),
  })
  .meta({ id: 'BillingDelivery' })

/** A purchase, and the delivery that contained it. */
const Purchase = z.object({
  kind: z.enum(['subscription', 'order', 'grant', 'meter']),
  id: z.string(),
  holder: z.enum(['user', 'organization']),
  validUntil: instant.nullable(),
  customerId: z.string(),
  linkedBy: z.string().nullable(),
  delivery: z
    .object({
      id: z.string(),
      endpoint: z.string(),
      webhookId: z.string(),
      type: z.string().nullable(),
      receivedAt: instant,
    })
    .nullable(),
})

/**
 * The purchases and entitlements of an owner, with the reason for each entitlement. `rule` names the matching rule by its configuration
 * key, such as `billing.entitlements.0`.
 */
export const ExplainedState = BillingState.extend({
  entitlements: z.array(
    Entitlement.extend({ sources: z.array(Purchase.extend({ rule: z.string(), warning: z.string().nullable() })) }),
  ),
  /** Purchases that give no entitlement, each with the reason. */
  unused: z.array(Purchase.extend({ because: z.enum(['no rule', 'ended', 'refunded', 'no balance']) })),
}).meta({ id: 'ExplainedBillingState' })

/** A subscription whose paid period ended more than an hour ago. It was not canceled, and no event has arrived since. */
const OverdueRenewal = z
  .object({
    id: z.string(),
    customerId: z.string(),
    customer: Named,
    productId: z.string(),
    status: z.string(),
    currentPeriodEnd: instant,
    /** When the entitlements of the subscription end or ended, with the grace of `billing.grace`. Null if they do not end. */
    entitlesUntil: instant.nullable(),
  })
  .meta({ id: 'OverdueRenewal' })

export const billingAdminContract = contract('Billing administration', {
  customers: {
    method: 'GET',
    path: '/admin/billing/customers',
    summary: 'List the customers of the billing platform, newest first',
    access: { permission: 'customers:read' },
    ...counted(
      sortedPage('customers', ListedCustomer, {
        filter: {
          search: plainText(200, 1).optional().meta({
            description: 'Text in name and address. Text of one or two characters matches only the beginning of a word.',
          }),
          email: plainText(320, 1).optional().meta({ description: 'The complete address. Upper and lower case do not matter.' }),
          externalId: entityId.optional(),
          payment: z
            .enum(paymentStatuses)
            .optional()
            .meta({ description: 'State of the subscriptions. If they differ, the state that needs attention first.' }),
          currency: z
            .string()
            .regex(/^[a-zA-Z]{3,8}$/)
            .toLowerCase()
            .optional()
            .meta({ description: 'Currency of the customer’s active subscriptions.' }),
          plan: plainText(100, 1)
            .optional()
            .meta({ description: 'The plan that the customer has at this moment, according to the rules.' }),
          entitlement: plainText(100, 1).optional().meta({ description: 'Name of an entitlement that the customer has.' }),
          unlinked: z.enum(['true', 'false']).optional().meta({ description: '`true`: only customers without an owner.' }),
        },
        sorts: ['createdAt'],
      }),
    ),
    errors: [],
  },
  paymentTotals: {
    method: 'GET',
    path: '/admin/billing/totals',
    summary: 'Get the number of paying customers, and the monthly sum of active subscriptions by currency',
    access: { permission: 'customers:read' },
    response: PaymentTotals,
    errors: [],
  },
  customer: {
    method: 'GET',
    path: '/admin/billing/customers/:id',
    summary: 'Get one customer with owner, purchases and entitlements',
    access: { permission: 'customers:read' },
    params: z.object({ id: entityId }),
    response: z.object({
      customer: Customer,
      state: ExplainedState,
      /** Each of these lists contains only the newest 100 entries. */
      subscriptions: z.array(Subscription),
      orders: z.array(Order),
      benefits: z.array(Benefit),
      meters: z.array(Meter),
      deliveries: z.array(Delivery),
    }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  customersOfUser: {
    method: 'GET',
    path: '/admin/users/:id/customers',
    summary: 'List the customers of a user, newest first, at most 100',
    access: { permission: 'customers:read' },
    params: z.object({ id: plainText(64, 1) }),
    response: z.object({ customers: z.array(Customer) }),
    errors: [],
  },
  customersOfOrganization: {
    method: 'GET',
    path: '/admin/organizations/:id/customers',
    summary: 'List the customers of an organization, newest first, at most 100',
    access: { permission: 'customers:read' },
    params: z.object({ id: plainText(64, 1) }),
    response: z.object({ customers: z.array(Customer) }),
    errors: [],
  },
  overdueRenewals: {
    method: 'GET',
    path: '/admin/billing/overdue-renewals',
    summary: 'List the subscriptions for which no renewal has arrived, the latest first',
    access: { permission: 'customers:read' },
    /** `limit` is a number of customers. The page may contain more subscriptions, because a customer can have several. */
    ...counted(sortedPage('subscriptions', OverdueRenewal, { filter: {}, sorts: ['renewalDueAt'] })),
    errors: [],
  },
  deliveries: {
    method: 'GET',
    path: '/admin/billing/deliveries',
    summary: 'List the verified deliveries, newest first',
    access: { permission: 'deliveries:read' },
    ...counted(
      sortedPage('deliveries', Delivery, {
        filter: {
          customerId: entityId.optional(),
          type: plainText(100, 1).optional().meta({ description: 'The type of the event, such as `order.paid`.' }),
          verdict: z.enum(['accepted', 'quarantined', 'removed']).optional(),
          /** The name of a webhook endpoint. */
          endpoint: plainText(64, 1).optional(),
          since: instant.optional().meta({ description: 'Deliveries that were received at this time or later.' }),
        },
        sorts: ['receivedAt'],
      }),
    ),
    errors: [],
  },
  delivery: {
    method: 'GET',
    path: '/admin/billing/deliveries/:id',
    summary: 'Get one delivery with headers, issues and event, without the secrets in it',
    access: { permission: 'deliveries:read' },
    params: z.object({ id: entityId.meta({ description: 'The id of the delivery, or its webhook id from the platform.' }) }),
    response: Delivery.extend({
      headers: z.record(z.string(), z.string()),
      /** The parsed body of the delivery. Null if its personal data was removed, or if the body is not JSON. */
      event: json.nullable(),
    }).meta({ id: 'BillingDeliveryWithEvent' }),
    errors: ['DELIVERY_NOT_FOUND'],
  },
})
