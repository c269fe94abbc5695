import { z } from 'zod'
import { isBanned } from '../../../access/ban.ts'
import type { Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { languageOfCall } from '../../../core/language.ts'
import { networkOf } from '../../../core/network.ts'
import type { TaskKind } from '../../../core/queue.ts'
import { hourSeconds } from '../../../core/time.ts'
import { withQuery } from '../../../core/web.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Mail, Requester } from '../../../mail/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AccountMails } from '../../verification/index.ts'
import type { MailSignInConfig } from './contract.ts'
import { mailSignInErrors } from './contract.ts'
import { lifeSeconds } from './rules.ts'
import * as store from './store.ts'

/** The URLs of the pages to which the link leads. They come from the request, and were checked to be trusted. */
export interface Targets {
  readonly callbackURL?: string | undefined
  readonly newUserCallbackURL?: string | undefined
  readonly errorCallbackURL?: string | undefined
}

/** A request for a mail with which a person signs in. */
export interface Question extends Targets {
  readonly email: string
  /** The name of the person, for a new account. */
  readonly name?: string | undefined
}

export interface Asking {
  /**
   * Requests a mail with a link and a code. The same rows are written whether or not the mail address has an account. A task decides
   * later whether a mail is sent. Throws SIGN_IN_BY_MAIL_IS_NOT_ENABLED, INVALID_EMAIL and TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER.
   */
  ask(principal: Principal, question: Question): Promise<void>
  /** The task that makes the mail, unless the person could not sign in with it. */
  readonly task: TaskKind<unknown>
}

interface Deps extends Core {
  readonly users: Users
  readonly sessions: Pick<Sessions, 'isKnownDevice' | 'placeOf'>
  readonly attempts: Pick<Attempts, 'limitNetwork'>
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly config: MailSignInConfig
  readonly maySignUp: boolean
}

const Asked = z.object({
  id: z.string(),
  deviceId: z.string(),
  address: z.string(),
  userAgent: z.string(),
  language: z.int().nullable(),
  targets: z.record(z.string(), z.string()),
  timeZone: z.string().optional(),
})

/** Identifies the combination of a browser and a mail address. */
export const browserHashOf = (email: string, deviceId: string): string => sha256(`mail-sign-in:${email}:${deviceId}`)

/**
 * The text from which the stored keyed hash of a code is made. It contains the id of the row. A hash that is copied into another row is
 * therefore useless.
 */
export const codeOf = (id: string, code: string): string => `mail-sign-in:${id}:${code}`

const given = (targets: Targets): Record<string, string> =>
  Object.fromEntries(
    [
      // By default the link leads to the start page, and errors are shown on a page of this server.
      ['callbackURL', targets.callbackURL ?? '/'],
      ['newUserCallbackURL', targets.newUserCallbackURL],
      ['errorCallbackURL', targets.errorCallbackURL ?? (targets.callbackURL === undefined ? '/error' : undefined)],
    ].filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

export const createAsking = (deps: Deps): Asking => {
  const { db, transact, clock, random, secrets, queue, users, sessions, attempts, mail, accountMails, config, maySignUp } = deps

  const task: TaskKind<z.output<typeof Asked>> = {
    kind: 'mail-sign-in.answer',
    payload: Asked,
    isSealed: true,
    maxAttempts: 5,
    backOffSeconds: [1, 30],
    leaseSeconds: 30,
    concurrency: 4,
    keepDeadSeconds: hourSeconds,
    handle: async ({ payload: { id, deviceId, address, userAgent, language, targets, timeZone } }) => {
      const row = await store.findSignIn(db, id)
      if (row === undefined || row.expiresAt <= clock.now()) return undefined
      const user = await users.findByEmail(db, row.email)
      // No mail is sent to a person who could not sign in with it.
      if (user === undefined ? !maySignUp : isBanned(user, clock.now())) return undefined
      const isKnown = user !== undefined && (await sessions.isKnownDevice(db, user.id, deviceId))
      const network = networkOf(address)
      const requester: Requester = { key: sha256(isKnown ? `device:${deviceId}` : `network:${network}`), isKnown }
      const [code, token] = [random.digits(6), random.token(32)]
      const url = withQuery(`${deps.url}/magic-link/verify`, { token, ...targets, timeZone })
      const recipient = { name: user?.name ?? row.name ?? '', email: row.email, language: user?.language ?? language }
      const from = sessions.placeOf({ userAgent, address })
      const message = accountMails.signIn(recipient, code, url, from, lifeSeconds, requester)
      const made = {
        ...{ codeHash: secrets.sign('mailed-codes', codeOf(id, code)), linkHash: sha256(token) },
        ...{ userId: user?.id ?? null, emailVersion: user?.emailVersion ?? null },
      }
      return async (tx) => {
        if (!(await store.complete(tx, id, made))) return
        // If the mail address has received too many mails, this mail is not sent. Its link and code must then be invalid.
        if (!(await mail.enqueue(tx, message))) await store.withdraw(tx, id)
      }
    },
  }

  return {
    task: task as TaskKind<unknown>,
    ask: async (principal, { email: typed, name = null, ...targets }) => {
      if (!config.enabled) throw mailSignInErrors.error('SIGN_IN_BY_MAIL_IS_NOT_ENABLED')
      const email = users.requireEmail(typed)
      await attempts.limitNetwork('mails', principal)
      const { address, userAgent, timeZone } = principal
      const deviceId = principal.deviceId?.() ?? random.token(32)
      const id = random.id()
      const now = clock.now()
      await transact(async (tx) => {
        await store.replaceSignIn(tx, {
          ...{ id, email, browserHash: browserHashOf(email, deviceId), name, codeHash: null, linkHash: null, userId: null },
          ...{ emailVersion: null, attempts: 0, createdAt: now, expiresAt: clock.after(lifeSeconds) },
        })
        await queue.enqueue(tx, task, {
          payload: { id, deviceId, address, userAgent, language: languageOfCall(principal), targets: given(targets), timeZone },
        })
      })
    },
  }
}
