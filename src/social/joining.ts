import type { Identities, ProviderTokens, TakeOver } from '../accounts/index.ts'
import type { Caller, UserCaller } from '../core/caller.ts'
import { sha256 } from '../core/crypto.ts'
import { type Db, lockRow, type Transact, type Tx, uniqueViolation } from '../core/database.ts'
import { AppError } from '../core/errors.ts'
import { parseEmail, plainText } from '../core/wire.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import type { SocialConfig } from './config.ts'
import { socialErrors } from './errors.ts'
import type { SocialProfile } from './rules/definition.ts'
import { isAdministrator, mayLink, maySignUp, nameOf, pictureOf } from './rules/linking.ts'
import type { Upstream } from './upstream/types.ts'

/** Somebody whom a provider vouches for. */
export interface Arriving {
  readonly upstream: Upstream
  readonly profile: SocialProfile
  readonly tokens: ProviderTokens
  /** Asked inside the transaction of the sign-in or link: throws when what vouches for them was used before. */
  readonly spend?: (tx: Tx) => Promise<void>
}

export interface Joined {
  readonly user: User
  readonly started: StartedSession
  /** True when the user was created by this. */
  readonly isNew: boolean
}

/** How people from providers become users of ours. Refusals carry the codes of the callback. */
export interface Joining {
  /** Signs in the user of this identity, links it to the user of the address, or creates a user. */
  signIn(caller: Caller, arriving: Arriving, requestSignUp: boolean): Promise<Joined>
  /** Links the identity to the signed-in user. */
  link(caller: UserCaller, arriving: Arriving): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly users: Users
  readonly sessions: Sessions
  readonly identities: Identities
  readonly takeOver: TakeOver
  readonly config: SocialConfig
  /** Strangers may create accounts at all (`accounts.signUpEnabled`). */
  readonly signUpEnabled: boolean
}

const raced = new Error('another request was faster')
const isRace = (error: unknown) =>
  error === raced || uniqueViolation(error) !== undefined || (error instanceof AppError && error.code === 'USER_ALREADY_EXISTS')

/** Attempts before a race counts as lost for good. */
const attempts = 4

export const createJoining = ({ db, transact, users, sessions, identities, takeOver, config, signUpEnabled }: Deps): Joining => {
  /** The address in our form; where the provider has none, a placeholder when one is configured. */
  const emailOf = ({ upstream, profile }: Arriving): string | undefined => {
    const email = profile.email === undefined ? undefined : parseEmail(profile.email)
    const domain = upstream.section.placeholderEmailDomain
    return email ?? (domain === undefined ? undefined : `${upstream.id}-${sha256(profile.id).slice(0, 24)}@${domain}`)
  }
  const isCalledVerified = ({ profile }: Arriving) => profile.emailVerified && profile.email !== undefined
  /** The provider has proven the address, and is believed (decision 0083). */
  const isProven = (arriving: Arriving) => arriving.upstream.trustsEmail && isCalledVerified(arriving)

  /** Runs `work` with what is stored of the identity; once more when a simultaneous request changed that. */
  const settle = async <T>(
    { upstream, profile, tokens }: Arriving,
    work: (tx: Tx, stored: Awaited<ReturnType<Identities['find']>>, sealed: ReturnType<Identities['seal']>) => Promise<T>,
    lost: () => AppError,
  ): Promise<T> => {
    if (!plainText(255, 1).safeParse(profile.id).success) throw socialErrors.refuse('UNABLE_TO_GET_USER_INFO')
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const seen = await identities.find(db, upstream.id, profile.id)
      const sealed = identities.seal(tokens, seen?.id)
      try {
        return await transact(async (tx) => {
          const stored = await identities.find(tx, upstream.id, profile.id)
          if (stored?.id !== seen?.id) throw raced
          return work(tx, stored, sealed)
        })
      } catch (error) {
        if (!isRace(error)) throw error
      }
    }
    throw lost()
  }

  const create = (tx: Tx, arriving: Arriving, email: string, requestSignUp: boolean) => {
    const { upstream, profile } = arriving
    if (!signUpEnabled || !maySignUp([config, upstream.section], requestSignUp)) throw socialErrors.refuse('SIGNUP_DISABLED')
    return users.create(tx, {
      name: nameOf(profile.name, email.split('@')[0] ?? email),
      email,
      emailVerified: isProven(arriving),
      image: pictureOf(profile.image),
    })
  }

  /** The user that has the address, made ready for the link. */
  const adopt = async (tx: Tx, arriving: Arriving, found: User): Promise<void> => {
    if (!mayLink(config, arriving.upstream.id, isProven(arriving))) throw socialErrors.refuse('ACCOUNT_NOT_LINKED')
    await lockRow(tx, 'user', found.id)
    const current = await users.find(tx, found.id)
    if (current === undefined || current.email !== found.email) throw raced
    // They link it themselves, signed in.
    if (isAdministrator(current)) throw socialErrors.refuse('ACCOUNT_NOT_LINKED')
    if (current.emailVerified) return
    // Its holder has proven another address and may have mistyped this one: nobody's to take.
    if (current.emailEverVerified) throw socialErrors.refuse('ACCOUNT_NOT_LINKED')
    await takeOver(tx, found)
  }

  return {
    signIn: (caller, arriving, requestSignUp) =>
      settle(
        arriving,
        async (tx, stored, sealed) => {
          const { upstream, profile, spend } = arriving
          await spend?.(tx)
          const email = emailOf(arriving)
          const begin = async (user: User, isNew: boolean) => {
            // The provider has proven the address that the user has here.
            if (isProven(arriving) && email === user.email) await users.verifyEmail(tx, user.id, user)
            const started = await sessions.start(tx, caller, user.id, { rememberMe: true })
            return { user: (await users.find(tx, user.id)) ?? user, started, isNew }
          }
          if (stored !== undefined) {
            await lockRow(tx, 'user', stored.userId)
            // Unlinked, taken over or deleted since it was read: nobody's any more.
            if (!(await identities.update(tx, sealed))) throw raced
            const user = await users.find(tx, stored.userId)
            if (user === undefined) throw raced
            return begin(user, false)
          }
          if (email === undefined) throw socialErrors.refuse('EMAIL_NOT_FOUND')
          const found = await users.findByEmail(tx, email)
          if (found !== undefined) await adopt(tx, arriving, found)
          const user = found ?? (await create(tx, arriving, email, requestSignUp))
          await identities.insert(tx, user.id, upstream.id, profile.id, sealed)
          return begin(user, found === undefined)
        },
        () => socialErrors.refuse('UNABLE_TO_CREATE_USER'),
      ),

    link: (caller, arriving) =>
      settle(
        arriving,
        async (tx, stored, sealed) => {
          await arriving.spend?.(tx)
          await lockRow(tx, 'user', caller.user.id)
          // One that a reset or a sign-out has ended since the request came links nothing.
          if ((await sessions.ownerOf(tx, caller.session.id)) !== caller.user.id)
            throw socialErrors.refuse('UNABLE_TO_LINK_ACCOUNT')
          if (stored?.userId === caller.user.id) {
            if (!(await identities.update(tx, sealed))) throw raced
            return
          }
          const { upstream, profile } = arriving
          const email = emailOf(arriving)
          if (email === undefined) throw socialErrors.refuse('EMAIL_NOT_FOUND')
          // It is the user's own choice here: what the provider calls verified is enough.
          if (!mayLink(config, upstream.id, isCalledVerified(arriving))) throw socialErrors.refuse('UNABLE_TO_LINK_ACCOUNT')
          const user = await users.find(tx, caller.user.id)
          if (user === undefined) throw socialErrors.refuse('UNABLE_TO_LINK_ACCOUNT')
          if (email !== user.email && !config.allowDifferentEmails) throw socialErrors.refuse('EMAIL_DOESNT_MATCH')
          if (stored !== undefined) throw socialErrors.refuse('ACCOUNT_ALREADY_LINKED_TO_DIFFERENT_USER')
          await identities.insert(tx, user.id, upstream.id, profile.id, sealed)
          if (isProven(arriving) && email === user.email) await users.verifyEmail(tx, user.id, user)
        },
        () => socialErrors.refuse('UNABLE_TO_LINK_ACCOUNT'),
      ),
  }
}
