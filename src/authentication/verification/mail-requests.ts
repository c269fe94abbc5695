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

/** Composes a kind of mail for a user. The returned function stores the mail, in the transaction that deletes the request. */
export type Answer = (
  user: User,
  url: string | undefined,
  requester: Requester,
) => Promise<((tx: Tx) => Promise<void>) | undefined>

/**
 * Mails that an anonymous request can cause by naming an address. The request always writes one row, and a job looks up the address
 * afterwards. Every request therefore takes the same time, which hides whether an account exists.
 */
export interface MailRequests {
  /** Requests a mail. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER, because endless requests of a network would delay all other mails. */
  request(principal: Principal, kind: RequestKind, address: string, url: string | undefined): Promise<void>
  /** Requests the mail for a user whom an operator names. An operator may know that the account exists. */
  send(principal: Principal, kind: RequestKind, user: User): Promise<void>
  /** Makes the mails of a batch of requests. Returns true if there may be more requests. */
  run(stop: AbortSignal): Promise<boolean>
  onRequest(wake: () => void): void
  readonly retention: Retention
  /** Deletes requests from before a restored backup while the queue is held. People who still wait can request another mail. */
  readonly onRestore: RestoreStep
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'log'> {
  readonly users: Users
  readonly sessions: Pick<Sessions, 'isKnownDevice'>
  readonly attempts: Pick<Attempts, 'limitNetwork'>
  readonly answers: Readonly<Record<RequestKind, Answer>>
}

const batch = 20
/** Seconds after which a request is dropped. */
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
  /** A browser that the account knows is counted alone. All other browsers are counted with their network. */
  const requesterOf = async (user: User, { network, deviceId }: store.MailRequest): Promise<Requester> =>
    deviceId !== null && (await sessions.isKnownDevice(db, user.id, deviceId))
      ? { key: sha256(`device:${deviceId}`), isKnown: true }
      : requesterInNetwork(network)
  const answer = async (request: store.MailRequest) => {
    const { id, kind, address, url, language } = request
    const found = await users.findByEmail(db, address)
    // A banned user could not sign in with the link, so no mail is sent. The response was sent before, so nobody sees the difference.
    const user = found && isBanned(found, clock.now()) ? undefined : found
    const recipient = user && { ...user, language: user.language ?? language }
    const write = recipient && (await answers[kind](recipient, url ?? undefined, await requesterOf(recipient, request)))
    const finish = (work: typeof write) =>
      transact(async (tx) => {
        if (await store.claimRequest(tx, id)) await work?.(tx)
      })
    await finish(write).catch((error: unknown) => {
      // The user was deleted meanwhile, so the address has no account now.
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
