import type { Db, Tx } from '../../../core/db/database.ts'
import { personalRows } from '../../../core/db/personal-rows.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { bool, int, json, nullable, oneOf, type Row, table, text, time } from '../../../core/db/table.ts'
import { texts } from '../../../core/stored-json.ts'

const columns = {
  id: text,
  userId: text,
  name: text,
  credentialId: text,
  /** The public key in the format COSE, encoded in base64url. */
  publicKey: text,
  counter: int,
  transports: json(() => texts),
  aaguid: text,
  /** True if the authenticator has verified its user (PIN, finger or face) at least once. */
  userVerified: bool,
  backupEligible: bool,
  backedUp: bool,
  createdAt: time,
  lastUsedAt: nullable(time),
  /** The id of the session in which the passkey was added; null if unknown. */
  sessionId: nullable(text),
}
const passkeys = table('passkey', columns)
export type PasskeyRow = Row<typeof columns>

/** The passkeys of a user. The oldest comes first. */
export const listByUser = (db: Db, userId: string): Promise<PasskeyRow[]> =>
  passkeys.list(db, { userId }, { orderBy: 'createdAt' })
/** The ids of users who have passkeys, at most `most`. */
export const ownersOf = (db: Db, most: number): Promise<string[]> =>
  db.knex(passkeys.name).distinct().orderBy('user_id').limit(most).pluck('user_id')
export const findByCredentialId = (db: Db, credentialId: string) => passkeys.find(db, { credentialId })
/** Inserts a passkey. Throws a unique violation if its credential id is registered already. */
export const insertPasskey = (tx: Tx, row: PasskeyRow) => passkeys.insert(tx, row)

/** The columns that each use of a passkey updates. */
type Use = Pick<PasskeyRow, 'counter' | 'userVerified' | 'backedUp' | 'lastUsedAt'>
/** Stores a use of a passkey. Returns false if the passkey was removed since it was read, or if another use has changed its counter. */
export const recordUse = (tx: Tx, { id, counter }: PasskeyRow, use: Use) => passkeys.updateOne(tx, { id, counter }, use)
export const setSession = (tx: Tx, id: string, sessionId: string) => passkeys.update(tx, { id }, { sessionId })
/** Renames a passkey. Returns undefined if the user has no passkey with this id. */
export const rename = async (tx: Tx, userId: string, id: string, name: string): Promise<PasskeyRow | undefined> =>
  (await passkeys.updateOne(tx, { id, userId }, { name })) ? passkeys.find(tx, { id }) : undefined
/** Deletes a passkey. Returns false if another request has deleted it before. */
export const deletePasskey = async (tx: Tx, userId: string, id: string) => (await passkeys.delete(tx, { id, userId })) === 1

/** Deletes one of two kinds of passkeys of a user: the passkeys that verify their user, or the passkeys that do not. */
export const deleteKind = (tx: Tx, userId: string, userVerified: boolean) => passkeys.delete(tx, { userId, userVerified })

const challengeColumns = {
  challengeHash: text,
  /** The hash of the value of the cookie that binds the challenge to its browser. */
  browserHash: text,
  kind: oneOf('registration', 'authentication'),
  /** The user whose passkey has to sign the challenge; null if every passkey may. */
  userId: nullable(text),
  /** True if the browser may create the passkey without asking the person (conditional creation). */
  isConditional: bool,
  expiresAt: time,
}
const challenges = table('passkey_challenge', challengeColumns)
export type ChallengeRow = Row<typeof challengeColumns>

export const insertChallenge = (tx: Tx, row: ChallengeRow) => challenges.insert(tx, row)
/** Deletes the row of a challenge and returns it. If several requests send the same challenge, only one of them gets the row. */
export const takeChallenge = async (
  tx: Tx,
  where: Pick<ChallengeRow, 'challengeHash' | 'browserHash' | 'kind'>,
  now: Date,
): Promise<ChallengeRow | undefined> => {
  const row = await challenges.find(tx, where)
  if (row === undefined || row.expiresAt <= now) return undefined
  return (await challenges.delete(tx, { challengeHash: row.challengeHash })) === 1 ? row : undefined
}
export const expiredChallenges = (now: Date): Outdated => ({
  table: challenges.name,
  key: ['challenge_hash'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

export const ownPasskeys = personalRows(passkeys, {
  name: 'passkeys',
  fields: ['id', 'name', 'transports', 'aaguid', 'userVerified', 'backedUp', 'createdAt', 'lastUsedAt'],
})
