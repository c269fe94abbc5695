import type { SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import { isSealed, sealedLength, secretIdOf, WrongSecretError } from '../core/crypto.ts'
import type { SealedColumn } from '../core/db/table.ts'
import { secretErrors, secretEvents } from './contract.ts'
import { nameOf, type SealedCount } from './rules.ts'
import * as store from './store.ts'

export interface MasterSecrets {
  /** Counts all sealed values, by column and master secret. It reads whole columns. */
  count(): Promise<readonly SealedCount[]>
  /**
   * Counts the values that are not sealed with the newest master secret. If no node has used another master secret since `reencrypt` last
   * completed, no column is read.
   */
  countOutdated(): Promise<readonly SealedCount[]>
  /**
   * Seals all values with the newest master secret that are sealed with another one. It works in batches, each in a transaction. If
   * somebody changes a value at the same time, the change is kept. The work can be interrupted and started again at any time. Returns how
   * many values were sealed and how many remain. Throws NO_NODE_HAS_STARTED_WITH_THE_NEWEST_SECRET, because nodes that are running could
   * not open the new values.
   */
  reencrypt(principal: SystemPrincipal): Promise<{ readonly resealed: number; readonly left: readonly SealedCount[] }>
  /**
   * Called when a node starts. Records the master secret with which the node signs. Throws `WrongSecretError` if a master secret that has
   * sealed values is not configured.
   */
  start(): Promise<void>
  /** Records that this node still signs with its newest master secret, and reads what other nodes have recorded. */
  refresh(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'secrets' | 'events'> {
  readonly columns: readonly SealedColumn[]
}

const batch = 200

export const createMasterSecrets = ({ db, transact, clock, secrets, events, columns }: Deps): MasterSecrets => {
  const [newest = ''] = secrets.ids
  const stateOf = (id: string) => (id === newest ? 'newest' : secrets.ids.includes(id) ? 'older' : 'unknown')

  const count = async (): Promise<readonly SealedCount[]> => {
    const counts: SealedCount[] = []
    for (const column of columns)
      for (const { id, count } of await store.countBySecret(db, column, sealedLength))
        counts.push({ column: `${column.table}.${column.column}`, secret: id, state: stateOf(id), count })
    return counts
  }

  const countOutdated = async () => {
    const used = (await store.listSecrets(db)).filter(({ removedAt }) => removedAt === null)
    return used.length === 1 && used[0]?.id === newest ? [] : (await count()).filter(({ state }) => state !== 'newest')
  }

  /** Seals values again, before the transaction, which then contains only SQL. Each new value is returned with the former one. */
  const reseal = (column: SealedColumn, rows: readonly { readonly id: string; readonly key: string; readonly value: string }[]) =>
    rows.flatMap(({ id, key, value }) => {
      if (!isSealed(value) || stateOf(secretIdOf(value)) === 'unknown') return []
      const context = column.contextOf(key)
      return [{ id, from: value, to: secrets.seal(secrets.open(value, context), context) }]
    })

  const reencryptColumn = async (column: SealedColumn): Promise<number> => {
    let resealed = 0
    for (let after: string | undefined; ; ) {
      const rows = await store.listOutdated(db, column, { shortest: sealedLength, newest, after, limit: batch })
      const changes = reseal(column, rows)
      await transact(async (tx) => {
        for (const { id, from, to } of changes) if (await store.replaceSealed(tx, column, id, from, to)) resealed += 1
      })
      if (rows.length < batch) return resealed
      after = rows.at(-1)?.id
    }
  }

  const refresh = async () => {
    const now = clock.now()
    const rows = await transact(async (tx) => {
      await store.insertUnknown(tx, secrets.ids, now)
      await store.noteSigning(tx, newest, now)
      return store.listSecrets(tx)
    })
    secrets.noteLastSigned(new Map(rows.map(({ id, lastSignedAt }) => [id, lastSignedAt])))
  }

  return {
    count,
    countOutdated,
    reencrypt: async (principal) => {
      if (!(await store.listSecrets(db)).some(({ id }) => id === newest))
        throw secretErrors.error('NO_NODE_HAS_STARTED_WITH_THE_NEWEST_SECRET', {
          message:
            'No node has started with the newest secret, so none could open what is sealed with it. Restart every node first.',
        })
      let resealed = 0
      for (const column of columns) resealed += await reencryptColumn(column)
      const left = (await count()).filter(({ state }) => state !== 'newest')
      const data = { resealed, left: left.reduce((sum, { count }) => sum + count, 0) }
      await transact((tx) => events.record(tx, principal, secretEvents['instance.reencrypted'], { subject: newest, data }))
      return { resealed, left }
    },
    start: async () => {
      const known = await store.listSecrets(db)
      const gone = known.filter(({ id, removedAt }) => removedAt === null && !secrets.ids.includes(id)).map(({ id }) => id)
      // Columns have to be read only after a master secret was removed from the configuration, and once after an upgrade.
      if (gone.length > 0 || known.length === 0) {
        const lost = (await count()).filter(({ state }) => state === 'unknown')
        if (lost.length > 0) throw new WrongSecretError(lost.map(nameOf).join(', '))
        await transact((tx) => store.noteRemoved(tx, gone, clock.now()))
      }
      await refresh()
    },
    refresh,
  }
}
