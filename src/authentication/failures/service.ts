import type { Core } from '../../core/core.ts'
import { hmacSha256, sha256 } from '../../core/crypto.ts'
import { createGroupCommit } from '../../core/db/batch.ts'
import { type Db, isForeignKeyViolation, type Tx } from '../../core/db/database.ts'
import type { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import type { Cursor, PlacedRows } from '../../core/page.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { daySeconds } from '../../core/time.ts'
import type { Tally } from '../../statistics/index.ts'
import type { FailureMethod, FailureReason, SignInsConfig } from './contract.ts'
import { createQuota, redactText } from './rules.ts'
import * as store from './store.ts'

/** A failed attempt to sign in. */
export interface SignInFailure {
  readonly method: FailureMethod
  readonly reason: FailureReason
  /** The error code that the client got. */
  readonly code: string
  readonly userId?: string | null | undefined
  /**
   * The mail address or user name as typed and normalized, or the mail address from an identity provider. The database stores only a
   * keyed hash of it.
   */
  readonly email?: string | undefined
  readonly provider?: string | null | undefined
  readonly clientId?: string | undefined
  /** Short details, such as the seconds to wait or the answer of an identity provider. Mail addresses are removed before they are stored. */
  readonly detail?: Readonly<Record<string, string | number | undefined>> | undefined
}

/** A failed attempt that was stored, or a sum of `attempts` that were only counted. */
export interface StoredFailure extends Omit<store.FailureRow, 'method' | 'reason' | 'addressKey' | 'network'> {
  readonly method: FailureMethod
  readonly reason: FailureReason
}

export interface FailureQuery {
  readonly userId?: string | undefined
  readonly email?: string | undefined
  readonly address?: string | undefined
  readonly requestId?: string | undefined
}

/** Stores failed attempts to sign in, for support. They are not part of the audit log, because anybody can cause any number of them. */
export interface SignInFailures {
  /**
   * Stores a failed attempt. After many attempts of a person or network within an hour, further attempts are only counted. The attempt is
   * written shortly after the request, in the background. `error` is the error that the request throws. It is remembered, so that code
   * around the call does not store the attempt a second time.
   */
  record(context: RequestContext, failure: SignInFailure, error?: Error): void
  /** Stores a refusal that happened before any sign-in method was called, for example by a rate limit or because of a wrong origin. */
  denied(context: RequestContext, path: string, error: AppError): void
  /** Resolves when this node has written all attempts that were passed to `record`. */
  settled(): Promise<void>
  /** The failed attempts that match the query, at most `limit`. The newest comes first. */
  find(db: Db, query: FailureQuery, since: Date, limit: number): Promise<readonly StoredFailure[]>
  /** A page of the failed attempts of all people. */
  list(db: Db, filter: store.FailureListFilter, cursor: Cursor): Promise<PlacedRows<StoredFailure>>
  /** The newest failed sign-in with an identity provider, among the newest 2000 failed attempts. Undefined if there is none among them. */
  newestOf(db: Db, provider: string): Promise<StoredFailure | undefined>
  /**
   * Deletes failed attempts that were made with the mail address or user name of a deleted account. The database itself deletes the
   * attempts that were stored for the account.
   */
  forget(tx: Tx, user: { readonly email: string; readonly username: string | null }): Promise<void>
  /** The retention rules for failed attempts: those older than `signIns.keepDays` are deleted, and the oldest beyond `signIns.mostKept`. */
  readonly retentions: readonly Retention[]
}

/** The largest number of attempts that wait to be written. When it is reached, further attempts are only counted. */
const maxPending = 500
/** The largest number of sums in the memory of a node. */
const maxSums = 2_000
const keyUse = 'failed-addresses'
/** The largest length of `detail` as JSON. */
const longestDetail = 500
/** The endpoints that sign people in, or that are a step of a sign-in, each with its method. */
const signInPaths: Readonly<Record<string, FailureMethod>> = {
  ...{
    '/sign-in/email': 'password',
    '/sign-in/username': 'password',
    '/sign-in/social': 'provider',
    '/callback/:id': 'provider',
    '/verify-email': 'request',
  },
  ...{ '/sign-in/email-otp': 'mail', '/sign-in/magic-link': 'mail', '/magic-link/verify': 'mail' },
  ...{ '/email-otp/send-verification-otp': 'mail', '/passkey/verify-authentication': 'passkey' },
  ...{ '/two-factor/verify-totp': 'second-factor', '/two-factor/verify-otp': 'second-factor' },
  '/two-factor/verify-backup-code': 'second-factor',
}

const reasonOf = ({ status, code }: AppError): FailureReason => {
  if (status === 429) return 'request-limit'
  if (code === 'BANNED_USER') return 'banned'
  return code.startsWith('INVALID_') ? 'origin' : 'refused'
}

/** The number of newest failed attempts among which `newestOf` searches. */
const mostExamined = 2_000

const storedOf = ({ addressKey: _, network: __, method, reason, ...row }: store.FailureRow): StoredFailure => ({
  ...row,
  method: method as FailureMethod,
  reason: reason as FailureReason,
})

const nobody = { userId: null, addressKey: null, method: 'request' }

interface Deps extends Pick<Core, 'db' | 'transact' | 'single' | 'clock' | 'random' | 'secrets' | 'log'> {
  readonly tally?: Tally | undefined
}

export const createSignInFailures = (deps: Deps, config: SignInsConfig): SignInFailures => {
  const { db, transact, single, clock, random, secrets, log, tally } = deps
  const recorded = new WeakSet<object>()
  const quota = createQuota()
  let last = 0
  let made = 0
  /** Makes ids in ascending order, even for attempts at the same time. */
  const idAt = (now: Date): string => {
    made = now.getTime() === last ? made + 1 : 0
    last = now.getTime()
    return last.toString(36).padStart(9, '0') + made.toString(36).padStart(4, '0') + random.token(19)
  }
  const pending = new Set<Promise<void>>()
  const sums = new Map<string, store.FailureRow>()

  const write = createGroupCommit<store.FailureRow, true>({
    db,
    transact,
    single,
    isOneStatement: () => true,
    concurrency: 1,
    keysOf: () => [],
    work: async (tx, rows) => {
      await store.insertFailures(tx, rows)
      return rows.map(() => true as const)
    },
  })
  /** If the user was deleted meanwhile, the attempt is dropped, and nothing is logged. */
  const unlessDeleted = (error: unknown) => {
    if (!isForeignKeyViolation(error)) log.warn({ err: error }, 'failed attempts to sign in could not be kept')
  }
  const keep = (row: store.FailureRow) => {
    const written: Promise<void> = write(row)
      .then(() => undefined, unlessDeleted)
      .finally(() => pending.delete(written))
    pending.add(written)
  }

  /**
   * Adds an attempt to a sum instead of storing it. Each person and network has a sum, and so has each network for attempts without a
   * person. If a node has too many sums, all further attempts are added to one sum.
   */
  const count = (row: store.FailureRow, who: string | undefined) => {
    const window = quota.windowOf(row.occurredAt)
    const idOf = (key: string) => sha256(`${window} ${key}`).slice(0, 32)
    const own = idOf(`${row.network} ${who ?? ''}`)
    const [id, of] =
      sums.has(own) || sums.size < maxSums
        ? [own, { network: row.network, address: row.network, ...(who === undefined ? nobody : {}) }]
        : [idOf('all'), { network: '', address: '', ...nobody }]
    const none = { reason: 'more', code: '', detail: {}, provider: null, clientId: null, userAgent: '', requestId: '' }
    const sum = sums.get(id) ?? { ...row, ...none, ...of, id, attempts: 0 }
    sums.set(id, { ...sum, attempts: sum.attempts + 1, lastAt: row.occurredAt })
  }

  const flushSums = async () => {
    const rows = [...sums.values()]
    sums.clear()
    for (const row of rows) await transact((tx) => store.addAttempts(tx, row)).catch(unlessDeleted)
  }

  const keysOf = (email: string): readonly string[] =>
    secrets.verifyingKeys(keyUse, config.keepDays * daySeconds).map((key) => hmacSha256(key)(email))

  const record: SignInFailures['record'] = (
    context,
    { method, reason, code, userId = null, email, provider = null, clientId, detail = {} },
    error,
  ) => {
    if (error !== undefined) recorded.add(error)
    tally?.count('failedSignIns', reason)
    const now = clock.now()
    const network = networkOf(context.address)
    const addressKey = email === undefined ? null : secrets.sign(keyUse, email)
    const facts = Object.entries(detail).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? redactText(value) : value] as const],
    )
    const isShort = JSON.stringify(facts).length < longestDetail
    const row: store.FailureRow = {
      ...{ id: idAt(now), occurredAt: now, lastAt: now, attempts: 1, userId, addressKey, method },
      ...{ provider: provider?.slice(0, 64) ?? null, clientId: clientId === undefined ? null : redactText(clientId) },
      ...{ reason, code: code.slice(0, 100), detail: isShort ? Object.fromEntries(facts) : {} },
      ...{ address: context.address.slice(0, 64), network: network.slice(0, 64) },
      ...{ userAgent: redactText(context.userAgent), requestId: context.requestId.slice(0, 64) },
    }
    const who = userId ?? addressKey ?? clientId ?? ''
    const group = userId === null ? 'others' : 'accounts'
    const exhausted = quota.take(
      [
        [`${network} ${who}`, config.perPersonHourly],
        [`${network} ${group}`, config.perNetworkHourly],
      ],
      now,
    )
    if (exhausted === undefined && pending.size < maxPending) keep(row)
    else count(row, exhausted === 0 && who !== '' ? who : undefined)
  }

  return {
    denied: (context, path, error) => {
      const method = signInPaths[path]
      if (method === undefined || recorded.has(error)) return
      const detail = { seconds: error.retryAfterSeconds }
      record(context, { method, reason: reasonOf(error), code: error.code, detail })
    },
    record,
    settled: async () => {
      await Promise.all(pending)
      await flushSums()
    },
    find: async (from, { email, ...filter }, since, limit) => {
      const rows = await store.findFailures(
        from,
        { ...filter, addressKeys: email === undefined ? [] : keysOf(email) },
        since,
        limit,
      )
      return rows
        .map(storedOf)
        .sort((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : -1))
        .slice(0, limit)
    },
    list: async (from, filter, cursor) => {
      const { found, lookedTo, total } = await store.pageOfFailures(from, filter, cursor)
      return { found: found.map(({ row, position }) => ({ row: storedOf(row), position })), lookedTo, total }
    },
    newestOf: async (from, provider) => {
      const row = await store.findNewestOf(from, provider, mostExamined)
      return row === undefined ? undefined : storedOf(row)
    },
    forget: (tx, { email, username }) => store.deleteByAddress(tx, [email, username ?? []].flat().flatMap(keysOf)),
    retentions: [
      retentionOfRows(deps, 'failed sign-ins', `older than ${config.keepDays} days`, () =>
        store.failuresBefore(clock.after(-config.keepDays * daySeconds)),
      ),
      retentionOfRows(deps, 'failed sign-ins beyond the limit', `the oldest beyond ${config.mostKept}`, () =>
        store.failuresBeyond(config.mostKept),
      ),
    ],
  }
}
