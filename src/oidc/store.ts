import type { Db, Tx } from '../core/database.ts'
import { int, table } from '../core/table.ts'

const versions = table('oidc_version', { id: int, version: int })

/** Grows with every change of clients and signing keys; nodes compare it with what they have in memory. */
export const readVersion = async (db: Db): Promise<number> => (await versions.find(db, { id: 1 }))?.version ?? 0

/** Tells every node that clients or keys have changed. Part of the change's transaction. */
export const raiseVersion = async (tx: Tx): Promise<void> => {
  await tx.knex(versions.name).where({ id: 1 }).increment('version', 1)
}
