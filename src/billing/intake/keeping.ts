import type { Db, Transact, Tx } from '../../core/database.ts'
import type { Effect, Happened, Projection } from '../projection/service.ts'
import { lockCustomers } from '../projection/store/entities.ts'
import { createBatches } from './batches.ts'
import type { Judged } from './judge.ts'
import * as store from './store/deliveries.ts'

export type Outcome = 'accepted' | 'duplicate' | 'quarantined'

/** A delivery that came, and what it says. */
export interface Arrival {
  readonly row: store.DeliveryRow
  readonly judged: Judged
}

export interface Keeping {
  /** Stores and applies a delivery; once it resolves, all of it is committed. Under load one transaction keeps many. */
  keep(arrival: Arrival): Promise<Outcome>
  /** Applies events of deliveries that say they are applied already, and corrects those whose effect was another one. */
  apply(tx: Tx, happened: readonly Happened[]): Promise<readonly Effect[]>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly projection: Projection
}

const byWebhookId = (a: store.DeliveryRow, b: store.DeliveryRow) => (a.webhookId < b.webhookId ? -1 : 1)

export const createKeeping = ({ db, transact, projection }: Deps): Keeping => {
  const apply = async (tx: Tx, happened: readonly Happened[]): Promise<readonly Effect[]> => {
    const done = await projection.apply(tx, happened)
    for (const effect of ['superseded', 'ignored'] as const) {
      const ids = happened.flatMap(({ delivery }, i) => (done[i] === effect ? [delivery.id] : []))
      if (ids.length > 0) await store.updateEffects(tx, ids, effect)
    }
    return done
  }

  /** A webhook id that is there already: once accepted it stays as it is, out of quarantine it may still come. */
  const receiveAgain = async (tx: Tx, { row, judged: { parsed } }: Arrival): Promise<Outcome> => {
    const before = await store.findByWebhookId(tx, row.endpoint, row.webhookId)
    if (before === undefined) return 'duplicate'
    const { id, receivedAt, attempts, dismissedAt } = before
    if (before.verdict !== 'quarantined') {
      await store.countAttempt(tx, id)
      return 'duplicate'
    }
    const now = { ...row, id, receivedAt, dismissedAt, attempts: attempts + 1 }
    await store.updateQuarantined(tx, id, now)
    if (row.customerId !== null && (await store.isForgotten(tx, row.customerId))) {
      await store.removeContent(tx, { id })
      return 'accepted'
    }
    if (!parsed.ok) return 'quarantined'
    await apply(tx, [{ event: parsed.event, delivery: now }])
    return 'accepted'
  }

  /** Undefined: not now, since somebody else has locked its customer, or not together with others, since it came before. */
  const keepAll = async (tx: Tx, arrivals: readonly Arrival[], wait: boolean): Promise<readonly (Outcome | undefined)[]> => {
    const customerIds = new Set(arrivals.flatMap(({ row }) => row.customerId ?? []))
    // First of all: who forgets a customer holds the same lock.
    const locked = await lockCustomers(tx, [...customerIds], { wait })
    const isLocked = ({ customerId }: store.DeliveryRow) => customerId === null || locked.has(customerId)
    const rows = arrivals.map(({ row }) => row).filter(isLocked)
    const forgotten = await store.insertDeliveries(tx, rows.sort(byWebhookId))
    const outcomes: (Outcome | undefined)[] = []
    const happened: Happened[] = []
    for (const arrival of arrivals) {
      const { row, judged } = arrival
      const isForgotten = forgotten.get(row.id)
      if (isForgotten === true) await store.removeContent(tx, { id: row.id })
      else if (isForgotten === false && judged.parsed.ok) happened.push({ event: judged.parsed.event, delivery: row })
      if (isForgotten === undefined)
        outcomes.push(arrivals.length === 1 && isLocked(row) ? await receiveAgain(tx, arrival) : undefined)
      else outcomes.push(isForgotten || judged.parsed.ok ? 'accepted' : 'quarantined')
    }
    await apply(tx, happened)
    return outcomes
  }

  const batches = createBatches({ db, transact, nameOf: ({ row }: Arrival) => row.customerId, work: keepAll })
  return { keep: batches.commit, apply }
}
