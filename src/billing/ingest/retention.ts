import type { Core } from '../../core/core.ts'
import type { Db } from '../../core/db/database.ts'
import type { Retention } from '../../core/retention.ts'
import { daySeconds } from '../../core/time.ts'
import type { BillingConfig } from '../config.ts'
import type { StateService } from '../state/service.ts'
import * as store from './store/deliveries.ts'

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock'> {
  readonly config: Pick<BillingConfig, 'retentionDays'>
  readonly state: Pick<StateService, 'referencedDeliveries'>
}

const batch = 500

/** Deletes old deliveries that no stored version refers to. A quarantined delivery stays until an operator dismisses it. */
export const createDeliveryRetention = ({ db, transact, clock, config: { retentionDays }, state }: Deps): Retention => {
  const unreferencedOf = async (reader: Db, ids: readonly string[]): Promise<readonly string[]> => {
    const referenced = await state.referencedDeliveries(reader, ids)
    return ids.filter((id) => !referenced.has(id))
  }
  /** Calls `work` with each batch of old deliveries, and returns the sum of the results. */
  const inBatches = async (work: (ids: readonly string[]) => Promise<number> | number, stop?: AbortSignal): Promise<number> => {
    if (retentionDays === undefined) return 0
    const before = clock.after(-retentionDays * daySeconds)
    let total = 0
    for (let after: { receivedAt: Date; id: string } | undefined; ; ) {
      const old = await store.listOld(db, before, after, batch)
      const oldIds = old.map(({ id }) => id)
      const ids = await unreferencedOf(db, oldIds)
      if (ids.length > 0) total += await work(ids)
      if (old.length < batch || stop?.aborted === true) return total
      after = old.at(-1)
    }
  }
  return {
    name: 'billing deliveries',
    which:
      retentionDays === undefined
        ? 'none: billing.retentionDays is not set'
        : `that are older than ${retentionDays} days, and that nothing stored comes from`,
    count: () => inBatches((ids) => ids.length),
    sweep: (stop) =>
      inBatches(
        (ids) =>
          transact(async (tx) => {
            // If another transaction is applying one of the deliveries, the lock waits for it. Afterwards a stored version refers to that
            // delivery, so it is not deleted.
            await store.lockDeliveries(tx, ids)
            const outdated = await unreferencedOf(tx, ids)
            await store.deleteDeliveries(tx, outdated)
            return outdated.length
          }),
        stop,
      ),
  }
}
