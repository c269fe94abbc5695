import type { SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Retention } from '../core/retention.ts'
import { retentionEvents } from './events.ts'

/** How many rows of one retention have expired. */
export interface Outlived extends Pick<Retention, 'name' | 'which'> {
  readonly count: number
}

/** Immediately deletes what the periodic jobs of all features would delete later. */
export interface Pruning {
  /** Counts the rows that could be deleted now, for each retention. */
  count(): Promise<readonly Outlived[]>
  /** Deletes expired rows, and returns how many were deleted for each retention. `found` are the counts that `count` returned. */
  prune(principal: SystemPrincipal, found: readonly Outlived[]): Promise<readonly Outlived[]>
}

interface Deps extends Pick<Core, 'transact' | 'events'> {
  readonly retentions: () => readonly Retention[]
}

export const createPruning = ({ transact, events, retentions }: Deps): Pruning => {
  const all = async (work: (retention: Retention) => Promise<number>): Promise<readonly Outlived[]> => {
    const outlived: Outlived[] = []
    for (const retention of retentions()) {
      const { name, which } = retention
      outlived.push({ name, which, count: await work(retention) })
    }
    return outlived
  }
  return {
    count: () => all((retention) => retention.count()),
    prune: async (principal, found) => {
      // The audit event is recorded before the deletion, so that it exists even if the deletion is interrupted.
      const counts = Object.fromEntries(found.flatMap(({ name, count }) => (count > 0 ? [[name, count]] : [])))
      await transact((tx) =>
        events.record(tx, principal, retentionEvents['instance.pruned'], { subject: 'instance', data: { found: counts } }),
      )
      return all((retention) => retention.sweep())
    },
  }
}
