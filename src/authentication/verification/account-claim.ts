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
 * Gives an account to the person who has just proven its mail address. The account has never verified the address before. This prevents
 * pre-hijacking: the person who created the account loses all access. Passwords, identities, second factors, sessions, known browsers and
 * all tokens of applications are deleted. The caller has locked the row of the user.
 */
export type ClaimAccount = (
  tx: Tx,
  actor: Actor,
  user: Pick<User, 'id' | 'email' | 'emailEverVerified'>,
  /** Returns true for identities of the owner that are not deleted. Without them the owner would have no sign-in method left. */
  keeps?: (identity: Identity) => boolean,
) => Promise<void>

/**
 * What happens to an account that another person has created with the owner's mail address: the owner gets a new account, or takes over
 * the existing one.
 */
export type AddressClaim = 'start-fresh' | 'take-over'

interface ClaimOptions {
  /** What the owner has chosen; undefined if the owner was not asked. */
  readonly wanted?: AddressClaim | undefined
  readonly maySignUp: boolean
  /** Creates a new account for the owner of the mail address. It is called after the existing account has given up the address. */
  readonly create: (email: string) => Promise<User>
}

/** Decides what happens to an account with an unverified mail address when a person proves that address. */
export interface AddressClaims {
  /** True if the account's user has proven another mail address before. Such an account is never handed over. */
  isOthers(user: Pick<User, 'emailEverVerified'>): boolean
  /** What the owner would take over with the account: organizations, API keys and invitations. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /**
   * Returns the account for the person who has proven the mail address of `user`: the existing account, to which its creator loses
   * access, or a new account with the address. An account whose user once proved another address is never handed over. An account with
   * organizations or API keys is handed over only if the owner wants that, or if nobody can sign up. Undefined if neither account is
   * possible. The caller has locked the row of `user`.
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
    // If the account has verified another mail address before, its second factors belong to the real owner. They must not be removed for
    // a person who only has access to a mailbox.
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

  /**
   * True if the owner of the mail address takes over the account. If the account has organizations or API keys, the owner has to choose
   * that, or sign-up has to be closed.
   */
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
