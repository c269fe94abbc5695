import { z } from 'zod'
import { page } from '../../core/page.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const Owner = z.object({
  userId: z.string().nullable(),
  organizationId: z.string().nullable(),
  linkedBy: z.enum(['external_id', 'email', 'operator']),
})

/** A customer of which something that is derived differs from what was received. */
export const DriftedCustomer = z
  .object({
    customerId: z.string(),
    snapshot: z.boolean().describe('What it bought, as tokens read it, differs from the versions that were received.'),
    link: z
      .object({ is: Owner.nullable(), should: Owner.nullable() })
      .nullable()
      .describe('Another owner than external id and verified address say; null: the same.'),
  })
  .meta({ id: 'DriftedCustomer' })

/** Deliveries without a valid signature, counted by endpoint, reason and network. */
export const Rejection = z
  .object({
    endpoint: z.string(),
    reason: z.string().describe('Code of the error that they were answered with.'),
    network: z.string().describe('Empty: further networks, counted together.'),
    count: z.int(),
    firstSeenAt: instant,
    lastSeenAt: instant,
  })
  .meta({ id: 'WebhookRejection' })

const drift = page('customers', DriftedCustomer, { filter: {}, after: plainText(255, 1) })

export const driftContract = contract('Billing administration', {
  drift: {
    method: 'GET',
    path: '/admin/billing/drift',
    summary: 'Customers of which something derived differs from what was received',
    access: { permission: 'customers:read' },
    query: drift.query,
    response: drift.response.extend({ checked: z.int().describe('Customers that this page looked at.') }),
    errors: [],
  },
  rejections: {
    method: 'GET',
    path: '/admin/billing/rejections',
    summary: 'Deliveries without a valid signature: how many, why and from which network, the last 100',
    access: { permission: 'deliveries:read' },
    response: z.object({ rejections: z.array(Rejection) }),
    errors: [],
  },
})
