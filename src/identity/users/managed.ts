import { isBanned } from '../../access/ban.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { RoleDirectory } from '../roles/index.ts'
import type { AdministeredPerson } from './contract.ts'
import type { User, Users } from './service.ts'

/** Finds users as administrators see them, and checks whether a principal may act on a user. */
export interface ManagedUsers {
  /** Finds a user by id. Throws NOT_FOUND. */
  get(id: string): Promise<AdministeredPerson>
  /** Finds a user by the id or email address that an operator has entered. Throws USER_NOT_FOUND. */
  require(idOrEmail: string): Promise<AdministeredPerson>
  /** A user as administrators see it now. For example, it says whether a ban still lasts. */
  view(user: User): AdministeredPerson
  /**
   * Locks a user until the transaction ends, and checks that the principal may act on the user. Throws NOT_FOUND, and FORBIDDEN if the
   * user has more permissions than the principal.
   */
  requireManageable(tx: Tx, principal: PermittedPrincipal, id: string): Promise<User>
}

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly users: Users
  readonly instanceRoles: RoleDirectory
}

export const createManagedUsers = ({ db, clock, users, instanceRoles }: Deps): ManagedUsers => {
  const stateOf = ({ secondFactorSince, secondFactorDue }: User): AdministeredPerson['secondFactor'] => {
    if (secondFactorSince !== null) return 'on'
    if (secondFactorDue === null) return 'none'
    return secondFactorDue <= clock.now() ? 'overdue' : 'required'
  }
  const view: ManagedUsers['view'] = (user) => {
    const banned = isBanned(user, clock.now())
    const banExpires = banned ? user.banExpiresAt : null
    return { ...user, banned, banReason: banned ? user.banReason : null, banExpires, secondFactor: stateOf(user) }
  }
  const notFound = () => coreErrors.error('NOT_FOUND', { message: 'User not found' })
  return {
    view,
    get: async (id) => {
      const user = await users.find(db, id)
      if (user === undefined) throw notFound()
      return view(user)
    },
    require: async (idOrEmail) => view(await users.require(db, idOrEmail)),
    requireManageable: async (tx, principal, id) => {
      await lockRow(tx, 'user', id)
      const user = await users.find(tx, id)
      if (user === undefined) throw notFound()
      if (!instanceRoles.coversRole(principal, user.role)) throw coreErrors.error('FORBIDDEN')
      // If two administrators act on each other at the same time, the second of them may have lost the permission meanwhile.
      if (!(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
      return user
    },
  }
}
