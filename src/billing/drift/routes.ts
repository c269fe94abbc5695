import type { Names } from '../../access/names.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { Rejections } from '../ingest/rejections.ts'
import { driftContract, driftDocumentation } from './contract.ts'
import type { Drift } from './service.ts'

const mostRejections = 100

type Drifted = Awaited<ReturnType<Drift['check']>>['customers'][number]

const drifted = ({ customerId: id, link }: Drifted) => ({
  customer: { kind: 'customer', id },
  owners: [link?.is, link?.should].flatMap((owner) => {
    const { userId = null, organizationId = null } = owner ?? {}
    if (userId !== null) return [{ kind: 'user', id: userId }]
    return organizationId === null ? [] : [{ kind: 'organization', id: organizationId }]
  }),
})

/** The calls that list customers whose stored state is wrong, and deliveries that were refused before they were stored. */
export const driftRoutes = (drift: Drift, rejections: Pick<Rejections, 'list'>, names: Names) =>
  bind(documented(driftContract, driftDocumentation), {
    drift: async (principal, { query }) => {
      const { customers, ...rest } = await drift.check(query)
      return { ...rest, customers: await names.add(principal, customers, drifted) }
    },
    rejections: async () => ({
      rejections: (await rejections.list(mostRejections)).map(({ address, ...row }) => ({ ...row, network: address })),
    }),
  })
