import type { SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Retention } from '../core/retention.ts'
import { retentionEvents } from './events.ts'

/** The expired rows of one retention. */
export interface Outlived extends Pick<Retention, 'name' | 'which'> {
  readonly count: number
}

/** Does at once what the periodic sweeps of all features do. */
export interface Pruning {
  /** The number of rows to delete now, for every retention. */
  count(): Promise<readonly Outlived[]>
  /** Deletes expired rows; returns the number of each retention. `found` are the earlier counts. */
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
      // Recorded first, so that the event exists even for an interrupted run.
      const counts = Object.fromEntries(found.flatMap(({ name, count }) => (count > 0 ? [[name, count]] : [])))
      await transact((tx) =>
        events.record(tx, principal, retentionEvents['instance.pruned'], { subject: 'instance', data: { found: counts } }),
      )
      return all((retention) => retention.sweep())
    },
  }
}
