import type { z } from 'zod'
import type { PersonPrincipal, UserPrincipal } from '../../../../access/principal.ts'
import type { RequireProof } from '../../../../access/proof.ts'
import type { Core } from '../../../../core/core.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Identities } from '../../../../identity/identities/index.ts'
import type { ManagedUsers } from '../../../../identity/users/index.ts'
import type { Sessions } from '../../../sessions/index.ts'
import { socialErrors } from '../contract.ts'
import type { SignInMethod, UnlinkAccount } from './contract.ts'

/** Shows users their sign-in methods, and lets them remove a method. */
export interface LinkedAccounts {
  list(principal: PersonPrincipal): Promise<z.output<typeof SignInMethod>[]>
  /** The sign-in methods of a user, for administrators. Throws NOT_FOUND. */
  listOf(userId: string): Promise<z.output<typeof SignInMethod>[]>
  /**
   * Removes a sign-in method of the caller. Throws the errors of `RequireProof`, YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT and ACCOUNT_NOT_FOUND.
   * Throws UNAUTHORIZED if the session has ended meanwhile.
   */
  unlink(principal: UserPrincipal, input: z.output<typeof UnlinkAccount>): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly config: { readonly unlinkingAllAllowed: boolean }
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly identities: Pick<Identities, 'listAll' | 'requireAny' | 'unlink'>
  readonly managedUsers: Pick<ManagedUsers, 'get'>
  readonly requireProof: RequireProof
  /** Counts the sign-in methods of the user, in all features. */
  readonly countSignInMethods: (tx: Tx, userId: string) => Promise<number>
}

/** Stored scopes are separated by commas, not by blanks (accounts specification, section 3). */
const scopesOf = (scope: string | null) => (scope ?? '').split(',').filter((part) => part !== '')

export const createLinkedAccounts = ({
  db,
  transact,
  config,
  sessions,
  identities,
  managedUsers,
  requireProof,
  countSignInMethods,
}: Deps): LinkedAccounts => {
  const listAll = async (userId: string) => {
    const accounts = await identities.listAll(db, userId)
    return accounts.map(({ id, providerId, createdAt, updatedAt, accountId, scope }) => ({
      id,
      provider: providerId,
      providerId,
      userId,
      createdAt,
      updatedAt,
      accountId,
      scopes: scopesOf(scope),
    }))
  }
  return {
    list: ({ user }) => listAll(user.id),
    listOf: async (userId) => {
      await managedUsers.get(userId)
      return listAll(userId)
    },
    unlink: async (principal, choice) => {
      await requireProof(principal, 'unlink-account')
      await transact(async (tx) => {
        const { user } = principal
        // This check also locks the user. Of two simultaneous removals, the second one therefore sees the first, and the user keeps one
        // method.
        await sessions.requireAlive(tx, principal)
        if (!config.unlinkingAllAllowed && (await countSignInMethods(tx, user.id)) <= 1)
          throw socialErrors.error('YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT')
        await identities.unlink(tx, principal, await identities.requireAny(tx, user.id, choice))
      })
    },
  }
}
