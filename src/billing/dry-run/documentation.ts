const rule = { name: 'pro', product: ['prod_pro'], combine: 'sum', plan: 'Pro' }
const given = { value: 50, quantity: null, validUntil: '2026-12-23T09:00:00.000Z' }

/** What the API document says besides the contract. */
export const rulesDocumentation = {
  entitlementRules: {
    description: 'The keys `entitlements`, `plans`, `freeSeats` and `grace` of `billing`. They are changed in the configuration.',
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
      '`billing` is the section as the configuration would have it: a key that is left out has its default, as in the file, so without `entitlements` there are no rules. ' +
      '`secrets` is not taken. What the configuration would refuse is refused here, and more than 2,000 ids in all rules together. Each user and each organization is compared by itself, with all its customers; customers that are nobody’s by themselves. ' +
      'One call looks at `limit` customers: ask again with `after` until `next` is null, and add the counts up.',
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
