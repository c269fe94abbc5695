import { can } from '../../access/can.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core, SignInMethodCount } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { IfMatch } from '../../core/etag.ts'
import type { ManagedUsers, User, Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { ListedFactor, SecondFactors } from '../second-factors/index.ts'
import type { UserFactors } from './contract.ts'
import { factorAdministrationErrors } from './contract.ts'

/**
 * Lets administrators and the command line manage the second factors of other users. An administrator cannot change users who have more
 * permissions than the administrator. A change ends the user's pending sign-ins. Sessions of the user continue.
 */
export interface FactorAdministration {
  /** The second factors of a user. Throws NOT_FOUND. */
  get(userId: string): Promise<UserFactors>
  /** Requires a second factor of this user, or ends that requirement. Throws NOT_FOUND and FORBIDDEN. */
  require(principal: PermittedPrincipal, userId: string, isRequired: boolean, ifMatch: Check): Promise<UserFactors>
  /**
   * Removes one second factor. Throws NOT_FOUND, FORBIDDEN and RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR. Throws
   * THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED if principals remove their own last factor although one is required of them.
   */
  remove(principal: PermittedPrincipal, userId: string, factorId: string, ifMatch: Check): Promise<UserFactors>
  /** Removes all second factors of a user. Throws the errors of `remove`. */
  removeAll(principal: PermittedPrincipal, userId: string, ifMatch: Check): Promise<UserFactors>
}

type Check = IfMatch<UserFactors>

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly users: Pick<Users, 'find'>
  readonly managedUsers: Pick<ManagedUsers, 'requireManageable'>
  readonly secondFactors: SecondFactors
  readonly attempts: Pick<Attempts, 'endPending'>
  readonly countSignInMethods: SignInMethodCount
}

/** Mailed codes are not listed, because the user does not own them as a factor. */
const isOwned = (factor: ListedFactor): factor is ListedFactor & Pick<UserFactors['factors'][number], 'kind'> =>
  ['totp', 'passkey', 'security-key', 'recovery-code'].includes(factor.kind)

export const createFactorAdministration = (deps: Deps): FactorAdministration => {
  const { db, transact, users, managedUsers, secondFactors, attempts, countSignInMethods } = deps

  const read = async (reader: Db, user: User): Promise<UserFactors> => {
    const requirement = await secondFactors.requirementOf(reader, user)
    return {
      ...{ userId: user.id, twoFactorEnabled: user.twoFactorEnabled, required: user.secondFactorRequired },
      factors: (await secondFactors.list(reader, user.id)).filter(isOwned),
      rememberedBrowsers: await secondFactors.countRemembered(reader, user.id),
      requirement:
        requirement === undefined ? null : { ...requirement, roles: [...requirement.roles], dueAt: user.secondFactorDue },
      signInMethods: await countSignInMethods(reader, user.id),
    }
  }

  const find = async (reader: Db, id: string): Promise<UserFactors> => {
    const user = await users.find(reader, id)
    if (user === undefined) throw coreErrors.error('NOT_FOUND', { message: 'User not found' })
    return read(reader, user)
  }

  const change = (
    principal: PermittedPrincipal,
    id: string,
    ifMatch: Check,
    work: (tx: Tx, user: User, before: UserFactors) => Promise<void>,
  ): Promise<UserFactors> =>
    transact(async (tx) => {
      if (!can(principal, 'users:set-password')) throw coreErrors.error('FORBIDDEN')
      const user = await managedUsers.requireManageable(tx, principal, id)
      const before = await read(tx, user)
      ifMatch(before)
      await work(tx, user, before)
      return find(tx, id)
    })

  return {
    get: (id) => find(db, id),
    require: (principal, id, isRequired, ifMatch) =>
      change(principal, id, ifMatch, (tx, user) => secondFactors.require(tx, principal, user, isRequired)),
    remove: (principal, id, factorId, ifMatch) =>
      change(principal, id, ifMatch, async (tx, _, { factors }) => {
        if (factors.some((one) => one.id === factorId && !one.removable))
          throw factorAdministrationErrors.error('RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR')
        if (!(await secondFactors.remove(tx, principal, id, factorId)))
          throw coreErrors.error('NOT_FOUND', { message: 'Second factor not found' })
        await attempts.endPending(tx, id)
      }),
    removeAll: (principal, id, ifMatch) =>
      change(principal, id, ifMatch, async (tx) => {
        await secondFactors.removeAll(tx, principal, id)
        await attempts.endPending(tx, id)
      }),
  }
}
