import type { Db, Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { verifications } from './table.ts'

export const insertVerification = (tx: Tx, row: Row<typeof verifications.columns>) => verifications.insert(tx, row)

/** Reads the value with this identifier, if it is valid. */
export const findValue = async (db: Db, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(db, { identifier })
  return row !== undefined && row.expiresAt > now ? row.value : undefined
}

/** Selects the rows of a user whose identifier starts with the prefix. Unlike `like` in SQLite, this comparison is case-sensitive. */
const withPrefix = ({ knex }: Db, userId: string, prefix: string) =>
  knex(verifications.name).where({ user_id: userId }).whereRaw('substr(identifier, 1, ?) = ?', [prefix.length, prefix])

/** The values of a user that are valid after `at` and whose identifier starts with the prefix. */
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

/** Deletes the row and returns its value. If several requests do so at the same time, only one gets the value. */
export const consumeValue = async (tx: Tx, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  // Other requests may have read the row too. Only the request that deletes it gets the value.
  return (await verifications.delete(tx, { id: row.id })) === 1 ? row.value : undefined
}

/** Selects expired rows, including those of other features. */
export const expiredTokens = (now: Date): Outdated => ({
  table: verifications.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

// Recovery links. With such a link, the owner of a former mail address takes the account back.

const recoveryColumns = {
  /** The SHA-256 of the token. */
  id: text,
  userId: text,
  /** The former mail address. `emailVersion` distinguishes several changes of one account. */
  email: text,
  emailVersion: int,
  expiresAt: time,
}
const recoveries = table('address_recovery', recoveryColumns)
export type RecoveryRow = Row<typeof recoveryColumns>

export const insertRecovery = (tx: Tx, row: RecoveryRow) => recoveries.insert(tx, row)

/** Reads the row of a recovery link that is valid. */
export const findRecovery = async (db: Db, id: string, now: Date): Promise<RecoveryRow | undefined> => {
  const row = await recoveries.find(db, { id })
  return row !== undefined && row.expiresAt > now ? row : undefined
}

/** The former mail addresses for which the user has a valid recovery link. */
export const listRecoveryAddresses = (db: Db, userId: string, now: Date): Promise<string[]> =>
  db.knex(recoveries.name).distinct().where({ user_id: userId }).where('expires_at', '>', now).pluck('email')

/** Deletes a recovery link after its use. Returns false if another request has used it before. */
export const consumeRecovery = async (tx: Tx, id: string): Promise<boolean> => (await recoveries.delete(tx, { id })) === 1

/** Deletes the recovery links of later changes of the mail address. They were mailed to addresses of the person who made the changes. */
export const deleteLaterRecoveries = async (tx: Tx, { userId, emailVersion }: RecoveryRow): Promise<void> => {
  await tx.knex('address_recovery').where({ user_id: userId }).where('email_version', '>', emailVersion).delete()
}

/** Deletes all recovery links of a user. */
export const deleteRecoveriesOf = (tx: Tx, userId: string) => recoveries.delete(tx, { userId })

export const expiredRecoveries = (now: Date): Outdated => ({
  table: recoveries.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

// Requests for mails that were not answered yet.

const requestColumns = {
  id: text,
  kind: oneOf('verification', 'reset'),
  address: text,
  url: nullable(text),
  language: nullable(int),
  createdAt: time,
  /** The network of the browser that requested the mail. */
  network: text,
  /** The browser that requested the mail, identified by its signed cookie. */
  deviceId: nullable(text),
}
const requests = table('mail_request', requestColumns)
export type MailRequest = Row<typeof requestColumns>

export const insertRequest = (tx: Tx, row: MailRequest) => requests.insert(tx, row)
export const listRequests = (db: Db, limit: number) => requests.list(db, {}, { orderBy: 'createdAt', limit })
/** Deletes a request in order to answer it. Returns false if another node has deleted it before. */
export const claimRequest = async (tx: Tx, id: string) => (await requests.delete(tx, { id })) === 1
/** Deletes all requests. Returns the number of deleted requests. */
export const deleteAllRequests = (tx: Tx): Promise<number> => tx.knex(requests.name).delete()
/** Selects requests from before the given time. */
export const requestsBefore = (before: Date): Outdated => ({
  table: requests.name,
  key: ['id'],
  choose: (rows) => rows.where('created_at', '<', before),
})
