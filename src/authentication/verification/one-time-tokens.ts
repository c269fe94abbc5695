import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { AppError } from '../../core/errors.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { objectWith, parseStored } from '../../core/stored-json.ts'
import type { Credentials } from '../../identity/identities/index.ts'
import type { User, Users } from '../../identity/users/index.ts'
import { verificationErrors } from './contract.ts'
import * as store from './store.ts'

/** What a mailed token can be used for (accounts specification, sections 3 and 9). */
const purposes = {
  reset: { prefix: 'reset-password:', length: 24, status: 400 },
  /** The token resets the password like `reset`, and its use also removes the second factors. Only operators can create it. */
  recovery: { prefix: 'recover-account:', length: 24, status: 400 },
  deletion: { prefix: 'delete-account-', length: 32, status: 404 },
  /**
   * The token belongs to the answer "this was not me" to a notice. The answer ends all sessions. The token stays valid when the password
   * changes, because a thief may have changed the password.
   */
  report: { prefix: 'report-activity:', length: 32, status: 400 },
} as const
type Purpose = keyof typeof purposes
/** The names of all purposes. */
export const mailedPurposes = Object.keys(purposes) as readonly Purpose[]

/**
 * The state of the account when the token was issued. The token becomes invalid when the mail address changes. If `password` is set, it
 * also becomes invalid when the password changes.
 */
interface Claim {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** A hash of the stored password hash. The stored hash itself must not be in the token. */
  readonly password?: string
  /** The time of the notice in ISO 8601. `added` lists the added sign-in methods. Both are set only for the token of a notice. */
  readonly noticedAt?: string
  readonly added?: readonly string[]
}

const claims = objectWith<Claim>(
  { userId: 'text', email: 'text', emailVersion: 'number' },
  { password: 'text', noticedAt: 'text', added: 'list' },
)

/**
 * What a notice reported. `added` lists the added sign-in methods: passkeys and identities by id, methods that a user has only once by
 * kind, and shared API keys by id with the prefix `sharedKeyPrefix`.
 */
export interface Noticed {
  /** The time of the notice; undefined in tokens of earlier versions. */
  readonly at: Date | undefined
  readonly added: readonly string[]
}

/** Random tokens in mailed links. Each can be used once. The database stores only their hashes. */
export interface OneTimeTokens {
  /** The lifetime of tokens in seconds, by purpose. */
  readonly ttlSeconds: Readonly<Record<Purpose, number>>
  issue(tx: Tx, purpose: Purpose, user: User): Promise<string>
  /** Issues the token with which a notice is answered. */
  issueReport(tx: Tx, user: User, added: readonly string[]): Promise<string>
  /** True if the user has a token for this purpose that is valid for at least half of its lifetime. */
  hasValid(tx: Tx, purpose: Purpose, userId: string): Promise<boolean>
  /** Deletes a token whose mail was not sent. */
  withdraw(tx: Tx, purpose: Purpose, token: string): Promise<void>
  /** Deletes all tokens of a user for one purpose. */
  withdrawAll(tx: Tx, purpose: Purpose, userId: string): Promise<void>
  /** The user to whom a valid token belongs. The token stays valid. */
  check(db: Db, purpose: Purpose, token: string): Promise<User | undefined>
  /** Uses a token and returns its user. If several requests use it at the same time, only one gets the user. */
  consume(tx: Tx, purpose: Purpose, token: string): Promise<User | undefined>
  /** Uses the token of a notice. Returns the user and what the notice reported. */
  consumeReport(tx: Tx, token: string): Promise<{ readonly user: User; readonly noticed: Noticed } | undefined>
  /** Deletes a user's tokens of notices. Tokens for which `isWanted` returns true stay. */
  withdrawReports(tx: Tx, userId: string, isWanted: (noticed: Noticed) => boolean): Promise<void>
  /** The error INVALID_TOKEN, with the status that the specification prescribes for the purpose. */
  invalidToken(purpose: Purpose): AppError
}

/** Values of other features that can be used once. `identifier` contains the hash of a secret. */
export interface OneTimeValues {
  insert(tx: Tx, identifier: string, value: string, expiresAt: Date): Promise<void>
  /** Reads a value; undefined if it is unknown, expired or used. The value can still be used. */
  find(db: Db, identifier: string): Promise<string | undefined>
  /** Uses a value and returns it. If several requests use it at the same time, only one request gets the value. */
  consume(tx: Tx, identifier: string): Promise<string | undefined>
}

export const createOneTimeValues = ({ clock, random }: Pick<Core, 'clock' | 'random'>): OneTimeValues => ({
  insert: (tx, identifier, value, expiresAt) => {
    const now = clock.now()
    const row = { id: random.id(), identifier, value, expiresAt, createdAt: now, updatedAt: now, userId: null }
    return store.insertVerification(tx, row)
  },
  find: (db, identifier) => store.findValue(db, identifier, clock.now()),
  consume: (tx, identifier) => store.consumeValue(tx, identifier, clock.now()),
})

interface Deps extends Pick<Core, 'clock' | 'random'> {
  readonly users: Users
  readonly credentials: Credentials
  readonly ttlSeconds: OneTimeTokens['ttlSeconds']
}

export const createOneTimeTokens = ({ clock, random, users, credentials, ttlSeconds }: Deps): OneTimeTokens => {
  const identifierOf = (purpose: Purpose, token: string) => `${purposes[purpose].prefix}${sha256(token)}`
  const passwordState = async (db: Db, userId: string) => sha256((await credentials.find(db, userId))?.hash ?? '')

  const userOf = async (db: Db, value: string | undefined): Promise<User | undefined> => {
    if (value === undefined) return undefined
    const claim = parseStored(claims, value)
    const user = await users.find(db, claim.userId)
    const isSame =
      user?.email === claim.email &&
      user.emailVersion === claim.emailVersion &&
      (claim.password === undefined || (await passwordState(db, user.id)) === claim.password)
    return isSame ? user : undefined
  }

  const insert = async (
    tx: Tx,
    purpose: Purpose,
    { id, email, emailVersion }: User,
    more: Pick<Claim, 'password' | 'noticedAt' | 'added'>,
  ) => {
    const token = random.token(purposes[purpose].length)
    const now = clock.now()
    const claim: Claim = { userId: id, email, emailVersion, ...more }
    await store.insertVerification(tx, {
      id: random.id(),
      identifier: identifierOf(purpose, token),
      value: JSON.stringify(claim),
      expiresAt: clock.after(ttlSeconds[purpose]),
      createdAt: now,
      updatedAt: now,
      userId: id,
    })
    return token
  }

  const noticedIn = (value: string): Noticed => {
    const { noticedAt, added = [] } = parseStored(claims, value)
    return { at: noticedAt === undefined ? undefined : new Date(noticedAt), added }
  }

  return {
    ttlSeconds,
    issue: async (tx, purpose, user) => insert(tx, purpose, user, { password: await passwordState(tx, user.id) }),
    issueReport: (tx, user, added) => insert(tx, 'report', user, { noticedAt: clock.now().toISOString(), added }),
    hasValid: async (tx, purpose, userId) => {
      const values = await store.listValues(tx, userId, purposes[purpose].prefix, clock.after(ttlSeconds[purpose] / 2))
      for (const value of values) if ((await userOf(tx, value)) !== undefined) return true
      return false
    },
    withdraw: async (tx, purpose, token) => void (await store.deleteVerification(tx, identifierOf(purpose, token))),
    withdrawAll: (tx, purpose, userId) => store.deleteVerificationsOf(tx, userId, purposes[purpose].prefix),
    check: async (db, purpose, token) => userOf(db, await store.findValue(db, identifierOf(purpose, token), clock.now())),
    consume: async (tx, purpose, token) => userOf(tx, await store.consumeValue(tx, identifierOf(purpose, token), clock.now())),
    consumeReport: async (tx, token) => {
      const value = await store.consumeValue(tx, identifierOf('report', token), clock.now())
      const user = await userOf(tx, value)
      return user === undefined || value === undefined ? undefined : { user, noticed: noticedIn(value) }
    },
    withdrawReports: async (tx, userId, isWanted) => {
      const rows = await store.listVerificationsOf(tx, userId, purposes.report.prefix)
      const ids = rows.flatMap(({ id, value }) => (isWanted(noticedIn(value)) ? [] : [id]))
      await store.deleteVerifications(tx, ids)
    },
    invalidToken: (purpose) =>
      verificationErrors.error('INVALID_TOKEN', { status: purposes[purpose].status, message: 'invalid token' }),
  }
}

/** The retention rule that deletes expired one-time tokens, including those of other features. */
export const tokenRetention = (core: Pick<Core, 'db' | 'transact' | 'clock'>): Retention =>
  retentionOfRows(core, 'one-time tokens', 'that have expired', () => store.expiredTokens(core.clock.now()))
