import type { SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Retention } from '../core/retention.ts'
import { retentionEvents } from './events.ts'

/** What has outlived one retention. */
export interface Outlived extends Pick<Retention, 'name' | 'which'> {
  readonly count: number
}

/** Does at once what the sweeps of all features do by and by. */
export interface Pruning {
  /** What would be deleted now, of every retention. */
  count(): Promise<readonly Outlived[]>
  /** Deletes what has outlived its retention by now; answers how many of each. `found` is what was counted before. */
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
      // Recorded first: what a run deletes that is then interrupted was asked for too.
      const counts = Object.fromEntries(found.flatMap(({ name, count }) => (count > 0 ? [[name, count]] : [])))
      await transact((tx) =>
        events.record(tx, principal, retentionEvents['instance.pruned'], { subject: 'instance', data: { found: counts } }),
      )
      return all((retention) => retention.sweep())
    },
  }
}
