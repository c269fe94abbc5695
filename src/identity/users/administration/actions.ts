import type { z } from 'zod'
import { can } from '../../../access/can.ts'
import type { Permission } from '../../../access/permissions.ts'
import type { PermittedPrincipal } from '../../../access/principal.ts'
import { administratorRole, defaultRole, includesRole, splitRoles } from '../../../access/roles.ts'
import type { PasswordService, RecoveryLink, SignUp } from '../../../authentication/methods/password/index.ts'
import type { ListedSession, Sessions } from '../../../authentication/sessions/index.ts'
import type { Core } from '../../../core/core.ts'
import { lockRow, type Tx } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import type { Deletion } from '../../deletion/index.ts'
import type { RoleDirectory } from '../../roles/index.ts'
import type { User, Users } from '../service.ts'
import type { administrationContract } from './contract/actions.ts'
import { administrationErrors } from './contract/actions.ts'

type CreateUser = z.output<typeof administrationContract.createUser.body>
type NamedRoles = string | readonly string[]

/**
 * What administrators and commands can do with a user. Two rules hold: a principal cannot give permissions that the principal does not
 * have, and cannot act on a user who has more permissions. Both are checked in the transaction, while the user is locked.
 */
export interface UserActions {
  /**
   * Creates a user. Throws USER_ALREADY_EXISTS, VALIDATION_ERROR for unknown fields, ROLE_IS_NOT_KNOWN, the errors of the password
   * policy, and the errors for user names.
   */
  create(principal: PermittedPrincipal, input: CreateUser): Promise<{ readonly user: User; readonly link?: RecoveryLink }>
  /**
   * Makes a link with which a person can set the user's password. Throws USER_NOT_FOUND, FORBIDDEN for the caller's own account, and the
   * errors of `Resets.createRecoveryLink`.
   */
  createLink(principal: PermittedPrincipal, idOrEmail: string, options: { readonly secondFactor: boolean }): Promise<RecoveryLink>
  /**
   * Sets the roles of a user. Throws USER_NOT_FOUND, ROLE_IS_NOT_KNOWN and THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED. Throws
   * ADDRESS_IS_NOT_VERIFIED if a user whose email address is not verified would get a role.
   */
  setRole(principal: PermittedPrincipal, idOrEmail: string, role: NamedRoles): Promise<User>
  /**
   * Sets the password of a user. Only with `replaces`, the user may already have a password. Throws USER_NOT_FOUND,
   * USER_ALREADY_HAS_A_PASSWORD, and the errors of the password policy.
   */
  setPassword(
    principal: PermittedPrincipal,
    idOrEmail: string,
    password: string,
    options: { readonly replaces: boolean },
  ): Promise<User>
  /**
   * Bans a user for `seconds`, or until the ban is lifted if `seconds` is undefined. Throws USER_NOT_FOUND, YOU_CANNOT_BAN_YOURSELF and
   * THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED.
   */
  ban(principal: PermittedPrincipal, idOrEmail: string, reason: string | undefined, seconds: number | undefined): Promise<User>
  /** Lifts the ban of a user. Does nothing if the user is not banned. Throws USER_NOT_FOUND. */
  unban(principal: PermittedPrincipal, idOrEmail: string): Promise<User>
  /**
   * Deletes a user, unless `check` throws. Throws USER_NOT_FOUND, YOU_CANNOT_REMOVE_YOURSELF, and the errors of guards that forbid the
   * deletion.
   */
  remove(principal: PermittedPrincipal, idOrEmail: string, check?: (user: User) => void): Promise<User>
  /** Lists a user's sessions, including sessions in which an administrator impersonates the user. Throws USER_NOT_FOUND. */
  listSessions(principal: PermittedPrincipal, idOrEmail: string): Promise<readonly ListedSession[]>
  /** Ends one session. Throws SESSION_NOT_FOUND. */
  endSession(principal: PermittedPrincipal, idOrToken: string): Promise<void>
  /** Ends all sessions of a user. Throws USER_NOT_FOUND. */
  endSessions(principal: PermittedPrincipal, idOrEmail: string): Promise<User>
}

export interface UserActionsDeps extends Pick<Core, 'db' | 'transact' | 'clock'> {
  readonly users: Users
  readonly accounts: Pick<SignUp, 'prepare'>
  readonly passwordService: Pick<
    PasswordService,
    'set' | 'requireEnabled' | 'requireLinkable' | 'sendFirstLink' | 'createRecoveryLink'
  >
  readonly deletion: Pick<Deletion, 'remove'>
  readonly sessions: Pick<Sessions, 'list' | 'require' | 'end' | 'endAll'>
  readonly instanceRoles: Pick<RoleDirectory, 'parseRoles' | 'coversRole' | 'permissionsOfRoles'>
}

const present = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Throws if the new user could not sign in for the first time in the way that the call chooses. */
const requireFirstSignIn = (
  { passwordService }: UserActionsDeps,
  firstSignIn: CreateUser['firstSignIn'],
  { hasPassword, emailVerified }: { readonly hasPassword: boolean; readonly emailVerified: boolean },
) => {
  if (firstSignIn === undefined) return
  if (hasPassword)
    throw coreErrors.error('VALIDATION_ERROR', {
      issues: [{ path: 'firstSignIn', message: 'is instead of password, not beside it' }],
    })
  passwordService.requireEnabled()
  if (firstSignIn === 'link') passwordService.requireLinkable({ emailVerified })
}

const usualReason = 'No reason'

export const createUserActions = (deps: UserActionsDeps): UserActions => {
  const { db, transact, clock, users, accounts, passwordService, deletion, sessions, instanceRoles } = deps

  const requirePermission = (principal: PermittedPrincipal, permission: Permission) => {
    if (!can(principal, permission)) throw coreErrors.error('FORBIDDEN')
  }

  const requireCovered = (principal: PermittedPrincipal, user: Pick<User, 'role'>) => {
    if (!instanceRoles.coversRole(principal, user.role))
      throw administrationErrors.error('YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS')
  }

  const requireMayGive = (principal: PermittedPrincipal, role: string) => {
    if (!instanceRoles.coversRole(principal, role))
      throw administrationErrors.error('YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE')
  }

  /** True if the new roles add a permission, or a role that only applications give a meaning. */
  const isMore = (before: string, role: string) => {
    const had = instanceRoles.permissionsOfRoles(before)
    return splitRoles(role).some((name) => {
      if (name === defaultRole || includesRole(before, name)) return false
      const given = [...instanceRoles.permissionsOfRoles(name)]
      return given.length === 0 || given.some((permission) => !had.has(permission))
    })
  }

  /** Throws FORBIDDEN if the caller's session or role has ended, for example because two administrators remove each other. */
  const requireStillPermitted = async (tx: Tx, principal: PermittedPrincipal) => {
    if (!(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
  }

  const isSelf = (principal: PermittedPrincipal, id: string) => 'user' in principal && principal.user.id === id

  /** Finds and locks the user, checks that the principal may act on the user, and runs `work`. */
  const onUser = <T>(
    principal: PermittedPrincipal,
    permission: Permission,
    idOrEmail: string,
    work: (tx: Tx, user: User) => Promise<T>,
  ): Promise<T> =>
    transact(async (tx) => {
      requirePermission(principal, permission)
      const { id } = await users.require(tx, idOrEmail, { status: 404 })
      await lockRow(tx, 'user', id)
      const user = await users.require(tx, id, { status: 404 })
      requireCovered(principal, user)
      await requireStillPermitted(tx, principal)
      return work(tx, user)
    })

  return {
    create: async (principal, { email, name, password, firstSignIn, role: given, data = {} }) => {
      requirePermission(principal, 'users:create')
      const { role: roleInData, emailVerified, username, displayUsername, ...others } = data
      const role = instanceRoles.parseRoles(given ?? (roleInData === undefined ? defaultRole : [roleInData].flat().map(String)))
      if (role !== defaultRole && !can(principal, 'users:set-role'))
        throw administrationErrors.error('YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE')
      requireMayGive(principal, role)
      if (emailVerified !== undefined && typeof emailVerified !== 'boolean')
        throw coreErrors.error('VALIDATION_ERROR', {
          issues: [{ path: 'data.emailVerified', message: 'expected true or false' }],
        })
      requireFirstSignIn(deps, firstSignIn, { hasPassword: password !== undefined, emailVerified: emailVerified === true })
      // On an instance without user names, `username` and `displayUsername` are configured fields, or unknown ones.
      if (username !== undefined && !users.fields.has('username')) users.names.requireOn()
      const rest = users.names.isOn ? others : { ...others, ...present({ username, displayUsername }) }
      const names = users.names.forNewUser({ username, displayUsername })
      const fields = users.fields.forOperator(Object.entries(rest).map(([field, value]) => `${field}=${String(value)}`))
      const account = { name, email: users.requireEmail(email), role, emailVerified: emailVerified ?? false, fields, names }
      const prepared = password === undefined ? undefined : await accounts.prepare(principal, { ...account, password })
      const user = await transact(async (tx) => {
        await requireStillPermitted(tx, principal)
        return prepared === undefined ? users.create(tx, principal, account) : (await prepared.insert(tx)).user
      })
      if (firstSignIn === 'mail') await passwordService.sendFirstLink(principal, user)
      return firstSignIn === 'link' ? { user, link: await passwordService.createRecoveryLink(principal, user.id) } : { user }
    },
    createLink: async (principal, idOrEmail, { secondFactor }) => {
      requirePermission(principal, 'users:set-password')
      const { id } = await users.require(db, idOrEmail, { status: 404 })
      const check = async (user: User, tx: Tx) => {
        if (isSelf(principal, user.id))
          throw coreErrors.error('FORBIDDEN', { message: 'Change your own password with /change-password' })
        requireCovered(principal, user)
        await requireStillPermitted(tx, principal)
      }
      return passwordService.createRecoveryLink(principal, id, { secondFactor, check })
    },
    setRole: (principal, idOrEmail, named) =>
      onUser(principal, 'users:set-role', idOrEmail, async (tx, user) => {
        const role = instanceRoles.parseRoles(named)
        requireMayGive(principal, role)
        if (role === user.role) return user
        if (isMore(user.role, role)) users.requireVerified(user)
        if (!includesRole(role, administratorRole)) await users.requireOtherAdministrator(tx, user.id)
        await users.setRole(tx, principal, user, role)
        return { ...user, role }
      }),
    setPassword: async (principal, idOrEmail, password, { replaces }) => {
      requirePermission(principal, 'users:set-password')
      // Checks before the password is hashed. The transaction checks again, because the caller may lose the role meanwhile.
      const check = async (user: User, tx?: Tx) => {
        requireCovered(principal, user)
        if (tx !== undefined) await requireStillPermitted(tx, principal)
      }
      await users.require(db, idOrEmail, { status: 404 })
      return passwordService.set(principal, idOrEmail, password, { replaces, check })
    },
    ban: (principal, idOrEmail, reason, seconds) =>
      onUser(principal, 'users:ban', idOrEmail, async (tx, user) => {
        if (isSelf(principal, user.id)) throw administrationErrors.error('YOU_CANNOT_BAN_YOURSELF')
        const expiresAt = seconds === undefined ? null : clock.after(seconds)
        const given = reason?.trim() || principal.reason
        const actor = given === undefined ? principal : { ...principal, reason: given }
        await users.ban(tx, actor, user.id, { reason: given ?? usualReason, expiresAt })
        return users.require(tx, user.id)
      }),
    unban: (principal, idOrEmail) =>
      onUser(principal, 'users:ban', idOrEmail, async (tx, user) => {
        await users.unban(tx, principal, user.id)
        return users.require(tx, user.id)
      }),
    remove: (principal, idOrEmail, check) =>
      onUser(principal, 'users:delete', idOrEmail, async (tx, user) => {
        check?.(user)
        if (isSelf(principal, user.id)) throw administrationErrors.error('YOU_CANNOT_REMOVE_YOURSELF')
        await deletion.remove(tx, principal, user)
        return user
      }),
    listSessions: async (principal, idOrEmail) => {
      requirePermission(principal, 'user-sessions:read')
      const { id } = await users.require(db, idOrEmail, { status: 404 })
      return sessions.list(id, { withImpersonations: true })
    },
    endSession: (principal, idOrToken) =>
      transact(async (tx) => {
        requirePermission(principal, 'user-sessions:delete')
        const session = await sessions.require(tx, idOrToken)
        requireCovered(principal, await users.require(tx, session.userId))
        await requireStillPermitted(tx, principal)
        await sessions.end(tx, principal, session)
      }),
    endSessions: (principal, idOrEmail) =>
      onUser(principal, 'user-sessions:delete', idOrEmail, async (tx, user) => {
        await sessions.endAll(tx, principal, user.id)
        return user
      }),
  }
}
