import { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Names } from '../../access/names.ts'
import { type Principal, systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Total } from '../../core/db/count.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { cursorOf, placedPage } from '../../core/page.ts'
import type { TaskKind } from '../../core/queue.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { daySeconds } from '../../core/time.ts'
import { sidOf } from '../artifacts/parts.ts'
import { isOfOperatorOrApproved } from '../clients/rules.ts'
import type { Client, Clients } from '../clients/service.ts'
import { issueLogoutToken } from '../engine/logout-tokens.ts'
import type { CurrentProvider } from '../engine/manager.ts'
import { oidcEvents } from '../events.ts'
import * as sessionClients from '../session-clients/store.ts'
import type { LogoutNotice, logoutContract } from './contract.ts'
import * as store from './store.ts'

type Query = z.output<(typeof logoutContract)['listLogoutNotices']['query']>

/** Notifies applications that sessions have ended (OpenID Connect Back-Channel Logout 1.0). */
export interface Logouts {
  /** Notifies the applications that took part in the ended sessions. Called in the transaction that ends the sessions. */
  notify(tx: Tx, ended: sessionClients.EndedParts, cause: string): Promise<void>
  /** Notifies applications of ended sessions in which this user impersonated other users. */
  notifyOfImpersonations(tx: Tx, userId: string, cause: string): Promise<void>
  /** Notifies applications of impersonations that have expired. */
  notifyOfEndedImpersonations(): Promise<void>
  /** Notifies a client of the end of all its sessions. A task sends the notices, because there may be very many. */
  notifyAll(tx: Tx, clientId: string, cause: string): Promise<void>
  list(
    principal: Principal,
    query: Query,
  ): Promise<{ readonly notices: z.output<typeof LogoutNotice>[]; readonly next: string | null; readonly total: Total | null }>
  readonly tasks: readonly TaskKind<unknown>[]
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'queue' | 'events' | 'log' | 'metrics'> {
  readonly names: Names
  readonly clients: Pick<Clients, 'find'>
  readonly outbound: Outbound
  /** Used for clients whose registrant is unknown. It never calls private network addresses. */
  readonly publicOutbound: Outbound
  /** The present instance of the library. It signs logout tokens. */
  readonly engine: () => Promise<Pick<CurrentProvider, 'provider'>>
}

/** Seconds between two searches for impersonations that have expired. */
export const impersonationSeconds = 60
const keptSeconds = 30 * daySeconds
/** The largest number of a client's sessions that are handled in one transaction. */
const atOnce = 200
const longestProblem = 500
/** The cause in notices about an impersonation that has expired. */
const impersonationEnded = 'user.impersonation_ended'

const Notice = z.object({ id: z.string() })
const AllOf = z.object({ clientId: z.string(), cause: z.string() })

interface Answer {
  readonly answer: number | null
  /** The problem of the application's answer; undefined if the application has accepted the notice. */
  readonly problem: string | undefined
}

const send = async ({ outbound, publicOutbound }: Deps, client: Client, address: string, token: string): Promise<Answer> => {
  try {
    const { status } = await (isOfOperatorOrApproved(client) ? outbound : publicOutbound).send(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
    // The standard demands 200, but some frameworks answer 204 if the answer has no body (OpenID Connect Back-Channel Logout 1.0, section
    // 2.8).
    const isTaken = status === 200 || status === 204
    return { answer: status, problem: isTaken ? undefined : `the application answered ${status}` }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { answer: null, problem: error.message.slice(0, longestProblem) }
  }
}

/** Sends one notice. Each attempt signs a new logout token. The token is valid for two minutes. */
const createSending = (deps: Deps): TaskKind<z.output<typeof Notice>> => {
  const { db, transact, clock, random, events, clients, engine, metrics } = deps
  const count = metrics.counter({
    name: 'gatehouse_logout_notices_total',
    help: 'Attempts to tell an application that a session has ended, by outcome: delivered, refused by its answer, or unreachable.',
    labels: ['outcome'],
  })
  return {
    kind: 'oidc.logout',
    payload: Notice,
    maxAttempts: 10,
    backOffSeconds: [10, 3_600],
    leaseSeconds: 60,
    concurrency: 8,
    keepDeadSeconds: keptSeconds,
    handle: async ({ payload: { id }, attempt }) => {
      const notice = await store.findNotice(db, id)
      if (notice === undefined) return undefined
      const { clientId, userId, sessionId } = notice
      const client = await clients.find(clientId)
      const address = client?.metadata.backchannelLogoutUri ?? undefined
      const { provider } = await engine()
      const about = { clientId, userId, sid: sidOf(sessionId, clientId), id: random.token(32) }
      const token = await (address && issueLogoutToken(provider, about))
      if (client === undefined || address === undefined || token === undefined)
        return async (tx) => void (await store.updateNotice(tx, id, { state: 'dropped' }))
      const { answer, problem = null } = await send(deps, client, address, token)
      count({ outcome: problem === null ? 'delivered' : answer === null ? 'unreachable' : 'refused' })
      const outcome = { attempts: attempt, answer, problem, attemptedAt: clock.now() }
      if (problem === null) return async (tx) => void (await store.updateNotice(tx, id, { ...outcome, state: 'delivered' }))
      await transact((tx) => store.updateNotice(tx, id, { ...outcome, state: 'waiting' }))
      throw new Error(problem)
    },
    onDead: async (tx, { details }) => {
      const { success, data } = Notice.safeParse(details)
      const notice = success ? await store.findNotice(tx, data.id) : undefined
      if (notice === undefined) return
      const { id, clientId: subject, userId, sessionId, attempts, answer, problem } = notice
      await store.updateNotice(tx, id, { state: 'failed' })
      const about = { subject, data: { noticeId: id, userId, sessionId, attempts, answer, problem } }
      await events.record(tx, systemPrincipal(random.requestId()), oidcEvents['client.logout_failed'], about)
    },
  }
}

export const createLogouts = (deps: Deps): Logouts => {
  const { db, transact, clock, random, queue, names } = deps
  const sending = createSending(deps)

  const tell = async (tx: Tx, parts: readonly sessionClients.EndedPart[], cause: string): Promise<void> => {
    // If a person has signed in to a client several times in one session, the client gets only one notice.
    const bySession = new Map(parts.map((part) => [`${part.clientId} ${part.sessionId}`, part]))
    const rows = [...bySession.values()].map(
      ({ clientId, userId, sessionId }): store.NoticeRow => ({
        ...{ id: random.id(), clientId, userId, sessionId, cause, state: 'waiting', attempts: 0, answer: null, problem: null },
        ...{ createdAt: clock.now(), attemptedAt: null, expiresAt: clock.after(keptSeconds) },
      }),
    )
    if (rows.length === 0) return
    await store.insertNotices(tx, rows)
    for (const { id, clientId } of rows)
      await queue.enqueue(tx, sending, { payload: { id }, label: clientId, details: { id, clientId } })
  }

  const all: TaskKind<z.output<typeof AllOf>> = {
    kind: 'oidc.logout-all',
    payload: AllOf,
    maxAttempts: 5,
    backOffSeconds: [10, 300],
    leaseSeconds: 60,
    concurrency: 1,
    keepDeadSeconds: keptSeconds,
    handle: async ({ payload: { clientId, cause }, signal }) => {
      for (let some = atOnce; some === atOnce && !signal.aborted; )
        some = await transact(async (tx) => {
          const parts = await sessionClients.takePartsOfClient(tx, clientId, atOnce)
          await tell(tx, parts, cause)
          return parts.length
        })
      return undefined
    },
  }

  return {
    notify: async (tx, ended, cause) => tell(tx, await sessionClients.takeParts(tx, ended), cause),
    notifyOfImpersonations: async (tx, userId, cause) => tell(tx, await sessionClients.takeImpersonationsBy(tx, userId), cause),
    notifyOfEndedImpersonations: async () => {
      for (let some = atOnce; some === atOnce; )
        some = await transact(async (tx) => {
          const parts = await sessionClients.takeEndedImpersonations(tx, clock.now(), atOnce)
          await tell(tx, parts, impersonationEnded)
          return parts.length
        })
    },
    notifyAll: async (tx, clientId, cause) =>
      void (await queue.enqueue(tx, all, { payload: { clientId, cause }, label: clientId })),
    list: async (principal, { clientId, userId, ...query }) => {
      if (!can(principal, 'clients:read')) throw coreErrors.error('FORBIDDEN')
      const { rows, next, total } = placedPage(query, await store.pageOfNotices(db, { clientId, userId }, cursorOf(query)))
      const shown = rows.map(({ expiresAt: _, ...row }) => row)
      const refer = (row: (typeof shown)[number]) => ({
        ...{ client: { kind: 'client', id: row.clientId }, user: { kind: 'user', id: row.userId } },
      })
      return { notices: await names.add(principal, shown, refer), next, total }
    },
    tasks: [sending as TaskKind<unknown>, all as TaskKind<unknown>],
    retention: retentionOfRows(deps, 'logout notices', 'that were sent long enough ago', () => store.noticesBefore(clock.now())),
  }
}
