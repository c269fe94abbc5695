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
  /** The time zone of the browser at sign-in; null if unknown. */
  readonly timeZone: string | null
  /** The number of changes of the address so far. Links and codes contain it, so that they are invalid after the next change. */
  readonly emailVersion: number
  /** True if this address or an earlier one was verified. The real owner of the account is then known. */
  readonly emailEverVerified: boolean
  /** The configured fields that answers contain, by name, and the user name if enabled. */
  readonly fields: FieldValues
  readonly banReason: string | null
  /** True if signing in takes more than the password. */
  readonly twoFactorEnabled: boolean
  /** The time at which the user got a second factor; null if the user has none. */
  readonly secondFactorSince: Date | null
  /** The time from which the user needs a second factor; null if never. */
  readonly secondFactorDue: Date | null
  /** True if an operator requires a second factor of this user, whatever roles the user has. */
  readonly secondFactorRequired: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewUser {
  /** The id of the user, if text that contains the id was signed before the user exists. Otherwise the user gets a new id. */
  readonly id?: string
  readonly name: string
  /** The address in lower case. */
  readonly email: string
  readonly emailVerified: boolean
  readonly image?: string | null | undefined
  readonly role?: string
  /** The fields, already checked by `Users.fields`. */
  readonly fields?: FieldValues | undefined
  /** The names, already checked by `Users.names`. */
  readonly names?: StoredName | undefined
}

/** A change of the fields that users can change themselves, and that administrators can change for them. */
export interface UserPatch {
  readonly name?: string
  readonly image?: string | null
  readonly language?: number | null
  /** The changed fields, already checked by `Users.fields`. Other fields stay unchanged. */
  readonly fields?: FieldValues
  /** The names, already checked by `Users.names`. */
  readonly names?: GivenName
}

/** The state of a user's second factors. */
type SecondFactorChange = Partial<
  Pick<User, 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'>
>

export interface Users {
  /** Checks and reads the configured fields. */
  readonly fields: UserFields
  /** Checks and normalizes user names. */
  readonly names: UserNames
  /** The members that the configuration adds to a user in answers: fields and user name. */
  fieldsOf(row: StoredName & { readonly fields: FieldValues | null }): FieldValues
  /** Turns a row of a join into a user. */
  shown(row: store.UserRow): User
  find(db: Db, id: string): Promise<User | undefined>
  /** Finds a user by address. `email` has to be in lower case. */
  findByEmail(db: Db, email: string): Promise<User | undefined>
  /** Finds a user by name. `name` has to be normalized. Returns undefined if user names are not enabled. */
  findByName(db: Db, name: string): Promise<User | undefined>
  /**
   * The user with this id, address or name, as an operator writes it. Throws USER_NOT_FOUND, with the message or status from `details` if
   * given.
   */
  require(db: Db, named: string, details?: ErrorDetails<401 | 404>): Promise<User>
  /**
   * Works like `require`, for a call. Callers who may not read people have to name them by id, so that no answer reveals whether an
   * address has an account. Throws FORBIDDEN if such a caller names an address.
   */
  requireFor(principal: Principal, db: Db, named: string, details?: ErrorDetails<401 | 404>): Promise<User>
  /** Sets roles that exist. The caller has locked the row of the user. */
  setRole(tx: Tx, actor: Actor, user: Pick<User, 'id' | 'role'>, role: string): Promise<void>
  /** Creates a user. Throws USER_ALREADY_EXISTS and USERNAME_IS_ALREADY_TAKEN. The unique indexes decide races. */
  create(tx: Tx, actor: Actor, user: NewUser): Promise<User>
  /** Marks the address as verified if the user still has it. Returns false if nothing has changed. */
  verifyEmail(tx: Tx, actor: Actor, id: string, address: store.Address): Promise<boolean>
  /**
   * Throws ADDRESS_IS_NOT_VERIFIED, with the time at which the account was created. An operator must not give rights to a person who may
   * have signed up with another person's address.
   */
  requireVerified(user: Pick<User, 'email' | 'emailVerified' | 'createdAt'>): void
  /** Returns the address in lower case. Throws INVALID_EMAIL. */
  requireEmail(text: string): string
  /**
   * Changes the fields that users can change themselves. Throws EMAIL_CAN_NOT_BE_UPDATED, FAILED_TO_UPDATE_USER for a deleted user,
   * VALIDATION_ERROR for configured fields, and the errors of user names.
   */
  updateProfile(principal: PersonPrincipal, input: z.output<typeof UpdateUser>): Promise<void>
  /**
   * Changes a user. Any principal may be the actor; `isOwn` says that the user makes the change. Returns false for a deleted user. Throws
   * VALIDATION_ERROR if the fields are too long together, and USERNAME_IS_IMMUTABLE. Throws USERNAME_IS_ALREADY_TAKEN by the unique
   * index; the transaction cannot continue after that.
   */
  change(tx: Tx, actor: Actor, id: string, patch: UserPatch, isOwn?: boolean): Promise<boolean>
  /**
   * Gives the user another address, which starts unverified. Returns `stale` if the user no longer has the expected address, and `taken`
   * if another user has the new address. The transaction cannot continue after `taken`. `isByOperator` says that a permission allows the
   * change, without a proof that the address is the user's.
   */
  changeEmail(
    tx: Tx,
    actor: Actor,
    id: string,
    from: store.Address,
    newEmail: string,
    isByOperator?: boolean,
  ): Promise<'changed' | 'stale' | 'taken'>
  /** Deletes the user and all dependent rows. Returns false if the user is deleted already. Throws THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED. */
  remove(tx: Tx, user: Pick<User, 'id'>): Promise<boolean>
  /**
   * To be called in a transaction that demotes, bans or deletes an administrator. Throws THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED if no
   * other administrator could sign in. The second of two simultaneous calls waits for the first and sees its result.
   */
  requireOtherAdministrator(tx: Tx, id: string): Promise<void>
  /**
   * To be called before a change that needs an instance permission. Such changes run one after the other until the transaction ends.
   * Returns false if the caller was deleted or banned, or lost a permission, since the call began. Throws UNAUTHORIZED if the caller's
   * session has ended.
   */
  confirmPermissions(tx: Tx, principal: Principal): Promise<boolean>
  hasAdministrator(db: Db): Promise<boolean>
  /** The ids of the first administrators who are not banned. */
  listAdministratorIds(db: Db): Promise<readonly string[]>
  /** Stores the state of a user's second factors. Only the feature `second-factors` may call it. */
  setSecondFactor(tx: Tx, id: string, change: SecondFactorChange): Promise<void>
  /** True if any user with a role besides the default role has a second factor. */
  hasSecondFactorAmongRoles(db: Db): Promise<boolean>
  /** The users who have a role besides the default role. */
  listWithRoles(db: Db): Promise<readonly Pick<User, 'id' | 'role' | 'createdAt' | keyof SecondFactorChange>[]>
  /** Counts the users without a second factor whose time to add one had ended at `now`. Counting stops at `most`. */
  countSecondFactorOverdue(db: Db, now: Date, most: number): Promise<number>
  /** Stored roles that the instance does not define. They give no permissions. */
  unknownRoles(db: Db): Promise<readonly string[]>
  /** Stores the time zone of a user's browser at sign-in. */
  noteTimeZone(tx: Tx, id: string, timeZone: string): Promise<unknown>
  /**
   * Bans the user, or replaces the user's ban. The caller has locked the row of the user. Reactions to `user.banned` end the user's
   * sessions and tokens in the same transaction.
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

/** Finds out which unique index has refused the row of a user. */
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
