import type { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { createBatchedRead, createGroupCommit } from '../../core/db/batch.ts'
import { type Db, inTurn, isPostgres, type Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { daySeconds } from '../../core/time.ts'
import type { OidcConfig } from '../config.ts'
import { oidcEvents } from '../events.ts'
import { isInGrace } from '../rules.ts'
import { partKind } from './rules.ts'
import * as store from './store.ts'

export interface Reader {
  /** A code, token or interaction with its user, as it is after this call started. */
  find(id: string): Promise<store.StoredArtifact | undefined>
}

export const createReader = (db: Db): Reader => ({ find: createBatchedRead((ids) => store.findArtifacts(db, ids)) })

/** A token by which a client begins to act for a person. */
export interface Exchanged {
  readonly actor: Actor
  readonly userId: string
  readonly grantId: string
  readonly data: z.input<(typeof oidcEvents)['token.exchanged']['data']>
}

/** Everything one request of the library wants written. */
export interface Writes {
  readonly inserts: readonly store.ArtifactRow[]
  /** Consumed by this request: the request counts only if they were not consumed before. */
  readonly consumes: readonly { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: readonly string[]
  /** A refresh token that is used and stays as it is: the request counts only while it exists. */
  readonly keeps?: string | undefined
  /** A token that is exchanged: it is recorded that its client acts for the person. */
  readonly exchanged?: Exchanged | undefined
  /** Who sent it, and for which client: recorded when something was used twice. */
  readonly from: { readonly actor: Actor; readonly clientId: string | undefined }
}

/** `within grace`: written too, for a refresh token that was used before, within its grace. */
export type Outcome = 'written' | 'within grace' | 'replayed'

export interface Writer {
  /**
   * Writes all of it or nothing. `replayed` when something to consume was consumed before: then all that came from that grant is deleted
   * (RFC 9700, sections 2.2.2 and 4.14).
   */
  commit(writes: Writes): Promise<Outcome>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'single' | 'clock' | 'events'> {
  readonly config: OidcConfig
}

const usersOf = ({ inserts }: Writes): string[] => inserts.flatMap(({ accountId }) => accountId ?? [])

/** The refresh token that replaces the one that is consumed. */
const replacementIn = ({ inserts }: Writes) => inserts.find(({ rotatedFrom }) => rotatedFrom !== null)
const replacedId = (writes: Writes): string => replacementIn(writes)?.rotatedFrom ?? ''

/** Rows that say that a client takes part in a session, and all others. */
const partition = (rows: readonly store.ArtifactRow[]) =>
  [rows.filter(({ kind }) => kind === partKind), rows.filter(({ kind }) => kind !== partKind)] as const

const byParents = (a: store.ArtifactRow, b: store.ArtifactRow) => {
  const [left, right] = [`${a.accountId} ${a.sessionId}`, `${b.accountId} ${b.sessionId}`]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Of a service that exchanges a token for each of its calls the log says once a day for whom it acts. */
const recordedEverySeconds = daySeconds

/** Under load a commit is shared by several requests, and a code is still consumed by exactly one of them. */
export const createWriter = ({ db, transact, single, clock, events, config }: Deps): Writer => {
  /** True when a refresh token counts once more: it is the last one its family used, within its grace, and its replacement is unused. */
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
   * The outcome of each request, in order. Inserts come first and sorted: they lock user, client and session before any code or token is
   * touched, which is the order in which ending a session locks them. In the other order the two would deadlock.
   */
  const write = async (tx: Tx, requests: readonly Writes[]): Promise<Outcome[]> => {
    const inserts = requests.flatMap((request) => request.inserts).sort(byParents)
    const consumes = requests.flatMap((request) => request.consumes.map(({ id }) => id))
    const [, consumed] = await inTurn(tx, [
      () => store.insertArtifacts(tx, inserts),
      () => store.consumeArtifacts(tx, consumes, clock.now()),
    ])
    const free = new Set(consumed)
    // Locked, so that its family does not end beside this transaction.
    const gone = new Set<string>()
    for (const id of [...new Set(requests.flatMap(({ keeps }) => keeps ?? []))].sort())
      if ((await store.lockArtifact(tx, id))?.consumedAt !== null) gone.add(id)
    const won = requests.map(({ consumes, keeps }) => !gone.has(keeps ?? '') && consumes.every(({ id }) => free.delete(id)))
    // In one order, so that two transactions never wait for each other.
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
    // The first use of a code has written the same row about its client; of a session that has ended meanwhile there is none.
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

  /** True of nearly every request: at most one code or token is used, for others. */
  const isUse = ({ consumes, deletes, keeps, exchanged }: Writes) =>
    consumes.length <= 1 && deletes.length === 0 && keeps === undefined && exchanged === undefined

  const isOneStatement = (requests: readonly Writes[], isAlone: boolean) =>
    requests.every((request) => request.consumes.length === 0 && isUse(request)) ||
    (isPostgres(db) && !isAlone && requests.every(isUse))

  /** As `write`, in one statement where it can be; a code or token that was used before is left to a transaction, which looks at why. */
  const work = async (tx: Tx, requests: readonly Writes[], isAlone: boolean): Promise<(Outcome | undefined)[]> => {
    const isUsing = requests.some(({ consumes }) => consumes.length > 0)
    if (!isUsing || !isOneStatement(requests, isAlone)) return write(tx, requests)
    const asked = new Set<string>()
    const exchanges = requests.map(({ inserts, consumes: [used] }) => {
      // One statement writes no row twice: of two sign-ins of a session to a client the second is left to a transaction.
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

  // Several transactions: one that waits for a lock must not delay the others. Two for the same user would wait for the same locks.
  const commit = createGroupCommit<Writes, Outcome>({
    ...{ db, transact, single, concurrency: 3, keysOf: usersOf, work, isOneStatement },
  })
  return { commit }
}
