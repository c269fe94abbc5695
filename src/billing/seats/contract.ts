import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { Named } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** An organization that is linked to a customer, with the number of its seats and the number of seats that are taken. */
export const OrganizationSeats = z
  .object({
    organizationId: z.string(),
    name: z.string(),
    slug: z.string(),
    seats: z.int().nullable().describe('Largest number of members and open invitations. Null means no limit.'),
    members: z.int(),
    invitations: z.int().describe('Number of open invitations. Each takes a seat.'),
    state: z
      .enum(['free', 'full', 'over'])
      .describe('`over`: the organization has more members and invitations than seats, so no member can be added.'),
    customerIds: z.array(z.string()).describe('Ids of its customers at the billing platform, at most 20.'),
    customers: z.array(Named).describe('Its customers with their names, at most 20.'),
  })
  .meta({ id: 'OrganizationSeats' })

export const seatsContract = contract('Billing administration', {
  seats: {
    method: 'GET',
    path: '/admin/billing/seats',
    summary: 'List the organizations that have customers, with their bought and taken seats',
    access: { permission: 'customers:read' },
    ...counted(
      sortedPage('organizations', OrganizationSeats, {
        filter: { state: z.enum(['free', 'full', 'over']).optional() },
        sorts: ['organizationId'],
      }),
    ),
    errors: [],
  },
})

/** Descriptions and examples of these calls for the API document. */
export const seatsDocumentation = {
  seats: {
    description:
      'An organization without a customer has the free seats of `billing.freeSeats` and is not listed. With `state`, a page may have ' +
      'fewer rows than `limit`, or none, and still have a `next`. `total` is then null, because the state is computed.',
    example: {
      response: {
        organizations: [
          {
            ...{ organizationId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', name: 'Acme', slug: 'acme' },
            ...{ seats: 8, members: 7, invitations: 1, state: 'full', customerIds: ['cus_8f2k'] },
            customers: [{ kind: 'customer', id: 'cus_8f2k', name: 'Ada Lovelace' }],
          },
        ],
        next: null,
        total: null,
      },
    },
  },
}
