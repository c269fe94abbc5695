import { z } from 'zod'
import { sortedPage } from '../../core/page.ts'
import { contract } from '../../http/contract.ts'

/** An organization that is linked to a customer, with the seats it has and those that are taken. */
export const OrganizationSeats = z
  .object({
    organizationId: z.string(),
    name: z.string(),
    slug: z.string(),
    seats: z.int().nullable().describe('Members and open invitations it may have; null: no limit.'),
    members: z.int(),
    invitations: z.int().describe('Open ones: each keeps a seat.'),
    state: z.enum(['free', 'full', 'over']).describe('`over`: more members and invitations than seats; nobody can be added.'),
    customerIds: z.array(z.string()).describe('Its customers at the billing platform, 20 at most.'),
  })
  .meta({ id: 'OrganizationSeats' })

export const seatsContract = contract('Billing administration', {
  seats: {
    method: 'GET',
    path: '/admin/billing/seats',
    summary: 'Organizations with customers: the seats they paid for, and those that are taken',
    access: { permission: 'customers:read' },
    ...sortedPage('organizations', OrganizationSeats, {
      filter: { state: z.enum(['free', 'full', 'over']).optional() },
      sorts: ['organizationId'],
    }),
    errors: [],
  },
})
