import { billingOperationsContract } from '../../../../src/billing/administration/contract.ts'
import { driftContract } from '../../../../src/billing/drift/contract.ts'
import { rulesContract } from '../../../../src/billing/dry-run/contract.ts'
import { billingAdminContract } from '../../../../src/billing/queries/contract/admin.ts'
import { seatsContract } from '../../../../src/billing/seats/contract.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { press, refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, companyOf, emailOf, idOf, nameOf, nextOf, rowsOf, slugOf, times, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { eventsOf } from './history.ts'
import { payingOf, totalsOf } from './payments.ts'
import { settingsAnswer } from './settings.ts'
import { userAnswers } from './users.ts'

type Details = Wire<typeof billingAdminContract, 'customer'>
type Delivery = Wire<typeof billingAdminContract, 'deliveries'>['deliveries'][number]
type Source = Details['state']['entitlements'][number]['sources'][number]
type Rules = Wire<typeof rulesContract, 'entitlementRules'>

const linkedBy = ['external_id', 'email', 'operator'] as const

const customerOf = (index: number): Details['customer'] => ({
  id: `b7c1d2e3-4f50-4a6b-8c7d-${String(index).padStart(12, '0')}`,
  email: index % 5 === 4 ? null : emailOf(index),
  name: index % 5 === 3 ? null : index % 2 === 0 ? companyOf(index) : nameOf(index),
  externalId: index % 3 === 0 ? idOf('usr', index) : null,
  createdAt: agoOf(index),
  deletedAt: index % 6 === 5 ? daysAgo(2) : null,
  link:
    index % 4 === 3
      ? null
      : {
          ...(index % 2 === 0
            ? { userId: null, organizationId: idOf('org', index), name: companyOf(index) }
            : { userId: idOf('usr', index), organizationId: null, name: nameOf(index) }),
          linkedBy: linkedBy[index % 3] ?? 'email',
          linkedAt: agoOf(index),
        },
})

/** Every third customer is not stored, so it has no name. */
const namedCustomer = (index: number) => {
  const { id, name, email } = customerOf(index)
  return { kind: 'customer', id, name: index % 3 === 1 ? null : (name ?? email) }
}

const types = ['subscription.updated', 'order.paid', 'benefit_grant.created', 'customer.state_changed', null] as const
const deliveryOf = (index: number): Delivery => ({
  id: idOf('dlv', index),
  endpoint: index % 4 === 3 ? 'polar-of-the-european-subsidiary' : 'polar',
  webhookId: `msg_${idOf('', index)}`,
  type: types[index % 5] ?? null,
  customerId: index % 5 === 4 ? null : customerOf(index).id,
  customer: index % 5 === 4 ? null : namedCustomer(index),
  receivedAt: agoOf(index),
  appliedAt: index % 3 === 1 ? null : agoOf(index),
  dismissedAt: index % 6 === 4 ? daysAgo(1) : null,
  verdict: index % 3 === 1 ? 'quarantined' : index % 9 === 5 ? 'removed' : 'accepted',
  effect: index % 3 === 1 ? null : index % 2 === 0 ? 'applied' : 'superseded',
  attempts: index % 3 === 1 ? 14 : 1,
  ...{ eventAt: agoOf(index), bodySha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', issues: [] },
})

const sourceOf = (index: number): Source => ({
  kind: (['subscription', 'order', 'grant', 'meter'] as const)[index % 4] ?? 'order',
  id: `sub_01HZX7Q${index}V3K9M2N4P5R6S7T8`,
  holder: index % 2 === 0 ? 'organization' : 'user',
  validUntil: daysAhead(20),
  customerId: customerOf(2).id,
  linkedBy: 'external_id',
  delivery: {
    id: idOf('dlv', index),
    endpoint: 'polar',
    webhookId: `msg_${idOf('', index)}`,
    type: 'subscription.updated',
    receivedAt: agoOf(index),
  },
  rule: `billing.entitlements.${index}`,
  warning: index === 1 ? 'past due: until the grace ends' : null,
})

const detailsOf = (amount: Amount): Details => {
  const count = { empty: 0, few: 1, many: 8 }[amount]
  return {
    customer: customerOf({ empty: 3, few: 1, many: 2 }[amount]),
    state: {
      entitlements: times(count, (index) => ({
        name: ['pro', 'seats', 'priority-support-with-a-person-who-answers-within-the-hour', 'api-calls'][index % 4] ?? 'pro',
        value: index % 4 === 0 ? (true as const) : index % 4 === 2 ? 'gold' : 12,
        quantity: index % 4 === 1 ? 250 : null,
        asOf: null,
        validUntil: index % 2 === 0 ? daysAhead(20) : null,
        sources: times(index % 3 === 2 ? 3 : 1, (at) => sourceOf(index + at)),
      })).map((one, index) => ({ ...one, name: index < 4 ? one.name : `${one.name}-${index}` })),
      plan: amount === 'empty' ? null : 'Pro',
      subscriptionStatus: amount === 'empty' ? null : 'active',
      seats: amount === 'many' ? 250 : null,
      unused: times(amount === 'many' ? 4 : 0, (index) => {
        const { rule: _, warning: __, ...source } = sourceOf(index)
        return { ...source, because: (['no rule', 'ended', 'refunded', 'no balance'] as const)[index] ?? 'ended' }
      }),
    },
    subscriptions: times(count, (index) => ({
      id: `sub_01HZX7Q${index}V3K9M2N4P5R6S7T8`,
      createdAt: agoOf(index + 2),
      productId: `prod_01HZX7Q${index}`,
      productName: index === 1 ? null : 'Northwind Professional with everything in it and support by people, billed yearly',
      status: ['active', 'past_due', 'canceled'][index % 3] ?? 'active',
      amount: index === 2 ? 1_234_567_890 : 4900,
      currency: index % 2 === 0 ? 'usd' : 'jpy',
      recurringInterval: index === 2 ? null : 'month',
      currentPeriodStart: daysAgo(10),
      currentPeriodEnd: daysAhead(20),
      cancelAtPeriodEnd: index === 1,
      canceledAt: null,
      startedAt: agoOf(index + 2),
      endsAt: null,
      endedAt: index % 3 === 2 ? daysAgo(1) : null,
      seats: index === 0 ? 250 : null,
    })),
    orders: times(count, (index) => ({
      id: `ord_01HZX7Q${index}V3K9M2N4P5R6S7T8`,
      createdAt: agoOf(index),
      status: index === 1 ? 'refunded' : 'paid',
      paid: true,
      billingReason: 'subscription_cycle',
      productId: `prod_01HZX7Q${index}`,
      productName: 'Northwind Professional',
      subscriptionId: null,
      currency: 'usd',
      subtotalAmount: 4900,
      discountAmount: 0,
      netAmount: 4900,
      taxAmount: 931,
      totalAmount: 5831,
      refundedAmount: index === 1 ? 4900 : 0,
      refundedTaxAmount: 0,
      items: [{ label: 'Northwind Professional', amount: 4900, taxAmount: 931 }],
    })),
    benefits: times(count, (index) => ({
      id: `grant_${index}`,
      benefitId: `benefit_${index}`,
      type: 'license_keys',
      description: index === 1 ? null : 'A license key for every machine of the whole department, and the files to install it',
      grantedAt: agoOf(index),
      revokedAt: index === 1 ? daysAgo(1) : null,
      isGranted: index !== 1,
      subscriptionId: null,
      orderId: null,
      licenseKey: index === 0 ? { id: 'lk_1', displayKey: '****-E304DA' } : null,
      files: index === 0 ? ['file_01', 'file_02'] : [],
    })),
    meters: times(Math.min(count, 3), (index) => ({
      meterId: `meter_${index}`,
      name: index === 1 ? null : 'API calls',
      consumedUnits: 104_233,
      creditedUnits: 1_000_000,
      balance: 895_767,
      asOf: daysAgo(0.1),
    })),
    deliveries: times({ empty: 0, few: 2, many: 20 }[amount], deliveryOf),
  }
}

/** Customers of a person and of an organization, with purchases. */
export const customersOf = (amount: Amount): Answers => {
  const customers = amount === 'empty' ? [] : [customerOf(amount === 'many' ? 2 : 1)]
  return together(
    says(billingAdminContract, 'customersOfUser', { customers }),
    says(billingAdminContract, 'customersOfOrganization', { customers }),
    says(billingAdminContract, 'customer', detailsOf(amount)),
  )
}

const endpoints = says(billingOperationsContract, 'webhookEndpoints', {
  endpoints: [
    {
      name: 'polar',
      url: 'https://id.northwind.example/webhooks/polar',
      secrets: 1,
      isConfigured: true,
      createdAt: null,
      updatedAt: null,
    },
  ],
})
const noEndpoints = says(billingOperationsContract, 'webhookEndpoints', { endpoints: [] })

const deliveryList = (amount: Amount): Answers =>
  together(
    says(billingAdminContract, 'deliveries', {
      deliveries: rowsOf(amount, deliveryOf),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    amount === 'empty' ? noEndpoints : endpoints,
  )

const rule = (index: number): Rules['entitlements'][number] => ({
  name: ['pro', 'seats', 'export', 'priority-support-with-a-person-who-answers-within-the-hour'][index % 4] ?? 'pro',
  ...(index % 3 === 1
    ? { price: [`price_01HZX7Q${index}V3K9M2N4P5R6S7T8`], quantity: 'seats' as const }
    : index % 3 === 2
      ? { meter: [`meter_${index}`], quantity: 'balance' as const }
      : { product: times(index === 0 ? 6 : 1, (at) => `prod_01HZX7Q${index}V3K9M2N4P5R6S7T${at}`), plan: 'Pro' }),
  combine: 'sum',
})
const rulesOf = (amount: Amount): Rules => ({
  entitlements: times({ empty: 0, few: 3, many: 30 }[amount], rule),
  plans: amount === 'many' ? ['Enterprise', 'Pro', 'Team', 'Starter'] : [],
  freeSeats: amount === 'few' ? 3 : 'unlimited',
  grace: { past_due: 604_800, unpaid: 3601, canceled: 0, incomplete: 'always' },
})

const customerLink = (amount: Amount): Answers => {
  const { id, link } = customerOf({ empty: 3, few: 1, many: 2 }[amount])
  return says(billingOperationsContract, 'customerLink', {
    customerId: id,
    userId: link?.userId ?? null,
    organizationId: link?.organizationId ?? null,
    linkedBy: link?.linkedBy ?? null,
    linkedAt: link?.linkedAt ?? null,
  })
}

const changed = { value: true as const, quantity: 250, validUntil: null }

const triedRules = (amount: Amount): Answers => {
  const differences = times({ empty: 0, few: 1, many: 30 }[amount], (index) => ({
    customerIds: [customerOf(index).id],
    userId: null,
    organizationId: idOf('org', index),
    name: companyOf(index),
    gains: index % 2 === 0 ? ['export', 'priority-support-with-a-person-who-answers-within-the-hour'] : [],
    loses: index % 3 === 0 ? ['pro'] : [],
    changes: index % 4 === 0 ? [{ name: 'seats', before: changed, after: { ...changed, quantity: 3 } }] : [],
    plan: index % 3 === 1 ? { before: 'Pro', after: null } : null,
    seats: index % 4 === 0 ? { before: 250, after: 3 } : null,
  }))
  return says(rulesContract, 'dryRunRules', {
    ...{ customers: 5120, owners: 5100, changed: differences.length, plans: 2, seats: 1, differences },
    entitlements: [{ name: 'pro', gains: 0, loses: 104_233, changes: 1 }],
    next: null,
  })
}

const customer = `/admin/billing/customers/${customerOf(2).id}`
const delivery = `/admin/billing/deliveries/${idOf('dlv', 1)}`

const event = {
  type: 'subscription.updated',
  data: {
    id: 'sub_01HZX7Q0V3K9M2N4P5R6S7T8',
    customer: { email: emailOf(2), name: nameOf(1) },
    status: 'active',
    amount: 4900,
    seats: 250,
    metadata: { note: 'x'.repeat(300) },
  },
}

export const billingCases: readonly ScreenCase[] = [
  {
    pattern: '/admin/billing/customers',
    answers: (amount) =>
      together(
        says(billingAdminContract, 'customers', {
          customers: rowsOf(amount, (index) => payingOf(index, customerOf(index))),
          next: nextOf(amount),
          total: amount === 'many' ? { count: 104_233, isExact: false } : null,
        }),
        says(billingAdminContract, 'paymentTotals', totalsOf(amount)),
        amount === 'empty' ? noEndpoints : endpoints,
      ),
    more: { peek: { path: `/admin/billing/customers?peek=${customerOf(2).id}` } },
  },
  {
    pattern: '/admin/billing/customers/:id',
    path: customer,
    answers: (amount) => together(customersOf(amount), customerLink(amount), eventsOf(amount), userAnswers(amount)),
    more: { 'not-found': { answers: { [`GET ${customer}`]: refused(404, 'CUSTOMER_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/billing/rules',
    answers: (amount) =>
      together(settingsAnswer(amount), says(rulesContract, 'entitlementRules', rulesOf(amount)), triedRules(amount)),
    more: { tried: { steps: [press('.panel-body > .button-primary')] } },
  },
  {
    pattern: '/admin/billing/deliveries',
    answers: deliveryList,
    more: { peek: { path: `/admin/billing/deliveries?peek=${idOf('dlv', 1)}` } },
  },
  {
    pattern: '/admin/billing/deliveries/:id',
    path: delivery,
    answers: (amount) => {
      const shown = deliveryOf({ empty: 4, few: 0, many: 1 }[amount])
      return says(billingAdminContract, 'delivery', {
        ...shown,
        eventAt: amount === 'empty' ? null : shown.receivedAt,
        headers: { 'webhook-id': shown.webhookId, 'webhook-timestamp': '1763874000', 'content-type': 'application/json' },
        issues:
          amount === 'few'
            ? []
            : times(amount === 'many' ? 12 : 1, (index) => ({
                path: `data.items.${index}.product.prices.0.amount`,
                expected: 'number',
                received: 'string',
              })),
        event: amount === 'empty' ? null : event,
      })
    },
    more: { 'not-found': { answers: { [`GET ${delivery}`]: refused(404, 'DELIVERY_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/billing/drift',
    answers: (amount) =>
      together(
        deliveryList(amount),
        says(billingAdminContract, 'overdueRenewals', {
          subscriptions: rowsOf(amount, (index) => ({
            id: `sub_01HZX7Q${index}V3K9M2N4P5R6S7T8`,
            customerId: customerOf(index).id,
            customer: namedCustomer(index),
            productId: `prod_01HZX7Q${index}V3K9M2N4P5R6S7T8`,
            status: 'active',
            currentPeriodEnd: agoOf(index),
            entitlesUntil: index % 3 === 0 ? null : index % 3 === 1 ? daysAhead(2) : daysAgo(1),
          })),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
        says(driftContract, 'drift', {
          customers: times({ empty: 0, few: 1, many: 12 }[amount], (index) => ({
            customerId: customerOf(index).id,
            customer: namedCustomer(index),
            owners: index % 2 === 1 ? [{ kind: 'user', id: idOf('usr', 1), name: nameOf(1) }] : [],
            snapshot: index % 2 === 0,
            link:
              index % 2 === 1
                ? { is: null, should: { userId: idOf('usr', 1), organizationId: null, linkedBy: 'email' as const } }
                : null,
          })),
          next: null,
          checked: 5120,
        }),
        says(driftContract, 'rejections', {
          rejections: rowsOf(amount, (index) => ({
            endpoint: index % 2 === 0 ? 'polar' : 'polar-of-the-european-subsidiary',
            reason: index % 3 === 2 ? 'MESSAGE_TIMESTAMP_TOO_OLD' : 'NO_MATCHING_SIGNATURE_FOUND',
            network: index % 2 === 0 ? `203.0.${index}.0/24` : `2001:db8:85a3:${index}::/64`,
            count: 104_233 - index,
            firstSeenAt: daysAgo(9),
            lastSeenAt: agoOf(index),
          })),
        }),
      ),
    more: { compared: { steps: [press('.panel-body > .button-primary')] } },
  },
  {
    pattern: '/admin/billing/seats',
    answers: (amount) =>
      together(
        says(rulesContract, 'entitlementRules', rulesOf(amount)),
        says(seatsContract, 'seats', {
          organizations: rowsOf(amount, (index) => ({
            organizationId: idOf('org', index),
            name: companyOf(index),
            slug: slugOf(index),
            seats: index % 4 === 3 ? null : 250,
            members: index % 3 === 0 ? 104_233 : 12,
            invitations: index % 3 === 1 ? 238 : 0,
            state: (['over', 'full', 'free'] as const)[index % 3] ?? 'free',
            customerIds: [customerOf(index).id],
            customers: [namedCustomer(index)],
          })),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
      ),
    more: { peek: { path: `/admin/billing/seats?peek=${idOf('org', 2)}` } },
  },
]
