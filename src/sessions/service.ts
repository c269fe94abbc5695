import type { Caller, CallerSession, Source, UserCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { sha256 } from '../core/crypto.ts'
import type { Db, Transact, Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { SessionsConfig } from './config.ts'
import * as store from './store.ts'

/** Asked inside the transaction in which sessions end, so that what hangs on them ends with them. */
export type SessionEnded = (tx: Tx, sessionIds: readonly string[]) => Promise<void>

/** A session just begun. `token` is shown once; only its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly session: CallerSession
  /** Life of the cookie in seconds; undefined: until the browser closes. */
  readonly cookieSeconds: number | undefined
}

export interface Sessions {
  /**
   * Begins a session. A token sent before is worthless: the caller's session ends, or, when it is the same user's, begins anew with what
   * hangs on it, for an application that asks for a newer sign-in must not end the tokens of the others.
   */
  start(tx: Tx, caller: Caller, userId: string, options: { readonly rememberMe: boolean }): Promise<StartedSession>
  /** The session of a token with its user, extended when it is due; undefined when unknown or expired. One read. */
  authenticate(token: string, source: Source, options: { readonly extend: boolean }): Promise<Authenticated | undefined>
  /** Ends one session. False when it was gone already. */
  end(tx: Tx, id: string): Promise<boolean>
  /** The user of a live session, or undefined. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /** Ends expired sessions in small batches. */
  sweep(): Promise<void>
}

export interface Authenticated {
  readonly caller: UserCaller
  /** Set when the session was extended: the cookie's new lifetime in seconds. */
  readonly renewedSeconds?: number
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: SessionsConfig
  readonly onEnded: readonly SessionEnded[]
}

const sweepBatch = 500

export const createSessions = ({ db, transact, clock, entropy, config, onEnded }: Deps): Sessions => {
  const tellEnded = async (tx: Tx, ids: readonly string[]) => {
    for (const tell of onEnded) await tell(tx, ids)
  }

  const end = async (tx: Tx, id: string) => {
    const ended = await store.deleteSession(tx, id)
    if (ended) await tellEnded(tx, [id])
    return ended
  }

  /** New end of a session that is used at `now`, or undefined when it need not move. */
  const extension = (session: store.SessionRow, now: Date): Date | undefined => {
    if (!session.rememberMe || now.getTime() - session.updatedAt.getTime() < config.updateAgeSeconds * 1000) return undefined
    const last = session.createdAt.getTime() + config.absoluteExpiresInSeconds * 1000
    const expiresAt = new Date(Math.min(now.getTime() + config.expiresInSeconds * 1000, last))
    return expiresAt > session.expiresAt ? expiresAt : undefined
  }

  return {
    end,
    start: async (tx, caller, userId, { rememberMe }) => {
      const before = caller.kind === 'user' ? caller.session : undefined
      if (before !== undefined && before.userId !== userId) await end(tx, before.id)
      const token = entropy.token(32)
      const now = clock.now()
      const seconds = rememberMe
        ? Math.min(config.expiresInSeconds, config.absoluteExpiresInSeconds)
        : config.shortExpiresInSeconds
      const begun = {
        userId,
        expiresAt: clock.after(seconds),
        createdAt: now,
        updatedAt: now,
        ipAddress: caller.address,
        userAgent: caller.userAgent,
        rememberMe,
        activeOrganizationId: null,
      }
      const isAgain =
        before?.userId === userId &&
        (await store.renew(tx, before.id, sha256(before.token), { ...begun, tokenHash: sha256(token) }))
      const session = { ...begun, id: isAgain ? before.id : entropy.id() }
      if (!isAgain) await store.insertSession(tx, { ...session, tokenHash: sha256(token) })
      return { token, session: { ...session, token }, cookieSeconds: rememberMe ? seconds : undefined }
    },
    authenticate: async (token, source, { extend }) => {
      const found = await store.findByTokenHash(db, sha256(token))
      const now = clock.now()
      if (found === undefined || found.session.expiresAt <= now) return undefined
      const { session, user } = found
      const later = extend ? extension(session, now) : undefined
      const moved = later !== undefined && (await transact((tx) => store.extend(tx, session.id, session.updatedAt, later, now)))
      const current = moved ? { ...session, expiresAt: later, updatedAt: now } : session
      const caller: UserCaller = { kind: 'user', ...source, user, session: { ...current, token } }
      return moved ? { caller, renewedSeconds: Math.round((later.getTime() - now.getTime()) / 1000) } : { caller }
    },
    ownerOf: async (reader, sessionId) => {
      const session = await store.findSession(reader, sessionId)
      return session !== undefined && session.expiresAt > clock.now() ? session.userId : undefined
    },
    sweep: async () => {
      for (;;) {
        const ended = await transact(async (tx) => {
          const ids = await store.deleteExpired(tx, clock.now(), sweepBatch)
          if (ids.length > 0) await tellEnded(tx, ids)
          return ids.length
        })
        if (ended < sweepBatch) return
      }
    },
  }
}
