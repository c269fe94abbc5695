import { isBanned } from '../../access/ban.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { type Db, lockRow, type Tx } from '../../core/db/database.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { Credentials, Identities } from '../../identity/identities/index.ts'
import type { User } from '../../identity/users/index.ts'
import type { NewMail } from '../../mail/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails, Outbox } from './account-mails.ts'
import { sharedKeyPrefix, verificationEvents } from './events.ts'
import type { Answer } from './mail-requests.ts'
import { mailedPurposes, type Noticed, type OneTimeTokens } from './one-time-tokens.ts'

/** The link in a notice with which the reader answers "this was not me" (docs/design/sign-in.md#changes-of-sign-in-methods). */
export interface ReportLink {
  readonly token: string
  readonly ttlSeconds: number
}

/** A sign-in method of an account. */
export interface WayIn {
  readonly kind: 'provider' | 'passkey' | 'security-key' | 'totp'
  /** The id of an identity provider, or the name that the owner has given to the method. */
  readonly name: string | null
  readonly addedAt: Date | null
}

export interface Reported {
  readonly email: string
  readonly isNewPasswordMailed: boolean
  readonly waysIn: readonly WayIn[]
  /** The sign-in methods that were removed: the methods that the notice reported, and the methods that were added later. */
  readonly removed: readonly WayIn[]
}

/** Mails notices about changes of an account, and handles answers to notices. */
export interface Notices {
  /**
   * Mails a notice to the present mail address of the user. `make` gets the link for the answer. The link is undefined if the user has
   * never proven the address: its reader may be another person, who must not be able to end anything. `added` names the added sign-in
   * methods as in `Noticed`.
   */
  send(tx: Tx, user: User, make: (link: ReportLink | undefined) => NewMail, added?: readonly string[]): Promise<void>
  /**
   * Handles the answer "this was not me". Ends all sessions, tokens and remembered browsers of the user. If links can set passwords,
   * removes the password and mails a link for a new one. Removes the sign-in methods that the notice reported, and methods that were
   * added later; older methods stay. All notices so far count as answered, unless their answer could still remove something. Throws
   * INVALID_TOKEN.
   */
  report(principal: Principal, token: string): Promise<Reported>
  /** The sign-in methods of a user other than mail and password. */
  waysIn(db: Db, userId: string): Promise<readonly WayIn[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events'> {
  readonly identities: Pick<Identities, 'providersOf' | 'listOf' | 'unlink'>
  readonly credentials: Pick<Credentials, 'find' | 'remove'>
  readonly secondFactors: Pick<SecondFactors, 'list' | 'remove'>
  readonly sessions: Pick<Sessions, 'endAll' | 'forgetDevices'>
  readonly tokens: OneTimeTokens
  readonly mail: Outbox
  readonly accountMails: Pick<AccountMails, 'requesterOf'>
  readonly resetMail: Answer
  /** True if passwords can sign in and mailed links can set new ones. */
  readonly isResetOn: boolean
}

const isWayIn = (kind: string): kind is WayIn['kind'] => kind === 'passkey' || kind === 'security-key' || kind === 'totp'

export const createNotices = (deps: Deps): Notices => {
  const { db, transact, clock, events, identities, credentials, secondFactors, sessions, tokens, mail } = deps
  const { accountMails, resetMail, isResetOn } = deps

  const waysIn: Notices['waysIn'] = async (reader, userId) => {
    const providers = await identities.providersOf(reader, userId)
    const factors = await secondFactors.list(reader, userId)
    return [
      ...[...new Set(providers)].map((name) => ({ kind: 'provider' as const, name, addedAt: null })),
      ...factors.flatMap(({ kind, name, createdAt }) => (isWayIn(kind) ? [{ kind, name, addedAt: createdAt }] : [])),
    ]
  }

  /** Removes the password, because another person may know it. Mails a link for setting a new one. */
  const replacePassword = async (tx: Tx, principal: Principal, user: User): Promise<boolean> => {
    const mayReset = isResetOn && !isBanned(user, clock.now()) && (await credentials.find(tx, user.id)) !== undefined
    if (!mayReset) return false
    await credentials.remove(tx, user.id)
    const write = await resetMail(inLanguageOf(principal, user), undefined, accountMails.requesterOf(principal))
    await write?.(tx)
    return true
  }

  /**
   * Removes the sign-in methods that the notice reported, and methods that were added later. The owner says that another person has added
   * them.
   */
  const removeAdded = async (tx: Tx, principal: Principal, userId: string, { at, added }: Noticed): Promise<readonly WayIn[]> => {
    if (at === undefined) return []
    const isAdded = (name: string, createdAt: Date) => added.includes(name) || createdAt >= at
    const removed: WayIn[] = []
    for (const { id, kind, name, createdAt, removable } of await secondFactors.list(tx, userId)) {
      if (!removable || !isWayIn(kind) || !isAdded(kind === 'totp' ? kind : id, createdAt)) continue
      if (await secondFactors.remove(tx, principal, userId, id)) removed.push({ kind, name, addedAt: createdAt })
    }
    for (const identity of await identities.listOf(tx, userId)) {
      if (!isAdded(identity.id, identity.createdAt)) continue
      await identities.unlink(tx, principal, identity)
      removed.push({ kind: 'provider', name: identity.providerId, addedAt: identity.createdAt })
    }
    return removed
  }

  /** Returns a test for earlier notices: true if an answer to the notice would still remove something. */
  const createIsWanted = async (tx: Tx, userId: string) => {
    const left: { readonly name: string; readonly createdAt: Date }[] = []
    for (const { id, kind, createdAt } of await secondFactors.list(tx, userId))
      left.push({ name: kind === 'totp' ? kind : id, createdAt })
    for (const { id, createdAt } of await identities.listOf(tx, userId)) left.push({ name: id, createdAt })
    return ({ at, added }: Noticed) =>
      // It is not known whether a shared key was deleted meanwhile. A notice about a shared key therefore always stays.
      at !== undefined &&
      (added.some((name) => name.startsWith(sharedKeyPrefix)) ||
        left.some(({ name, createdAt }) => added.includes(name) || createdAt >= at))
  }

  return {
    waysIn,
    send: async (tx, user, make, added = []) => {
      if (!user.emailVerified) return void (await mail.enqueue(tx, make(undefined)))
      const token = await tokens.issueReport(tx, user, added)
      const isSent = await mail.enqueue(tx, make({ token, ttlSeconds: tokens.ttlSeconds.report }))
      if (!isSent) await tokens.withdraw(tx, 'report', token)
    },
    report: async (principal, token) => {
      const holder = await tokens.check(db, 'report', token)
      if (holder === undefined) throw tokens.invalidToken('report')
      return transact(async (tx) => {
        await lockRow(tx, 'user', holder.id)
        const consumed = await tokens.consumeReport(tx, token)
        if (consumed === undefined) throw tokens.invalidToken('report')
        const { user, noticed } = consumed
        // Links of earlier notices end, because their use would sign the owner out again. Other mailed links end too: the other person
        // may have requested them, and without a password nothing else would end them.
        for (const purpose of mailedPurposes) if (purpose !== 'report') await tokens.withdrawAll(tx, purpose, user.id)
        const removed = await removeAdded(tx, principal, user.id, noticed)
        await tokens.withdrawReports(tx, user.id, await createIsWanted(tx, user.id))
        await sessions.endAll(tx, principal, user.id)
        // A browser that is known to the account may belong to the other person.
        await sessions.forgetDevices(tx, user.id)
        const isNewPasswordMailed = await replacePassword(tx, principal, user)
        const data = { isResetMailed: isNewPasswordMailed }
        const type = verificationEvents['user.activity_reported']
        await events.record(tx, principal, type, { subject: user.id, data, transient: { ...noticed, added: [...noticed.added] } })
        return { email: user.email, isNewPasswordMailed, waysIn: await waysIn(tx, user.id), removed }
      })
    },
  }
}
