import { bind, documented } from '../../http/handlers.ts'
import type { Rejections } from '../ingest/rejections.ts'
import { driftContract, driftDocumentation } from './contract.ts'
import type { Drift } from './service.ts'

const mostRejections = 100

/** What differs, and what was refused before it was stored. */
export const driftRoutes = (drift: Drift, rejections: Pick<Rejections, 'list'>) =>
  bind(documented(driftContract, driftDocumentation), {
    drift: (_principal, { query }) => drift.check(query),
    rejections: async () => ({
      rejections: (await rejections.list(mostRejections)).map(({ address, ...row }) => ({ ...row, network: address })),
    }),
  })
