import type { Core, Holdings } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Identities, Identity } from '../../identity/identities/index.ts'
import type { User } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { ReleaseAddress } from './address-recovery.ts'
import { verificationEvents } from './events.ts'

/**
 * Defence against pre-hijacking: hands an account over to the person who has proven its never verified address. Its creator keeps no
 * access: password, identities, second factors, sessions, known browsers and all tokens of applications are deleted. The caller has
 * locked the user's row.
 */
export type ClaimAccount = (
  tx: Tx,
  actor: Actor,
  user: Pick<User, 'id' | 'email' | 'emailEverVerified'>,
  /** Identities that stay: known ones of the owner, if no other sign-in method would be left. */
  keeps?: (identity: Identity) => boolean,
) => Promise<void>

/** The choice of an address's owner when another person has made an account with it. */
export type AddressClaim = 'start-fresh' | 'take-over'

interface ClaimOptions {
  /** The owner's answer; undefined: not asked. */
  readonly wanted?: AddressClaim | undefined
  readonly maySignUp: boolean
  /** Makes a new account for the owner of the address, which is free by then. */
  readonly create: (email: string) => Promise<User>
}

/** Decides about an account with an unverified address when another person proves the address. */
export interface AddressClaims {
  /** True for an account that is never handed over, because its person has proven another address. */
  isOthers(user: Pick<User, 'emailEverVerified'>): boolean
  /** Parts of the account that its next owner would share. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /**
   * The account for the person who has proven the address of `user`, whose row is locked: the same account, without access for its
   * creator, or a new one with the address. An account whose person once proved another address is never handed over. A shared one is
   * handed over only if the owner wants it, or nobody can sign up. Undefined if neither is possible.
   */
  settle(tx: Tx, actor: Actor, user: User, options: ClaimOptions): Promise<User | undefined>
}

interface Deps extends Pick<Core, 'events'> {
  readonly sessions: Sessions
  readonly attempts: Pick<Attempts, 'forgetFailures'>
  readonly identities: Identities
  readonly secondFactors: SecondFactors
}

export const createClaimAccount =
  ({ sessions, attempts, identities, secondFactors, events }: Deps): ClaimAccount =>
  async (tx, actor, user, keeps) => {
    await identities.removeAll(tx, user.id, keeps)
    // The sign-in methods belong to an owner who was known before: a mailbox alone does not replace them.
    if (!user.emailEverVerified) await secondFactors.removeAll(tx, actor, user.id)
    await sessions.endAll(tx, actor, user.id)
    await sessions.forgetDevices(tx, user.id)
    await attempts.forgetFailures(tx, user)
    await events.record(tx, actor, verificationEvents['user.claimed'], {
      ...{ subject: user.id, data: {} },
      transient: { isTakenOver: !user.emailEverVerified },
    })
  }

interface ClaimsDeps {
  readonly claimAccount: ClaimAccount
  readonly release: ReleaseAddress
  readonly holdingsOf: AddressClaims['holdingsOf']
}

export const createAddressClaims = ({ claimAccount, release, holdingsOf }: ClaimsDeps): AddressClaims => {
  const isOthers: AddressClaims['isOthers'] = ({ emailEverVerified }) => emailEverVerified

  const mayShare = async (tx: Tx, userId: string) => {
    const { organizations, apiKeys } = await holdingsOf(tx, userId)
    return organizations.length > 0 || apiKeys > 0
  }

  /** True if the account is handed over. Without the owner's answer, a shared account is not. */
  const isTakenOver = async (tx: Tx, user: User, { wanted, maySignUp }: ClaimOptions) => {
    if (isOthers(user)) return false
    if (!maySignUp) return true
    return wanted === undefined ? !(await mayShare(tx, user.id)) : wanted === 'take-over'
  }

  return {
    isOthers,
    holdingsOf,
    settle: async (tx, actor, user, options) => {
      if (await isTakenOver(tx, user, options)) {
        await claimAccount(tx, actor, user)
        return user
      }
      if (!options.maySignUp || !(await release(tx, actor, user))) return undefined
      return options.create(user.email)
    },
  }
}
