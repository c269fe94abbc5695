import { z } from 'zod'
import { instant, organizationName, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** A purchase, and the delivery that contained it. */
const Purchase = z.object({
  kind: z.enum(['subscription', 'order', 'grant', 'meter']),
  id: z.string(),
  holder: z.enum(['user', 'organization']),
  validUntil: instant.nullable(),
  customerId: z.string(),
  linkedBy: z.string().nullable(),
  /** The delivery that contained the purchase. Null after the delivery was deleted (`billing.retentionDays`). */
  delivery: z
    .object({
      ...{ id: z.string(), endpoint: z.string(), webhookId: z.string(), eventType: z.string().nullable() },
      receivedAt: instant,
    })
    .nullable(),
})

const entitlements = z.array(
  z.object({
    name: z.string(),
    value: z.union([z.string(), z.number(), z.literal(true)]),
    quantity: z.number().nullable(),
    /** If the quantity is computed from balances, the time of the oldest of them. */
    asOf: instant.nullable(),
    /** When the entitlement ends if no further event arrives. Null if it then never ends. */
    validUntil: instant.nullable(),
    /**
     * The purchases that grant the entitlement. `rule` is the configuration key of the rule that matches the purchase, such as
     * `billing.entitlements.0`.
     */
    sources: z.array(Purchase.extend({ rule: z.string(), warning: z.string().nullable() })),
  }),
)
/** Purchases that grant no entitlement, with the reason for each. */
const unused = z.array(Purchase.extend({ because: z.enum(['no rule', 'ended', 'refunded', 'no balance']) }))

const explained = {
  ...{ entitlements, unused, plan: z.string().nullable(), subscriptionStatus: z.string().nullable() },
  /** How many members and open invitations an organization can have at most. Null if there is no limit, or if no organization is concerned. */
  seats: z.number().nullable(),
} as const

const ClaimExplanation = z
  .object({
    user: z.object({ id: z.string(), email: z.string(), emailVerified: z.boolean() }),
    organization: z
      .object({ id: z.string(), slug: z.string(), isMember: z.boolean(), roles: z.array(z.string()) })
      .nullable()
      .describe('The organization that the user acts for.'),
    /** The application that the claims are for. Null stands for an application that may request every scope. */
    client: z.object({ clientId: z.string(), name: z.string() }).nullable(),
    scopes: z.array(z.string()),
    claims: z.record(z.string(), z.unknown()),
    claimOrigins: z.record(
      z.string(),
      z.object({
        ...{ feature: z.string(), scope: z.string() },
        origins: z.array(z.object({ rule: z.string(), row: z.string() })),
      }),
    ),
    ...explained,
    /** The entitlements that the user will get after verifying their email address. */
    held: z.object({ plan: z.string().nullable(), entitlements, unused }),
  })
  .meta({ id: 'ClaimExplanation' })
export type ClaimExplanation = z.output<typeof ClaimExplanation>

const EntitlementExplanation = z
  .object({ organization: z.object({ id: z.string(), slug: z.string() }), ...explained })
  .meta({ id: 'EntitlementExplanation' })
export type EntitlementExplanation = z.output<typeof EntitlementExplanation>

export const claimExplanationContract = contract('Administration', {
  explainClaims: {
    method: 'GET',
    path: '/admin/claims',
    summary: 'Explain the claims that an application gets about a user: the rule, purchase and delivery behind each',
    access: { permission: 'customers:read' },
    query: z.object({
      /** Id, email address or user name of the user. */
      user: plainText(320, 1),
      /** Id or slug of the organization that the user acts for. If absent, the user acts for no organization. */
      organization: organizationName.optional(),
      /** Client id of the application. If absent, the answer is for an application that may request every scope. */
      client: plainText(255, 1).optional(),
    }),
    response: ClaimExplanation,
    errors: ['401 USER_NOT_FOUND', 'ORGANIZATION_NOT_FOUND', 'CLIENT_NOT_FOUND'],
  },
  explainEntitlements: {
    method: 'GET',
    path: '/admin/entitlements',
    summary: 'Explain the entitlements of an organization: the rule, purchase and delivery behind each',
    access: { permission: 'customers:read' },
    query: z.object({ organization: organizationName }),
    response: EntitlementExplanation,
    errors: ['ORGANIZATION_NOT_FOUND'],
  },
})

const source = {
  ...{ kind: 'subscription', id: 'sub_4f1a', holder: 'organization', validUntil: '2027-01-08T00:00:00.000Z' },
  ...{ customerId: 'cus_8f2k', linkedBy: 'external_id' },
  delivery: {
    ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', endpoint: 'polar', webhookId: 'msg_2p9x', eventType: 'subscription.active' },
    receivedAt: '2026-12-01T09:00:00.000Z',
  },
  ...{ rule: 'billing.entitlements.0', warning: null },
}
const state = {
  entitlements: [
    {
      ...{ name: 'seats', value: true, quantity: 5, asOf: null, validUntil: '2027-01-08T00:00:00.000Z' },
      sources: [source],
    },
  ],
  ...{ plan: 'Team', subscriptionStatus: 'active', seats: 5, unused: [] },
}
const organization = { id: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', slug: 'acme' }

/** Descriptions and examples for the API document. */
export const claimExplanationDocumentation = {
  explainClaims: {
    description:
      'Does the same as `gatehouse explain --user`, without a sign-in and without writing anything. Also needs `users:read`, with ' +
      '`organization` also `all-organizations:read`, and with `client` also `clients:read`.',
    example: {
      response: {
        user: { id: 'Yp3nqTz0', email: 'ann@example.com', emailVerified: true },
        organization: { ...organization, isMember: true, roles: ['owner'] },
        ...{ client: { clientId: 'shop', name: 'Shop' }, scopes: ['openid', 'billing'] },
        claims: { sub: 'Yp3nqTz0', entitlements: ['seats'], plan: 'Team' },
        claimOrigins: {
          plan: {
            ...{ feature: 'billing', scope: 'billing' },
            origins: [{ rule: source.rule, row: 'subscription sub_4f1a' }],
          },
        },
        ...state,
        held: { plan: null, entitlements: [], unused: [] },
      },
    },
  },
  explainEntitlements: {
    description: 'Does the same as `gatehouse explain --org`. Also needs `all-organizations:read`.',
    example: { response: { organization, ...state } },
  },
}
