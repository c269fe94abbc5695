import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const ids = z.array(z.string())
const value = z.union([z.string(), z.number(), z.literal(true)])
const grace = z.union([z.literal('always'), z.number()])

const RuleBase = z.object({
  name: z.string(),
  product: ids.optional(),
  price: ids.optional(),
  benefit: ids.optional(),
  meter: ids.optional(),
  value: value.optional(),
  quantity: z.union([z.enum(['seats', 'balance']), z.number()]).optional(),
  combine: z.enum(['sum', 'max']),
  plan: z.string().optional(),
})

/** A rule says which entitlement a product, price, benefit or meter gives. */
export const EntitlementRule = RuleBase.meta({ id: 'EntitlementRule' })

const freeSeats = z.union([z.number(), z.literal('unlimited')])

/** The keys of `billing` that define entitlements. */
export const EntitlementRules = z
  .object({
    entitlements: z.array(EntitlementRule),
    plans: z.array(z.string()),
    freeSeats: freeSeats.optional(),
    grace: z.record(z.string(), grace),
  })
  .meta({ id: 'EntitlementRules' })

const idsInput = z.union([z.string(), ids])

/** Largest number of ids in all rules together. The limit exists because each id is compared with the purchases of every owner. */
const mostIds = 2000

/** The keys of `billing` as the configuration file writes them. This schema accepts any value: the code that reads configurations checks them. */
const BillingInput = z.looseObject({
  entitlements: z
    .array(
      z.looseObject({
        name: z.string(),
        product: idsInput.optional(),
        price: idsInput.optional(),
        benefit: idsInput.optional(),
        meter: idsInput.optional(),
        value: value.optional(),
        quantity: z.union([z.string(), z.number()]).optional(),
        combine: z.string().optional(),
        plan: z.string().optional(),
      }),
    )
    .max(1000)
    .superRefine((rules, context) => {
      const given = rules.flatMap(({ product, price, benefit, meter }) => [product, price, benefit, meter])
      const count = given.reduce((sum, one) => sum + (typeof one === 'string' ? 1 : (one?.length ?? 0)), 0)
      if (count > mostIds) context.addIssue({ code: 'custom', message: `more than ${mostIds} ids in all rules together` })
    })
    .optional(),
  plans: z.array(z.string()).max(1000).optional(),
  freeSeats: freeSeats.optional(),
  grace: z.record(z.string(), grace).optional(),
})

const Given = z.object({ value, quantity: z.number().nullable(), validUntil: instant.nullable() })

/** What other rules would change for one owner (a user or an organization), or for one customer without an owner. */
export const RulesDifference = z
  .object({
    customerIds: z.array(z.string()).describe('Ids of the customers at the billing platform, at most 20.'),
    userId: z.string().nullable(),
    organizationId: z.string().nullable(),
    name: z.string().nullable().describe('Name of the user or organization.'),
    gains: z.array(z.string()),
    loses: z.array(z.string()),
    changes: z.array(z.object({ name: z.string(), before: Given, after: Given })),
    plan: z.object({ before: z.string().nullable(), after: z.string().nullable() }).nullable(),
    seats: z
      .object({ before: z.number().nullable(), after: z.number().nullable() })
      .nullable()
      .describe('Only for an organization. Null inside of it means no limit.'),
  })
  .meta({ id: 'RulesDifference' })

export const rulesContract = contract('Billing administration', {
  entitlementRules: {
    method: 'GET',
    path: '/admin/billing/rules',
    summary: 'Get the rules of entitlements in effect',
    access: { permission: 'customers:read' },
    response: EntitlementRules,
    errors: [],
  },
  dryRunRules: {
    method: 'POST',
    path: '/admin/billing/rules/dry-run',
    summary: 'Find the customers who would gain or lose entitlements under other rules; changes nothing',
    access: { permission: 'customers:read' },
    body: z.strictObject({
      billing: BillingInput.describe('The section `billing` of the configuration. Keys that are left out have their defaults.'),
      /** The value of `next` in the answer with the previous page. */
      after: plainText(255, 1).optional(),
      /** Number of customers that the call examines. */
      limit: z.int().min(1).max(500).default(200),
      /** Largest number of owners that the answer names. The counts in the answer include all owners. */
      rows: z.int().min(0).max(100).default(50),
    }),
    response: z.object({
      customers: z.int().describe('Number of customers that were examined.'),
      owners: z
        .int()
        .describe('Number of owners that were compared. An owner with several customers counts on the page of the first one.'),
      changed: z.int(),
      plans: z.int().describe('Number of owners who would get another plan.'),
      seats: z.int().describe('Number of organizations that would get another number of seats.'),
      entitlements: z.array(z.object({ name: z.string(), gains: z.int(), loses: z.int(), changes: z.int() })),
      differences: z.array(RulesDifference),
      next: z.string().nullable(),
    }),
    errors: [],
  },
})

const rule = { name: 'pro', product: ['prod_pro'], combine: 'sum', plan: 'Pro' }
const given = { value: 50, quantity: null, validUntil: '2026-12-23T09:00:00.000Z' }

/** Descriptions and examples of these calls for the API document. */
export const rulesDocumentation = {
  entitlementRules: {
    description:
      'Returns the keys `entitlements`, `plans`, `freeSeats` and `grace` of `billing`. To change them, change the configuration.',
    example: {
      response: {
        entitlements: [rule],
        plans: ['Pro'],
        freeSeats: 3,
        grace: { active: 604_800, past_due: 604_800, canceled: 0 },
      },
    },
  },
  dryRunRules: {
    description:
      '`billing` is the section as it would be in the configuration. A key that is left out has its default, so without ' +
      '`entitlements` there are no rules. `secrets` is not accepted. The call refuses what the configuration would refuse, and more ' +
      'than 2,000 ids in all rules together. Each user and each organization is compared with all of their customers; a customer ' +
      'without an owner is compared alone. A call examines `limit` customers. Repeat it with `after` until `next` is null, and add up ' +
      'the counts.',
    example: {
      body: { billing: { entitlements: [{ name: 'storage_gb', product: 'prod_pro', value: 100 }] }, limit: 200, rows: 20 },
      response: {
        ...{ customers: 200, owners: 190, changed: 1, plans: 1, seats: 0, next: null },
        entitlements: [
          { name: 'pro', gains: 0, loses: 1, changes: 0 },
          { name: 'storage_gb', gains: 0, loses: 0, changes: 1 },
        ],
        differences: [
          {
            ...{
              customerIds: ['cus_8f2k'],
              userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04',
              organizationId: null,
              name: 'Ann Buyer',
            },
            ...{ gains: [], loses: ['pro'], plan: { before: 'Pro', after: null }, seats: null },
            changes: [{ name: 'storage_gb', before: given, after: { ...given, value: 100 } }],
          },
        ],
      },
    },
  },
}
