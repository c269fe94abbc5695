import { z } from 'zod'
import { page } from '../../core/page.ts'
import { instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const Owner = z.object({
  userId: z.string().nullable(),
  organizationId: z.string().nullable(),
  linkedBy: z.enum(['external_id', 'email', 'operator']),
})

/** A customer whose stored state differs from the state that the received events give. */
export const DriftedCustomer = z
  .object({
    customerId: z.string(),
    customer: Named,
    /** If the link is wrong: the present owner and the right owner, in this order, as far as they exist. */
    owners: z.array(Named),
    snapshot: z.boolean().describe('True if the stored purchases, which tokens read, differ from the received events.'),
    link: z
      .object({ is: Owner.nullable(), should: Owner.nullable() })
      .nullable()
      .describe('Set if the owner is not the one that external id and verified address name. Null if the owner is right.'),
  })
  .meta({ id: 'DriftedCustomer' })

/** The number of deliveries without a valid signature, for one endpoint, reason and network. */
export const Rejection = z
  .object({
    endpoint: z.string(),
    reason: z.string().describe('Code of the error in the answer.'),
    network: z.string().describe('Empty for further networks, which are counted together.'),
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
    summary: 'List the customers whose derived values differ from the received events',
    access: { permission: 'customers:read' },
    query: drift.query,
    response: drift.response.extend({ checked: z.int().describe('Number of customers that this page has examined.') }),
    errors: [],
  },
  rejections: {
    method: 'GET',
    path: '/admin/billing/rejections',
    summary: 'Count the deliveries without a valid signature by reason and network; the last 100 counts',
    access: { permission: 'deliveries:read' },
    response: z.object({ rejections: z.array(Rejection) }),
    errors: [],
  },
})

const owner = { userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', organizationId: null, linkedBy: 'external_id' }

/** Descriptions and examples of these calls for the API document. */
export const driftDocumentation = {
  drift: {
    description:
      'Examines `limit` customers at a time. It compares the purchases that tokens read with what follows from the stored events, and ' +
      'the owner with external id and verified address. The billing platform is not called, so data that it never sent is not found. ' +
      '`gatehouse rebuild-billing` corrects the listed differences.',
    example: {
      response: {
        ...{
          customers: [
            {
              ...{ customerId: 'cus_8f2k', customer: { kind: 'customer', id: 'cus_8f2k', name: 'Ada Lovelace' } },
              owners: [{ kind: 'user', id: owner.userId, name: 'Ada Lovelace' }],
              ...{ snapshot: false, link: { is: null, should: owner } },
            },
          ],
          checked: 50,
          next: null,
        },
      },
    },
  },
  rejections: {
    description: 'Counts the deliveries of `gatehouse list-deliveries --refused`. Their content is not stored.',
    example: {
      response: {
        rejections: [
          {
            ...{ endpoint: 'polar', reason: 'NO_MATCHING_SIGNATURE_FOUND', network: '203.0.113.0/24', count: 12 },
            ...{ firstSeenAt: '2026-11-23T08:00:00.000Z', lastSeenAt: '2026-11-23T09:00:00.000Z' },
          },
        ],
      },
    },
  },
}
