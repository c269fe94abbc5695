import { z } from 'zod'
import { instant, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { Benefit, BillingState, Entitlement, entityId, Meter, Order, page, Subscription } from './own.ts'

/** Whose a customer is, and why. */
export const Link = z.object({
  userId: z.string().nullable(),
  organizationId: z.string().nullable(),
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
    /** Null: held until somebody matches. */
    link: Link.nullable(),
  })
  .meta({ id: 'BillingCustomer' })

/** A delivery without its body. */
export const Delivery = z
  .object({
    id: z.string(),
    endpoint: z.string(),
    webhookId: z.string(),
    type: z.string().nullable(),
    customerId: z.string().nullable(),
    receivedAt: instant,
    appliedAt: instant.nullable(),
    /** When an operator gave up on it; retention keeps what is in quarantine until then. */
    dismissedAt: instant.nullable(),
    verdict: z.string(),
    effect: z.string().nullable(),
    attempts: z.number(),
  })
  .meta({ id: 'BillingDelivery' })

/** What is held, and the delivery that told it. */
const Held = z.object({
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

/** `rule` is the key of the rule that found it: `billing.entitlements.0`. */
export const ExplainedState = BillingState.extend({
  entitlements: z.array(
    Entitlement.extend({ sources: z.array(Held.extend({ rule: z.string(), warning: z.string().nullable() })) }),
  ),
  /** What gives nothing, and why. */
  unused: z.array(Held.extend({ because: z.enum(['no rule', 'ended', 'refunded', 'no balance']) })),
}).meta({ id: 'ExplainedBillingState' })

/** A subscription whose paid period has ended for more than an hour, that was not canceled, and of which nothing more was heard. */
const OverdueRenewal = z
  .object({
    id: z.string(),
    customerId: z.string(),
    productId: z.string(),
    status: z.string(),
    currentPeriodEnd: instant,
    /** When it stops to entitle, or did (`billing.grace`); null: not by itself. */
    entitlesUntil: instant.nullable(),
  })
  .meta({ id: 'OverdueRenewal' })

/** `next` is the `after` of the next page, null on the last. Nothing counts them all: there may be millions. */
export const billingAdminContract = contract({
  customers: {
    method: 'GET',
    path: '/admin/billing/customers',
    summary: 'Customers of the billing platform, newest first',
    access: 'admin',
    query: z.object({
      /** The whole address, in any case. */
      email: plainText(320, 1).optional(),
      externalId: entityId.optional(),
      /** `true`: those that belong to nobody yet. */
      unlinked: z.enum(['true', 'false']).optional(),
      limit: page.limit,
      /** Id of a customer: those made before it. */
      after: entityId.optional(),
    }),
    response: z.object({ customers: z.array(Customer), next: z.string().nullable() }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  customer: {
    method: 'GET',
    path: '/admin/billing/customers/:id',
    summary: 'Everything about one customer: whose it is, what it bought and what that entitles to',
    access: 'admin',
    params: z.object({ id: entityId }),
    response: z.object({
      customer: Customer,
      state: ExplainedState,
      /** The newest 100 of each. */
      subscriptions: z.array(Subscription),
      orders: z.array(Order),
      benefits: z.array(Benefit),
      meters: z.array(Meter),
      deliveries: z.array(Delivery),
    }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  overdueRenewals: {
    method: 'GET',
    path: '/admin/billing/overdue-renewals',
    summary: 'Subscriptions whose renewal was never heard, the latest first',
    access: 'admin',
    query: z.object({
      /** So many customers; each may have several. */
      limit: page.limit,
      /** Id of a customer: those whose renewal was due before theirs. */
      after: entityId.optional(),
    }),
    response: z.object({ subscriptions: z.array(OverdueRenewal), next: z.string().nullable() }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  deliveries: {
    method: 'GET',
    path: '/admin/billing/deliveries',
    summary: 'Verified deliveries, newest first',
    access: 'admin',
    query: z.object({
      customerId: entityId.optional(),
      type: plainText(100, 1).optional(),
      verdict: z.enum(['accepted', 'quarantined', 'removed']).optional(),
      limit: page.limit,
      /** Id of a delivery: those received before it. */
      after: plainText(64, 1).optional(),
    }),
    response: z.object({ deliveries: z.array(Delivery), next: z.string().nullable() }),
    errors: ['DELIVERY_NOT_FOUND'],
  },
  delivery: {
    method: 'GET',
    path: '/admin/billing/deliveries/:id',
    summary: 'One delivery with headers, issues and event; secrets inside it are left out',
    access: 'admin',
    params: z.object({ id: entityId }),
    response: Delivery.extend({
      eventAt: z.string().nullable(),
      headers: z.record(z.string(), z.string()),
      issues: z.array(z.object({ path: z.string(), expected: z.string(), received: z.string() })),
      /** Null when the personal data of its customer was removed, or it is no JSON. */
      event: z.json().nullable(),
    }).meta({ id: 'BillingDeliveryWithEvent' }),
    errors: ['DELIVERY_NOT_FOUND'],
  },
})
