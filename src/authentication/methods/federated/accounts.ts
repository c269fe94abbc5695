import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { lockRow, type Tx, uniqueViolation } from '../../../core/db/database.ts'
import { AppError } from '../../../core/errors.ts'
import { parseEmail, plainText } from '../../../core/wire.ts'
import type { Identities, ProviderTokens } from '../../../identity/identities/index.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Attempts, AuthenticationMethod, Outcome } from '../../attempts/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AddressClaims } from '../../verification/index.ts'
import type { SocialConfig } from './config.ts'
import { socialErrors } from './contract.ts'
import type { IdentityProvider } from './providers/provider.ts'
import type { ExternalProfile } from './rules/definition.ts'
import { isAdministrator, mayLink, maySignUp, nameOf, pictureOf } from './rules/linking.ts'

/** An account at an identity provider, with the tokens that the provider issued. */
export interface ExternalIdentity {
  readonly provider: IdentityProvider
  readonly profile: ExternalProfile
  readonly tokens: ProviderTokens
  /** Called in the transaction of the sign-in or link. Throws INVALID_TOKEN if the ID token was used before. */
  readonly preventReplay?: (tx: Tx) => Promise<void>
}

export interface SignedIn {
  readonly user: User
  readonly outcome: Outcome
  /** True if the sign-in has created the user. */
  readonly isNew: boolean
}

/** Signs people in with accounts at identity providers, and links such accounts to users. The errors have the codes of the provider callback. */
export interface FederatedAccounts {
  /**
   * Signs in the user to whom this identity is linked. If it is linked to nobody, it is linked to the user with its mail address, or a
   * new user is created.
   */
  signIn(principal: Principal, identity: ExternalIdentity, requestSignUp: boolean): Promise<SignedIn>
  /** Links the identity to the signed-in user. */
  link(principal: UserPrincipal, identity: ExternalIdentity): Promise<void>
  /** The user whom a sign-in with this identity would sign in, and the mail address of the identity. Both are stored with a failed sign-in. */
  ownerOf(identity: ExternalIdentity): Promise<{ readonly userId: string | undefined; readonly email: string | undefined }>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'secrets'> {
  readonly users: Users
  readonly attempts: Attempts
  readonly sessions: Pick<Sessions, 'ownerOf'>
  readonly identities: Identities
  readonly addressClaims: Pick<AddressClaims, 'isOthers' | 'settle'>
  readonly config: SocialConfig
  /** The identity providers whose sign-in counts as two factors. */
  readonly trustedProviders: readonly string[]
  /** True if people can sign up (`accounts.signUpEnabled`). */
  readonly signUpEnabled: boolean
}

const raceLost = new Error('a concurrent request changed the identity or the user')
const isRaceLost = (error: unknown) =>
  error === raceLost ||
  uniqueViolation(error) !== undefined ||
  (error instanceof AppError && error.code === 'USER_ALREADY_EXISTS')

/** A sign-in at an identity provider. RFC 8176 defines no `amr` value for it. */
const federatedMethod: AuthenticationMethod = { name: 'federated', amr: [], factors: ['knowledge'] }
/** A sign-in at an identity provider that itself requires two factors. The operator lists such providers in `secondFactor.trustedProviders`. */
const federatedWithTwoFactors: AuthenticationMethod = { ...federatedMethod, factors: ['knowledge', 'possession'] }

/** The number of tries after which a conflict with a concurrent request becomes an error. */
const maxTries = 4

/**
 * Makes a placeholder mail address. It has a keyed hash, because account ids at providers are public. Without the key, another person
 * could compute the address, sign up with it first, and so keep the owner out.
 */
const placeholderOf = ({ secrets }: Deps, { provider, profile }: ExternalIdentity, domain: string) =>
  `${provider.id}-${sha256(secrets.sign('placeholder-addresses', `${provider.id}:${profile.id}`)).slice(0, 24)}@${domain}`

/**
 * The normalized mail address of the identity. If the provider gives none, it is a placeholder address, provided that the configuration
 * sets a domain for placeholders.
 */
const emailOf = (deps: Deps, identity: ExternalIdentity): string | undefined => {
  const { provider, profile } = identity
  const email = profile.email === undefined ? undefined : parseEmail(profile.email)
  const domain = provider.section.placeholderEmailDomain
  return email ?? (domain === undefined ? undefined : placeholderOf(deps, identity, domain))
}

const isCalledVerified = ({ profile }: ExternalIdentity) => profile.emailVerified && profile.email !== undefined

/** True if the provider says that the mail address is verified, and if the provider is trusted about that (docs/design/sign-in.md#providers). */
const isProven = (identity: ExternalIdentity) => identity.provider.trustsEmail && isCalledVerified(identity)

/**
 * Calls `work` in a transaction with the stored identity. After a conflict with a concurrent change it is called again, at most
 * `maxTries` times.
 */
const withRetries = async <T>(
  { db, transact, identities }: Deps,
  { provider, profile, tokens }: ExternalIdentity,
  work: (tx: Tx, stored: Awaited<ReturnType<Identities['find']>>, sealed: ReturnType<Identities['seal']>) => Promise<T>,
  conflict: () => AppError,
): Promise<T> => {
  if (!plainText(255, 1).safeParse(profile.id).success) throw socialErrors.error('UNABLE_TO_GET_USER_INFO')
  for (let attempt = 1; attempt <= maxTries; attempt += 1) {
    const seen = await identities.find(db, provider.id, profile.id)
    const sealed = identities.seal(tokens, seen?.id)
    try {
      return await transact(async (tx) => {
        const stored = await identities.find(tx, provider.id, profile.id)
        if (stored?.id !== seen?.id) throw raceLost
        return work(tx, stored, sealed)
      })
    } catch (error) {
      if (!isRaceLost(error)) throw error
    }
  }
  throw conflict()
}

const createUser = (
  { users, config, signUpEnabled }: Deps,
  tx: Tx,
  principal: Principal,
  identity: ExternalIdentity,
  email: string,
  requestSignUp: boolean,
) => {
  const { provider, profile } = identity
  if (!signUpEnabled || !maySignUp([config, provider.section], requestSignUp)) throw socialErrors.error('SIGNUP_DISABLED')
  return users.create(tx, principal, {
    name: nameOf(profile.name, email.split('@')[0] ?? email),
    email,
    emailVerified: isProven(identity),
    image: pictureOf(profile.image),
  })
}

/**
 * Called if a user with the mail address of the identity exists. Decides whether the identity may sign in as that user. Returns that
 * user, or a new user to whom the address is given.
 */
const prepareExistingUser = async (
  deps: Deps,
  tx: Tx,
  principal: Principal,
  identity: ExternalIdentity,
  found: User,
  requestSignUp: boolean,
): Promise<User> => {
  const { users, addressClaims, config, signUpEnabled } = deps
  if (!mayLink(config, identity.provider.id, isProven(identity))) throw socialErrors.error('ACCOUNT_NOT_LINKED')
  await lockRow(tx, 'user', found.id)
  const current = await users.find(tx, found.id)
  if (current === undefined || current.email !== found.email) throw raceLost
  // A mail address alone never signs in an administrator. Administrators have to link accounts while they are signed in.
  if (isAdministrator(current)) throw socialErrors.error('ACCOUNT_NOT_LINKED')
  if (current.emailVerified) return current
  // A provider may be trusted for linking although it does not verify mail addresses. Such a provider cannot take an address away from
  // its owner.
  if (addressClaims.isOthers(current) && !isProven(identity)) throw socialErrors.error('ACCOUNT_NOT_LINKED')
  const settled = await addressClaims.settle(tx, principal, current, {
    maySignUp: signUpEnabled,
    create: (email) => createUser(deps, tx, principal, identity, email, requestSignUp),
  })
  if (settled === undefined) throw socialErrors.error('ACCOUNT_NOT_LINKED')
  return settled
}

const signIn = (deps: Deps): FederatedAccounts['signIn'] => {
  const { users, attempts, identities, trustedProviders } = deps
  return (principal, identity, requestSignUp) =>
    withRetries(
      deps,
      identity,
      async (tx, stored, sealed) => {
        const { provider, profile, preventReplay } = identity
        await preventReplay?.(tx)
        const email = emailOf(deps, identity)
        const startSession = async (user: User, isNew: boolean) => {
          // The provider has verified a mail address, and it is the user's own address here.
          if (isProven(identity) && email === user.email) await users.verifyEmail(tx, principal, user.id, user)
          const method = trustedProviders.includes(provider.id) ? federatedWithTwoFactors : federatedMethod
          const proof = attempts.proof({ ...method, provider: provider.id }, user.id)
          const current = (await users.find(tx, user.id)) ?? user
          const outcome = await attempts.concludeWith(tx, principal, current, [proof], { rememberMe: true })
          return { user: current, outcome, isNew }
        }
        if (stored !== undefined) {
          await lockRow(tx, 'user', stored.userId)
          // Another request has unlinked, taken over or deleted the identity since it was read.
          if (!(await identities.update(tx, sealed))) throw raceLost
          const user = await users.find(tx, stored.userId)
          if (user === undefined) throw raceLost
          return startSession(user, false)
        }
        if (email === undefined) throw socialErrors.error('EMAIL_NOT_FOUND')
        const found = await users.findByEmail(tx, email)
        const user = await (found === undefined
          ? createUser(deps, tx, principal, identity, email, requestSignUp)
          : prepareExistingUser(deps, tx, principal, identity, found, requestSignUp))
        await identities.insert(tx, principal, user.id, provider.id, profile.id, sealed)
        return startSession(user, user.id !== found?.id)
      },
      () => socialErrors.error('UNABLE_TO_CREATE_USER'),
    )
}

const linkIdentity = (deps: Deps): FederatedAccounts['link'] => {
  const { users, sessions, identities, config } = deps
  return (principal, identity) =>
    withRetries(
      deps,
      identity,
      async (tx, stored, sealed) => {
        await identity.preventReplay?.(tx)
        await lockRow(tx, 'user', principal.user.id)
        // If the caller's session has ended since the request began, the account is not linked.
        if ((await sessions.ownerOf(tx, principal.session.id)) !== principal.user.id)
          throw socialErrors.error('UNABLE_TO_LINK_ACCOUNT')
        if (stored?.userId === principal.user.id) {
          if (!(await identities.update(tx, sealed))) throw raceLost
          return
        }
        const { provider, profile } = identity
        const email = emailOf(deps, identity)
        if (email === undefined) throw socialErrors.error('EMAIL_NOT_FOUND')
        // The signed-in user has chosen this account. It is enough that the provider calls the mail address verified, whether or not the
        // provider is trusted.
        if (!mayLink(config, provider.id, isCalledVerified(identity))) throw socialErrors.error('UNABLE_TO_LINK_ACCOUNT')
        const user = await users.find(tx, principal.user.id)
        if (user === undefined) throw socialErrors.error('UNABLE_TO_LINK_ACCOUNT')
        if (email !== user.email && !config.allowDifferentEmails) throw socialErrors.error('EMAIL_DOESNT_MATCH')
        if (stored !== undefined) throw socialErrors.error('ACCOUNT_ALREADY_LINKED_TO_DIFFERENT_USER')
        await identities.insert(tx, principal, user.id, provider.id, profile.id, sealed)
        if (isProven(identity) && email === user.email) await users.verifyEmail(tx, principal, user.id, user)
      },
      () => socialErrors.error('UNABLE_TO_LINK_ACCOUNT'),
    )
}

const ownerOf = (deps: Deps): FederatedAccounts['ownerOf'] => {
  const { db, users, identities } = deps
  return async (identity) => {
    const email = emailOf(deps, identity)
    const stored = await identities.find(db, identity.provider.id, identity.profile.id)
    const userId = stored?.userId ?? (email === undefined ? undefined : (await users.findByEmail(db, email))?.id)
    return { userId, email }
  }
}

export const createAccounts = (deps: Deps): FederatedAccounts => {
  return {
    signIn: signIn(deps),
    link: linkIdentity(deps),
    ownerOf: ownerOf(deps),
  }
}
