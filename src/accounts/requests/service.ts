import type { Caller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import { afterCommit, type Db, type Transact, type Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { languageOfCall } from '../../core/language.ts'
import type { Log } from '../../core/log.ts'
import { networkOf } from '../../core/network.ts'
import { sweep } from '../../core/sweep.ts'
import type { Asker } from '../../mail/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { User, Users } from '../../users/index.ts'
import { askerInNetwork } from '../asker.ts'
import { countNetwork, type NetworkLimit } from '../network-limit.ts'
import * as store from './store.ts'

export type RequestKind = store.MailRequest['kind']

/** Makes the mail of one kind for a user; what it returns writes it, in the transaction that takes the request. */
export type Answer = (user: User, url: string | undefined, asker: Asker) => Promise<((tx: Tx) => Promise<void>) | undefined>

/**
 * Mails that strangers ask for by naming an address. The request writes one row whether the address is somebody's or not, and a job
 * looks it up afterwards: no difference in work, so none in time, tells a stranger which addresses are known.
 */
export interface MailRequests {
  /** Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER: a network that asked without end would keep the mails of all others waiting. */
  ask(caller: Caller, kind: RequestKind, address: string, url: string | undefined): Promise<void>
  /** Answers what was asked, a batch at most; true when there may be more. */
  run(stop: AbortSignal): Promise<boolean>
  onAsked(wake: () => void): void
  sweep(stop?: AbortSignal): Promise<unknown>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly users: Users
  readonly sessions: Pick<Sessions, 'isKnownDevice'>
  /** Undefined: no limit. */
  readonly limit: NetworkLimit | undefined
  readonly answers: Readonly<Record<RequestKind, Answer>>
}

const batch = 20
/** What could not be answered for so long is given up. */
const keptSeconds = 3_600

export const createMailRequests = ({
  db,
  transact,
  clock,
  entropy,
  log,
  users,
  sessions,
  limit,
  answers,
}: Deps): MailRequests => {
  const listeners: (() => void)[] = []
  /** A browser that has signed in to the account before is counted by itself, everybody else by network. */
  const askerOf = async (user: User, { network, deviceId }: store.MailRequest): Promise<Asker> =>
    deviceId !== null && (await sessions.isKnownDevice(db, user.id, deviceId))
      ? { key: sha256(`device:${deviceId}`), isKnown: true }
      : askerInNetwork(network)
  const answer = async (request: store.MailRequest) => {
    const { id, kind, address, url, language } = request
    const user = await users.findByEmail(db, address)
    const recipient = user && { ...user, language: user.language ?? language }
    const write = recipient && (await answers[kind](recipient, url ?? undefined, await askerOf(recipient, request)))
    await transact(async (tx) => {
      if (await store.takeRequest(tx, id)) await write?.(tx)
    })
  }
  return {
    ask: async (caller, kind, address, url) => {
      await countNetwork(limit, 'mails', caller)
      return transact(async (tx) => {
        await store.insertRequest(tx, {
          id: entropy.id(),
          kind,
          address,
          url: url ?? null,
          language: languageOfCall(caller),
          createdAt: clock.now(),
          network: networkOf(caller.address),
          deviceId: caller.deviceId?.() ?? null,
        })
        afterCommit(tx, () => {
          for (const wake of listeners) wake()
        })
      })
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
    onAsked: (wake) => void listeners.push(wake),
    sweep: (stop) => sweep(transact, (tx, limit) => store.deleteOldRequests(tx, clock.after(-keptSeconds), limit), stop),
  }
}
