import type { Clock } from '../core/clock.ts'
import type { Transact } from '../core/database.ts'
import type { Feature } from '../feature.ts'
import { createLimits, type Limits } from './service.ts'

export type { Limits }

export const limitsFeature = (deps: { transact: Transact; clock: Clock }): Feature & { api: Limits } => {
  const api = createLimits(deps)
  return { api, jobs: [{ name: 'limits.sweep', everyMs: 60_000, run: api.sweep }] }
}
