import type { Db, Tx } from '../core/db/database.ts'
import { int, table } from '../core/db/table.ts'
import type { Watch } from '../core/jobs.ts'
import type { Signals } from '../core/signals.ts'

const versions = table('oidc_version', { id: int, version: int })

/**
 * Reads the version number, which increases with each change of a client or signing key. Nodes compare it with the number that they have
 * in memory.
 */
export const readVersion = async (db: Db): Promise<number> => (await versions.find(db, { id: 1 }))?.version ?? 0

/** The query by which each node notices a new version. */
export const versionWatch: Watch = { sql: `select version from ${versions.name} where id = 1` }

export const refreshJob = 'oidc.refresh'

/** Tells every node that clients or keys have changed. Called in the transaction of the change. */
export const raiseVersion = async (tx: Tx, signals: Signals): Promise<void> => {
  await tx.knex(versions.name).where({ id: 1 }).increment('version', 1)
  await signals.wake(tx, refreshJob)
}
