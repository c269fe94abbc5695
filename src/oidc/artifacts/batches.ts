import type { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { createBatchedRead, createGroupCommit } from '../../core/db/batch.ts'
import { type Db, inTurn, isPostgres, type Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { daySeconds } from '../../core/time.ts'
import type { OidcConfig } from '../config.ts'
import { oidcEvents } from '../events.ts'
import { partKind } from './rules.ts'
import * as store from './store.ts'

/** True while a used refresh token may be used once more. `usedAt` is the time of its first use. */
export const isInGrace = (usedAt: Date, now: Date, graceSeconds: number): boolean =>
  graceSeconds > 0 && now.getTime() - usedAt.getTime() <= graceSeconds * 1000

export interface Reader {
  /** Finds a code, token or interaction with its user. The row is read after the call begins, never taken from an earlier read. */
  find(id: string): Promise<store.StoredArtifact | undefined>
}

export const createReader = (db: Db): Reader => ({ find: createBatchedRead((ids) => store.findArtifacts(db, ids)) })

/** The facts about a token exchange that go into its event: a client exchanges a person's token in order to act for the person (RFC 8693). */
export interface Exchanged {
  readonly actor: Actor
  readonly userId: string
  readonly grantId: string
  readonly data: z.input<(typeof oidcEvents)['token.exchanged']['data']>
}

/** The changes to the database that one request of the library makes. */
export interface Writes {
  readonly inserts: readonly store.ArtifactRow[]
  /** The codes and tokens that this request uses up. The request succeeds only if none of them was consumed before. */
  readonly consumes: readonly { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: readonly string[]
  /** A refresh token that the request uses and that stays valid. The request succeeds only if the token still exists. */
  readonly keeps?: string | undefined
  /** The token exchange of this request, if there is one. An event records that the client acts for the person. */
  readonly exchanged?: Exchanged | undefined
  /** The sender and the client of the request. They are recorded in the event about a code or token that is used a second time. */
  readonly from: { readonly actor: Actor; readonly clientId: string | undefined }
}

/**
 * `within grace` means that everything was written although the refresh token had been used before, because its grace period is not over.
 * `replayed` means that a code or token had been used before and nothing was written.
 */
export type Outcome = 'written' | 'within grace' | 'replayed'

export interface Writer {
  /**
   * Writes all changes of the request or none of them. For the outcome `replayed`, everything that was issued for the grant of the used
   * code or token is deleted (RFC 9700, sections 2.2.2 and 4.14).
   */
  commit(writes: Writes): Promise<Outcome>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'single' | 'clock' | 'events'> {
  readonly config: OidcConfig
}

const usersOf = ({ inserts }: Writes): string[] => inserts.flatMap(({ accountId }) => accountId ?? [])

/** The new refresh token that replaces the consumed one. */
const replacementIn = ({ inserts }: Writes) => inserts.find(({ rotatedFrom }) => rotatedFrom !== null)
const replacedId = (writes: Writes): string => replacementIn(writes)?.rotatedFrom ?? ''

/** Separates the rows that link clients to sessions from all other rows. */
const partition = (rows: readonly store.ArtifactRow[]) =>
  [rows.filter(({ kind }) => kind === partKind), rows.filter(({ kind }) => kind !== partKind)] as const

const byParents = (a: store.ArtifactRow, b: store.ArtifactRow) => {
  const [left, right] = [`${a.accountId} ${a.sessionId}`, `${b.accountId} ${b.sessionId}`]
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Seconds for which an equal exchange is not recorded again. A service may exchange a token for every call that it makes. Each client and
 * person therefore get one event a day.
 */
const recordedEverySeconds = daySeconds

/** Writes the changes of requests. Under load several requests share a commit. Even then, exactly one request can consume a code. */
export const createWriter = ({ db, transact, single, clock, events, config }: Deps): Writer => {
  /**
   * True if a used refresh token may be used once more. Of all tokens of its family it must be the one that was used last, its grace
   * period must not be over, and its replacement must be unused.
   */
  const reuseWithinGrace = async (tx: Tx, writes: Writes, undecided: readonly string[]): Promise<boolean> => {
    const given = replacementIn(writes)
    if (!given?.rotatedFrom || config.refreshTokenGraceSeconds === 0) return false
    const rotation = await store.lockRotation(tx, given.rotatedFrom, undecided)
    const usedAt = rotation?.used.consumedAt
    if (!usedAt || !isInGrace(usedAt, clock.now(), config.refreshTokenGraceSeconds)) return false
    return rotation.next?.consumedAt === null && store.makeSibling(tx, given.id, rotation.next)
  }

  const recordExchange = async (tx: Tx, { actor, userId, grantId, data }: Exchanged): Promise<void> => {
    const id = sha256(JSON.stringify([oidcEvents['token.exchanged'].name, grantId, data.clientId, data.audience]))
    if (await store.claimOnce(tx, id, clock.after(recordedEverySeconds)))
      await events.record(tx, actor, oidcEvents['token.exchanged'], { subject: userId, data })
  }

  /**
   * Writes the requests in a transaction and returns their outcomes in order. Inserts come first, sorted by user and session, because an
   * insert locks its user, client and session. A transaction that ends a session also locks user, client and session before codes and
   * tokens. A different order could cause a deadlock.
   */
  const write = async (tx: Tx, requests: readonly Writes[]): Promise<Outcome[]> => {
    const inserts = requests.flatMap((request) => request.inserts).sort(byParents)
    const consumes = requests.flatMap((request) => request.consumes.map(({ id }) => id))
    const [, consumed] = await inTurn(tx, [
      () => store.insertArtifacts(tx, inserts),
      () => store.consumeArtifacts(tx, consumes, clock.now()),
    ])
    const free = new Set(consumed)
    // The lock keeps other transactions from deleting the family of tokens until this transaction ends.
    const gone = new Set<string>()
    for (const id of [...new Set(requests.flatMap(({ keeps }) => keeps ?? []))].sort())
      if ((await store.lockArtifact(tx, id))?.consumedAt !== null) gone.add(id)
    const won = requests.map(({ consumes, keeps }) => !gone.has(keeps ?? '') && consumes.every(({ id }) => free.delete(id)))
    // Tokens are locked in a fixed order, so that two transactions that lock the same tokens cannot deadlock.
    const late = requests.filter((_, i) => won[i] !== true).sort((a, b) => replacedId(a).localeCompare(replacedId(b)))
    const undecided = late.flatMap(({ inserts }) => inserts.map(({ id }) => id))
    const withinGrace = new Set<Writes>()
    for (const request of late) if (await reuseWithinGrace(tx, request, undecided)) withinGrace.add(request)
    const replayed = late.filter((request) => !withinGrace.has(request))
    const [parts, refused] = partition(replayed.flatMap(({ inserts }) => inserts))
    await store.deleteArtifacts(tx, [
      ...requests.flatMap((request) => (replayed.includes(request) ? [] : request.deletes)),
      ...refused.map(({ id }) => id),
    ])
    // A session may have ended before its link to a client was inserted. Links to ended sessions are deleted again.
    await store.deletePartsOfEnded(
      tx,
      parts.map(({ id }) => id),
    )
    for (const { consumes, inserts, from } of replayed) {
      const grantIds = consumes.flatMap(({ grantId }) => grantId ?? [])
      if (grantIds.length === 0) continue
      if ((await store.deleteGrants(tx, grantIds)) === 0) continue
      const subject = inserts.find(({ accountId }) => accountId !== null)?.accountId ?? 'unknown'
      await events.record(tx, from.actor, oidcEvents['grant.revoked'], {
        subject,
        data: { clientId: from.clientId ?? null, isReused: true },
      })
    }
    for (const { exchanged } of requests) if (exchanged !== undefined) await recordExchange(tx, exchanged)
    return requests.map((request) =>
      withinGrace.has(request) ? 'within grace' : replayed.includes(request) ? 'replayed' : 'written',
    )
  }

  /** True if the request uses at most one code or token and deletes nothing. Nearly every request is of this kind. */
  const isUse = ({ consumes, deletes, keeps, exchanged }: Writes) =>
    consumes.length <= 1 && deletes.length === 0 && keeps === undefined && exchanged === undefined

  const isOneStatement = (requests: readonly Writes[], isAlone: boolean) =>
    requests.every((request) => request.consumes.length === 0 && isUse(request)) ||
    (isPostgres(db) && !isAlone && requests.every(isUse))

  /**
   * Writes the requests in one statement where that is possible. The outcome is undefined for a request whose code or token was used
   * before. A transaction then finds the reason.
   */
  const work = async (tx: Tx, requests: readonly Writes[], isAlone: boolean): Promise<(Outcome | undefined)[]> => {
    const isUsing = requests.some(({ consumes }) => consumes.length > 0)
    if (!isUsing || !isOneStatement(requests, isAlone)) return write(tx, requests)
    const asked = new Set<string>()
    const exchanges = requests.map(({ inserts, consumes: [used] }) => {
      // A statement cannot write a row twice. If two requests in the statement would write one row, the second request is left to a
      // transaction.
      const [parts] = partition(inserts)
      const ids = [...(used === undefined ? [] : [used]), ...parts].map(({ id }) => id)
      const isFirst = ids.every((id) => !asked.has(id))
      for (const id of ids) asked.add(id)
      return isFirst ? { consumes: used?.id ?? null, inserts } : undefined
    })
    const given = exchanges.filter((exchange) => exchange !== undefined)
    const consumed = new Set(await store.exchangeArtifacts(tx, given, clock.now()))
    return exchanges.map((exchange) =>
      exchange !== undefined && (exchange.consumes === null || consumed.has(exchange.consumes)) ? 'written' : undefined,
    )
  }

  // Several transactions run at the same time, so that a transaction that waits for a lock does not delay all requests. Requests of the
  // same user share a transaction, because they would wait for the same locks.
  const commit = createGroupCommit<Writes, Outcome>({
    ...{ db, transact, single, concurrency: 3, keysOf: usersOf, work, isOneStatement },
  })
  return { commit }
}
