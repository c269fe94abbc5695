import { type Db, lockName, type Tx } from '../core/database.ts'
import { table, text, time } from '../core/table.ts'

const verifications = table('verification', {
  id: text,
  identifier: text,
  value: text,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
})

const prefix = 'setup:'

/** Makes set-ups wait for one another until the transaction ends. */
export const lockSetup = (tx: Tx) => lockName(tx, 'setup')

export const insertLink = (tx: Tx, id: string, tokenHash: string, expiresAt: Date, now: Date) =>
  verifications.insert(tx, { id, identifier: prefix + tokenHash, value: '', expiresAt, createdAt: now, updatedAt: now })

export const isLinkValid = async (db: Db, tokenHash: string, now: Date): Promise<boolean> => {
  const link = await verifications.find(db, { identifier: prefix + tokenHash })
  return link !== undefined && link.expiresAt > now
}

/** Uses a link up. False when it is unknown, over or used. */
export const consumeLink = async (tx: Tx, tokenHash: string, now: Date): Promise<boolean> =>
  (await tx
    .knex(verifications.name)
    .where({ identifier: prefix + tokenHash })
    .where('expires_at', '>', now)
    .delete()) === 1
