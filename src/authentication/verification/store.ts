import type { Db, Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { verifications } from './table.ts'

export const insertVerification = (tx: Tx, row: Row<typeof verifications.columns>) => verifications.insert(tx, row)

/** The valid value with this identifier. */
export const findValue = async (db: Db, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(db, { identifier })
  return row !== undefined && row.expiresAt > now ? row.value : undefined
}

/** Selects a user's rows whose identifier starts with the prefix. The comparison is exact, unlike `like` in SQLite. */
const withPrefix = ({ knex }: Db, userId: string, prefix: string) =>
  knex(verifications.name).where({ user_id: userId }).whereRaw('substr(identifier, 1, ?) = ?', [prefix.length, prefix])

/** A user's values that are valid after `at`, of rows whose identifier starts with the prefix. */
export const listValues = (db: Db, userId: string, prefix: string, at: Date): Promise<string[]> =>
  withPrefix(db, userId, prefix).where('expires_at', '>', at).orderBy('expires_at', 'desc').limit(100).pluck('value')

/** The ids and values of a user's rows whose identifier starts with the prefix. */
export const listVerificationsOf = (db: Db, userId: string, prefix: string): Promise<{ id: string; value: string }[]> =>
  withPrefix(db, userId, prefix).select('id', 'value')
export const deleteVerifications = (tx: Tx, ids: readonly string[]) => tx.knex(verifications.name).whereIn('id', ids).delete()

/** Deletes a user's rows whose identifier starts with the prefix. */
export const deleteVerificationsOf = async (tx: Tx, userId: string, prefix: string): Promise<void> => {
  await withPrefix(tx, userId, prefix).delete()
}

export const deleteVerification = (tx: Tx, identifier: string) => verifications.delete(tx, { identifier })

/** Deletes the row and returns its value. Of several simultaneous callers, only one gets it. */
export const consumeValue = async (tx: Tx, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  // The number of deleted rows decides, because other requests may have read the row meanwhile.
  return (await verifications.delete(tx, { id: row.id })) === 1 ? row.value : undefined
}

/** Expired rows, including those of other features. */
export const expiredTokens = (now: Date): Outdated => ({
  table: verifications.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

// Links with which the owner of a former address takes the account back.

const recoveryColumns = {
  /** The SHA-256 of the token. */
  id: text,
  userId: text,
  /** The former address. Its version tells several changes apart. */
  email: text,
  emailVersion: int,
  expiresAt: time,
}
const recoveries = table('address_recovery', recoveryColumns)
export type RecoveryRow = Row<typeof recoveryColumns>

export const insertRecovery = (tx: Tx, row: RecoveryRow) => recoveries.insert(tx, row)

/** The row of a token that is still valid. */
export const findRecovery = async (db: Db, id: string, now: Date): Promise<RecoveryRow | undefined> => {
  const row = await recoveries.find(db, { id })
  return row !== undefined && row.expiresAt > now ? row : undefined
}

/** The addresses with a valid link for the user. */
export const listRecoveryAddresses = (db: Db, userId: string, now: Date): Promise<string[]> =>
  db.knex(recoveries.name).distinct().where({ user_id: userId }).where('expires_at', '>', now).pluck('email')

/** Returns false if another request was first. */
export const consumeRecovery = async (tx: Tx, id: string): Promise<boolean> => (await recoveries.delete(tx, { id })) === 1

/** Deletes the links of later changes, because the person who made those changes reads the mail of the later addresses. */
export const deleteLaterRecoveries = async (tx: Tx, { userId, emailVersion }: RecoveryRow): Promise<void> => {
  await tx.knex('address_recovery').where({ user_id: userId }).where('email_version', '>', emailVersion).delete()
}

/** Deletes all links of a user. */
export const deleteRecoveriesOf = (tx: Tx, userId: string) => recoveries.delete(tx, { userId })

export const expiredRecoveries = (now: Date): Outdated => ({
  table: recoveries.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

// Requests for mails that have not been made yet.

const requestColumns = {
  id: text,
  kind: oneOf('verification', 'reset'),
  address: text,
  url: nullable(text),
  language: nullable(int),
  createdAt: time,
  /** The network from which the request came. */
  network: text,
  /** The browser from which the request came, by its signed cookie. */
  deviceId: nullable(text),
}
const requests = table('mail_request', requestColumns)
export type MailRequest = Row<typeof requestColumns>

export const insertRequest = (tx: Tx, row: MailRequest) => requests.insert(tx, row)
export const listRequests = (db: Db, limit: number) => requests.list(db, {}, { orderBy: 'createdAt', limit })
/** Deletes a request in order to answer it. Returns false if another node was first. */
export const claimRequest = async (tx: Tx, id: string) => (await requests.delete(tx, { id })) === 1
/** Deletes all requests. Returns their number. */
export const deleteAllRequests = (tx: Tx): Promise<number> => tx.knex(requests.name).delete()
/** Requests made before the given time. */
export const requestsBefore = (before: Date): Outdated => ({
  table: requests.name,
  key: ['id'],
  choose: (rows) => rows.where('created_at', '<', before),
})
