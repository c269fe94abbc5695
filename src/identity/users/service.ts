import type { z } from 'zod'
import type { Ban } from '../../access/ban.ts'
import { can } from '../../access/can.ts'
import type { PersonPrincipal, Principal, RequireAlive } from '../../access/principal.ts'
import { defaultRole, splitRoles } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import { type Db, lockRow, type Tx, uniqueViolation } from '../../core/db/database.ts'
import { coreErrors, type ErrorDetails } from '../../core/errors.ts'
import type { Actor } from '../../core/events/record.ts'
import { parseEmail } from '../../core/wire.ts'
import type { RoleDirectory } from '../roles/index.ts'
import type { UsersConfig } from './config.ts'
import { userErrors, userEvents } from './contract.ts'
import { createUserFields, type UserFields } from './fields.ts'
import type { GivenName, StoredName, UserNames } from './names/service.ts'
import type { UpdateUser } from './profile/contract.ts'
import { banUser, createConfirmPermissions, createRequireOtherAdministrator, setRole, unbanUser } from './roles-and-bans.ts'
import type { FieldValues } from './rules.ts'
import * as store from './store.ts'

/** A person with an account (accounts specification, section 3). */
export interface User extends Ban, StoredName {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: string
  readonly language: number | null
  /** The time zone of the browser at the last sign-in. Null if unknown. */
  readonly timeZone: string | null
  /** How often the email address was changed. Links and codes contain this number, so that they become invalid when the address changes. */
  readonly emailVersion: number
  /** True if the user has ever verified an email address, this one or an earlier one. Then it is known who owns the account. */
  readonly emailEverVerified: boolean
  /** Those configured fields that answers contain, by name. On an instance with user names, also the user name. */
  readonly fields: FieldValues
  readonly banReason: string | null
  /** True if the password alone is not enough to sign in. */
  readonly twoFactorEnabled: boolean
  /** When the user got a second factor. Null if the user has none. */
  readonly secondFactorSince: Date | null
  /** From when the user must have a second factor. Null if the user needs none. */
  readonly secondFactorDue: Date | null
  /** True if an operator requires a second factor of this user, independently of the user's roles. */
  readonly secondFactorRequired: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewUser {
  /** The id for the user. Set if text with this id was signed before the user is created. When absent: the user gets a new id. */
  readonly id?: string
  readonly name: string
  /** The email address in lower case. */
  readonly email: string
  readonly emailVerified: boolean
  readonly image?: string | null | undefined
  readonly role?: string
  /** The configured fields. `Users.fields` has checked them. */
  readonly fields?: FieldValues | undefined
  /** The user name. `Users.names` has checked it. */
  readonly names?: StoredName | undefined
}

/** A change of a user's profile, which users and administrators can make. */
export interface UserPatch {
  readonly name?: string
  readonly image?: string | null
  readonly language?: number | null
  /** The configured fields to change, which `Users.fields` has checked. Other fields do not change. */
  readonly fields?: FieldValues
  /** The user name to set, which `Users.names` has checked. */
  readonly names?: GivenName
}

/** What is stored with the user about second factors. */
type SecondFactorChange = Partial<
  Pick<User, 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'>
>

export interface Users {
  /** Checks and reads the configured fields. */
  readonly fields: UserFields
  /** Checks and normalizes user names. */
  readonly names: UserNames
  /** What the configuration adds to a user in answers: configured fields and the user name. */
  fieldsOf(row: StoredName & { readonly fields: FieldValues | null }): FieldValues
  /** Turns a row, which may come from a join, into a user. */
  shown(row: store.UserRow): User
  find(db: Db, id: string): Promise<User | undefined>
  /** Finds a user by email address, which must be in lower case. */
  findByEmail(db: Db, email: string): Promise<User | undefined>
  /** Finds a user by normalized user name. Undefined on an instance without user names. */
  findByName(db: Db, name: string): Promise<User | undefined>
  /** Finds the user that an operator names by id, email address or user name. Throws USER_NOT_FOUND, with the message or status in `details`. */
  require(db: Db, named: string, details?: ErrorDetails<401 | 404>): Promise<User>
  /**
   * Like `require`, but for a call. A caller who may not read people has to name the user by id, so that no answer reveals whether an
   * email address has an account. Throws FORBIDDEN if such a caller names an email address.
   */
  requireFor(principal: Principal, db: Db, named: string, details?: ErrorDetails<401 | 404>): Promise<User>
  /** Sets the roles of a user. The roles must exist. The caller has locked the row of the user. */
  setRole(tx: Tx, actor: Actor, user: Pick<User, 'id' | 'role'>, role: string): Promise<void>
  /**
   * Creates a user. Throws USER_ALREADY_EXISTS and USERNAME_IS_ALREADY_TAKEN. If two requests create the same user, the unique indexes
   * decide.
   */
  create(tx: Tx, actor: Actor, user: NewUser): Promise<User>
  /** Marks an email address as verified, if the user still has it. Returns false if nothing has changed. */
  verifyEmail(tx: Tx, actor: Actor, id: string, address: store.Address): Promise<boolean>
  /**
   * Throws ADDRESS_IS_NOT_VERIFIED if the user's email address is not verified; the message says when the account was created. Somebody
   * may have signed up with the address of another person, and an operator must not give rights to such an account.
   */
  requireVerified(user: Pick<User, 'email' | 'emailVerified' | 'createdAt'>): void
  /** Checks an email address and returns it in lower case. Throws INVALID_EMAIL. */
  requireEmail(text: string): string
  /**
   * Changes the profile of the caller. Throws EMAIL_CAN_NOT_BE_UPDATED, FAILED_TO_UPDATE_USER for a deleted user, VALIDATION_ERROR for
   * configured fields, and the errors for user names.
   */
  updateProfile(principal: PersonPrincipal, input: z.output<typeof UpdateUser>): Promise<void>
  /**
   * Changes the profile of a user. The actor may be any principal. `isOwn`: the user makes the change. Returns false for a deleted user.
   * Throws VALIDATION_ERROR if all fields together are too long, and USERNAME_IS_IMMUTABLE. Throws USERNAME_IS_ALREADY_TAKEN by the
   * unique index; after that the transaction cannot continue.
   */
  change(tx: Tx, actor: Actor, id: string, patch: UserPatch, isOwn?: boolean): Promise<boolean>
  /**
   * Gives the user another email address, which is not verified. Returns `stale` if the user no longer has the expected address. Returns
   * `taken` if another user has the new address; after that the transaction cannot continue. `isByOperator`: the change is made with a
   * permission, and nothing shows that the address belongs to the user.
   */
  changeEmail(
    tx: Tx,
    actor: Actor,
    id: string,
    from: store.Address,
    newEmail: string,
    isByOperator?: boolean,
  ): Promise<'changed' | 'stale' | 'taken'>
  /**
   * Deletes a user and all rows that depend on the user. Returns false if the user was already deleted. Throws
   * THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED.
   */
  remove(tx: Tx, user: Pick<User, 'id'>): Promise<boolean>
  /**
   * Must be called in a transaction that takes the role from an administrator, or bans or deletes one. Throws
   * THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED if no other administrator could sign in. If two transactions call it at the same time, the
   * second waits for the first and sees its result.
   */
  requireOtherAdministrator(tx: Tx, id: string): Promise<void>
  /**
   * Must be called in a transaction, before a change that requires a permission on the instance. Such transactions run one after the
   * other. Returns false if the caller was deleted or banned, or has lost a permission, since the call began. Throws UNAUTHORIZED if the
   * caller's session has ended.
   */
  confirmPermissions(tx: Tx, principal: Principal): Promise<boolean>
  hasAdministrator(db: Db): Promise<boolean>
  /** Ids of the oldest administrators who are not banned. */
  listAdministratorIds(db: Db): Promise<readonly string[]>
  /** Stores what is known about a user's second factors. Only the feature `second-factors` may call it. */
  setSecondFactor(tx: Tx, id: string, change: SecondFactorChange): Promise<void>
  /** True if any user with more than the default role has a second factor. */
  hasSecondFactorAmongRoles(db: Db): Promise<boolean>
  /** The users who have more than the default role. */
  listWithRoles(db: Db): Promise<readonly Pick<User, 'id' | 'role' | 'createdAt' | keyof SecondFactorChange>[]>
  /** Counts the users who have no second factor although they should have added one before `now`. Counts only up to `most`. */
  countSecondFactorOverdue(db: Db, now: Date, most: number): Promise<number>
  /** Roles that users have but that this instance does not define. Such roles give no permissions. */
  unknownRoles(db: Db): Promise<readonly string[]>
  /** Stores the time zone of the browser with which a user has signed in. */
  noteTimeZone(tx: Tx, id: string, timeZone: string): Promise<unknown>
  /**
   * Bans a user. An existing ban is replaced. The caller has locked the row of the user. In the same transaction, reactions to
   * `user.banned` end the user's sessions and tokens.
   */
  ban(tx: Tx, actor: Actor, id: string, ban: { readonly reason: string; readonly expiresAt: Date | null }): Promise<void>
  /** Lifts the ban of a user. Returns false if the user was not banned. */
  unban(tx: Tx, actor: Actor, id: string): Promise<boolean>
}

interface Deps extends Pick<Core, 'transact' | 'clock' | 'random' | 'events' | 'security'> {
  readonly requireAlive: RequireAlive
  readonly config: UsersConfig
  readonly names: UserNames
  readonly instanceRoles: RoleDirectory
}

/** The error for a row of a user that a unique index has refused. */
const takenBy = ({ names }: Deps, error: unknown) => {
  const index = uniqueViolation(error)
  if (index === undefined) return error
  return index.includes('username') ? names.taken() : userErrors.error('USER_ALREADY_EXISTS')
}

const differing = (row: StoredName, name: StoredName) =>
  (['username', 'displayUsername'] as const).filter((column) => row[column] !== name[column])

const changeUser = (deps: Deps, fields: UserFields): Users['change'] => {
  const { clock, names, events } = deps
  return async (tx, actor, id, { fields: changes, names: given, ...patch }, isOwn = false) => {
    const needsRow = changes !== undefined || given !== undefined
    if (needsRow) await lockRow(tx, 'user', id)
    const row = needsRow ? await store.findUser(tx, id) : undefined
    if (needsRow && row === undefined) return false
    const name = row && given && names.change(row, given, isOwn)
    const merged = row && changes && { fields: fields.merge(row.fields, changes) }
    try {
      if (!(await store.updateUser(tx, id, { ...patch, ...merged, ...name }, clock.now()))) return false
    } catch (error) {
      throw takenBy(deps, error)
    }
    const changed = [...Object.keys(patch), ...Object.keys(changes ?? {}), ...(row && name ? differing(row, name) : [])]
    await events.record(tx, actor, userEvents['user.updated'], { subject: id, data: { fields: changed } })
    if (row && name && row.username !== name.username)
      await events.record(tx, actor, userEvents['user.username_changed'], {
        ...{ subject: id, data: { from: row.username, to: name.username } },
      })
    return true
  }
}

const recordVerified = ({ events }: Deps, tx: Tx, actor: Actor, id: string, email: string) =>
  events.record(tx, actor, userEvents['user.email_verified'], { subject: id, data: {}, transient: { email } })

const requireUser =
  ({ names }: Deps, findByEmail: Users['findByEmail'], find: Users['find'], findByName: Users['findByName']): Users['require'] =>
  async (db, named, details) => {
    const name = names.lookedFor(named)
    const user = named.includes('@')
      ? await findByEmail(db, parseEmail(named) ?? named.trim().toLowerCase())
      : // No name is as long as an id.
        ((await find(db, named)) ?? (name === undefined ? undefined : await findByName(db, name)))
    if (user === undefined) throw userErrors.error('USER_NOT_FOUND', details)
    return user
  }

const updateProfile =
  ({ transact, names }: Deps, fields: UserFields, change: Users['change']): Users['updateProfile'] =>
  async (principal, input) => {
    const { name, image, language, email } = input
    if (email) throw userErrors.error('EMAIL_CAN_NOT_BE_UPDATED')
    const changes = fields.forUpdate(input)
    const given = names.forUpdate(input)
    const patch = {
      ...(name === undefined ? {} : { name }),
      ...(image === undefined ? {} : { image }),
      ...(language === undefined ? {} : { language }),
      ...(Object.keys(changes).length === 0 ? {} : { fields: changes }),
      ...(Object.keys(given).length === 0 ? {} : { names: given }),
    }
    if (Object.keys(patch).length === 0) return
    await transact(async (tx) => {
      if (!(await change(tx, principal, principal.user.id, patch, true))) throw userErrors.error('FAILED_TO_UPDATE_USER')
    })
  }

const createUser = (deps: Deps, fields: UserFields, shown: Users['shown']): Users['create'] => {
  const { clock, random, events } = deps
  return async (
    tx,
    actor,
    { id = random.id(), name, email, emailVerified, image = null, role = defaultRole, fields: given = {}, names: chosen },
  ) => {
    const now = clock.now()
    const row = {
      ...{ id, name, email, emailVerified, image, role, language: null, timeZone: null, createdAt: now, updatedAt: now },
      ...{ twoFactorEnabled: false, secondFactorSince: null, secondFactorDue: null, secondFactorRequired: false },
      ...{ emailVersion: 0, emailEverVerified: emailVerified, fields: fields.merge(null, given) },
      ...{ bannedAt: null, banReason: null, banExpiresAt: null },
      ...{ username: chosen?.username ?? null, displayUsername: chosen?.displayUsername ?? null },
    }
    try {
      await store.insertUser(tx, row)
    } catch (error) {
      throw takenBy(deps, error)
    }
    const isVerified = emailVerified
    await events.record(tx, actor, userEvents['user.created'], { subject: id, data: { role, isVerified } })
    if (isVerified) await recordVerified(deps, tx, actor, id, email)
    return shown(row)
  }
}

const verifyEmail =
  (deps: Deps): Users['verifyEmail'] =>
  async (tx, actor, id, address) => {
    const isFirst = await store.markVerified(tx, id, address, deps.clock.now())
    if (isFirst) await recordVerified(deps, tx, actor, id, address.email)
    return isFirst
  }

const changeEmail =
  ({ clock, events }: Deps): Users['changeEmail'] =>
  async (tx, actor, id, from, newEmail, isByOperator = false) => {
    try {
      if (!(await store.replaceEmail(tx, id, from, newEmail, clock.now()))) return 'stale'
      await events.record(tx, actor, userEvents['user.email_changed'], {
        ...{ subject: id, data: {} },
        transient: { formerEmail: from.email, newEmail, isByOperator },
      })
      return 'changed'
    } catch (error) {
      if (uniqueViolation(error) !== undefined) return 'taken'
      throw error
    }
  }

export const createUsers = (deps: Deps): Users => {
  const { config, names, instanceRoles } = deps
  const fields = createUserFields(config.fields)
  const fieldsOf: Users['fieldsOf'] = (row) => ({ ...fields.read(row.fields), ...names.read(row) })
  const shown: Users['shown'] = (row) => ({ ...row, fields: fieldsOf(row) })
  const found = (row: store.UserRow | undefined) => (row === undefined ? undefined : shown(row))
  const find: Users['find'] = async (db, id) => found(await store.findUser(db, id))
  const findByEmail: Users['findByEmail'] = async (db, email) => found(await store.findUserByEmail(db, email))
  const findByName: Users['findByName'] = async (db, name) =>
    names.isOn ? found(await store.findUserByUsername(db, name)) : undefined

  const requireNamed = requireUser(deps, findByEmail, find, findByName)
  const change = changeUser(deps, fields)
  const requireOtherAdministrator = createRequireOtherAdministrator(deps)

  const confirmPermissions = createConfirmPermissions(deps)

  return {
    fields,
    names,
    fieldsOf,
    shown,
    find,
    findByEmail,
    findByName,
    require: requireNamed,
    requireFor: async (principal, db, named, details) => {
      if (can(principal, 'users:read')) return requireNamed(db, named, details)
      if (named.includes('@')) throw coreErrors.error('FORBIDDEN')
      const user = await find(db, named)
      if (user === undefined) throw userErrors.error('USER_NOT_FOUND', details)
      return user
    },
    requireVerified: ({ email, emailVerified, createdAt }) => {
      if (emailVerified) return
      const message = `Address is not verified: ${email}, of an account created at ${createdAt.toISOString()}`
      throw userErrors.error('ADDRESS_IS_NOT_VERIFIED', { message })
    },
    requireEmail: (text) => {
      const email = parseEmail(text)
      if (email === undefined) throw userErrors.error('INVALID_EMAIL')
      return email
    },
    updateProfile: updateProfile(deps, fields, change),
    change,
    create: createUser(deps, fields, shown),
    verifyEmail: verifyEmail(deps),
    changeEmail: changeEmail(deps),
    requireOtherAdministrator,
    confirmPermissions,
    remove: async (tx, { id }) => {
      await requireOtherAdministrator(tx, id)
      return store.deleteUser(tx, id)
    },
    hasAdministrator: store.hasAdministrator,
    listAdministratorIds: (db) => store.listAdministratorIds(db, deps.clock.now(), 1000),
    setSecondFactor: async (tx, id, change) => void (await store.setSecondFactor(tx, id, change)),
    hasSecondFactorAmongRoles: store.hasSecondFactorAmongRoles,
    listWithRoles: store.listWithRoles,
    countSecondFactorOverdue: store.countSecondFactorOverdue,
    noteTimeZone: store.noteTimeZone,
    unknownRoles: async (db) =>
      [...new Set((await store.listInstanceRoles(db)).flatMap(splitRoles))]
        .filter((name) => !instanceRoles.isKnownRole(name))
        .sort(),
    setRole: setRole(deps),
    ban: banUser(deps, requireOtherAdministrator),
    unban: unbanUser(deps),
  }
}
