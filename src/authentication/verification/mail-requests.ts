import { isBanned } from '../../access/ban.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { afterCommit, isForeignKeyViolation, type Tx } from '../../core/db/database.ts'
import { languageOfCall } from '../../core/language.ts'
import { networkOf } from '../../core/network.ts'
import type { RestoreStep } from '../../core/queue.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { hourSeconds } from '../../core/time.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Requester } from '../../mail/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { requesterInNetwork } from './account-mails.ts'
import * as store from './store.ts'

type RequestKind = store.MailRequest['kind']

/** Prepares a mail of one kind for a user. The returned function stores the mail, in the transaction that also deletes the request. */
export type Answer = (
  user: User,
  url: string | undefined,
  requester: Requester,
) => Promise<((tx: Tx) => Promise<void>) | undefined>

/**
 * Mails that anybody can cause by typing a mail address. A request writes exactly one row, and a job looks up the account afterwards. The
 * time that a request takes therefore does not reveal whether there is an account.
 */
export interface MailRequests {
  /** Requests a mail. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER, so that a network with endless requests does not delay all other mails. */
  request(principal: Principal, kind: RequestKind, address: string, url: string | undefined): Promise<void>
  /** Requests a mail for a user whom an operator has named. The operator may learn that the account exists. */
  send(principal: Principal, kind: RequestKind, user: User): Promise<void>
  /** Answers some of the waiting requests with mails. Returns true if more requests may be waiting. */
  run(stop: AbortSignal): Promise<boolean>
  onRequest(wake: () => void): void
  readonly retention: Retention
  /**
   * While the queue is held after a backup was restored, deletes requests from before the backup. People who still want the mail can
   * request it again.
   */
  readonly onRestore: RestoreStep
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'log'> {
  readonly users: Users
  readonly sessions: Pick<Sessions, 'isKnownDevice'>
  readonly attempts: Pick<Attempts, 'limitNetwork'>
  readonly answers: Readonly<Record<RequestKind, Answer>>
}

const batch = 20
/** Seconds after which a request that was not answered is dropped. */
const keptSeconds = hourSeconds

export const createMailRequests = ({
  db,
  transact,
  clock,
  random,
  log,
  users,
  sessions,
  attempts,
  answers,
}: Deps): MailRequests => {
  const listeners: (() => void)[] = []
  /** The source of a mail, for limits on mails: the browser if the account knows it, otherwise the browser's network. */
  const requesterOf = async (user: User, { network, deviceId }: store.MailRequest): Promise<Requester> =>
    deviceId !== null && (await sessions.isKnownDevice(db, user.id, deviceId))
      ? { key: sha256(`device:${deviceId}`), isKnown: true }
      : requesterInNetwork(network)
  const answer = async (request: store.MailRequest) => {
    const { id, kind, address, url, language } = request
    const found = await users.findByEmail(db, address)
    // No mail is sent to a banned user, who could not sign in with the link. The person who requested it notices no difference, because
    // the request was answered before.
    const user = found && isBanned(found, clock.now()) ? undefined : found
    const recipient = user && { ...user, language: user.language ?? language }
    const write = recipient && (await answers[kind](recipient, url ?? undefined, await requesterOf(recipient, request)))
    const finish = (work: typeof write) =>
      transact(async (tx) => {
        if (await store.claimRequest(tx, id)) await work?.(tx)
      })
    await finish(write).catch((error: unknown) => {
      // The user was deleted meanwhile, so the request is finished like a request without an account.
      if (isForeignKeyViolation(error)) return finish(undefined)
      throw error
    })
  }
  return {
    request: async (principal, kind, address, url) => {
      await attempts.limitNetwork('mails', principal)
      return transact(async (tx) => {
        await store.insertRequest(tx, {
          id: random.id(),
          kind,
          address,
          url: url ?? null,
          language: languageOfCall(principal),
          createdAt: clock.now(),
          network: networkOf(principal.address),
          deviceId: principal.deviceId?.() ?? null,
        })
        afterCommit(tx, () => {
          for (const wake of listeners) wake()
        })
      })
    },
    send: async (principal, kind, user) => {
      const write = await answers[kind](user, undefined, requesterInNetwork(networkOf(principal.address)))
      await transact(async (tx) => write?.(tx))
    },
    run: async (stop) => {
      const rows = await store.listRequests(db, batch)
      let failed = 0
      for (const row of rows) {
        if (stop.aborted) return false
        await answer(row).catch((err: unknown) => {
          failed += 1
          log.error({ err, kind: row.kind }, 'a requested mail could not be made')
        })
      }
      return rows.length === batch && failed < batch
    },
    onRequest: (wake) => void listeners.push(wake),
    onRestore: async (tx, { isQueueHeld }) => {
      const dropped = isQueueHeld ? await store.deleteAllRequests(tx) : 0
      return dropped === 0 ? {} : { 'requested mails (dropped)': dropped }
    },
    retention: retentionOfRows({ db, transact }, 'requests for mails', 'that were made more than an hour ago', () =>
      store.requestsBefore(clock.after(-keptSeconds)),
    ),
  }
}
