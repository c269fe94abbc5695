import { isBanned } from '../../access/ban.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { RoleDirectory } from '../roles/index.ts'
import type { AdministeredPerson } from './contract.ts'
import type { User, Users } from './service.ts'

/** Users as administrators see them, and the check whether a principal may act on a user. */
export interface ManagedUsers {
  /** Finds a user by id. Throws NOT_FOUND. */
  get(id: string): Promise<AdministeredPerson>
  /** Finds a user by the id or address that an operator has entered. Throws USER_NOT_FOUND. */
  require(idOrEmail: string): Promise<AdministeredPerson>
  /** The form of a user that administrators see, at this moment. */
  view(user: User): AdministeredPerson
  /** Locks a user so that the principal can act on them. Throws NOT_FOUND, and FORBIDDEN for a user with more permissions than the principal. */
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
      // If two administrators act on each other at once, the second may have lost the permission by now.
      if (!(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
      return user
    },
  }
}
