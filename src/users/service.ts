import type { Clock } from '../core/clock.ts'
import { type Db, lockRow, type Tx, uniqueViolation } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { UsersConfig } from './config.ts'
import { userErrors } from './errors.ts'
import { createUserFields, type UserFields } from './fields.ts'
import type { FieldValues } from './rules.ts'
import * as store from './store.ts'

/** A person with an account (accounts specification, section 3). */
export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: string
  readonly language: number | null
  /** Grows with every change of the address; what was issued for an address names it. */
  readonly emailVersion: number
  /** This address or one before it was verified: the account is somebody's by proof. */
  readonly emailEverVerified: boolean
  /** Every configured field that is returned, by name. */
  readonly fields: FieldValues
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewUser {
  /** Made beforehand where something signed must name it; else made here. */
  readonly id?: string
  readonly name: string
  /** Lower-cased. */
  readonly email: string
  readonly emailVerified: boolean
  readonly image?: string | null | undefined
  readonly role?: string
  /** Checked by `Users.fields`. */
  readonly fields?: FieldValues | undefined
}

/** What users may change about themselves. */
export interface UserPatch {
  readonly name?: string
  readonly image?: string | null
  readonly language?: number | null
  /** Those that change, checked by `Users.fields`; the others stay. */
  readonly fields?: FieldValues
}

export interface Users {
  /** Checks and reads the fields that the configuration adds. */
  readonly fields: UserFields
  find(db: Db, id: string): Promise<User | undefined>
  /** `email` must be lower-cased already. */
  findByEmail(db: Db, email: string): Promise<User | undefined>
  /** The user with this id or address, as an operator names them. Throws USER_NOT_FOUND, with other words where they are specified. */
  require(db: Db, idOrEmail: string, message?: string): Promise<User>
  /** Throws USER_ALREADY_EXISTS; the unique index decides. */
  create(tx: Tx, user: NewUser): Promise<User>
  /** Marks the address verified if the user still has it; false when there was nothing to change. */
  verifyEmail(tx: Tx, id: string, address: store.Address): Promise<boolean>
  /** False when the user is gone. Throws VALIDATION_ERROR when the extra fields are too long together. */
  update(tx: Tx, id: string, patch: UserPatch): Promise<boolean>
  /**
   * Gives the user another address, unverified. `stale`: they no longer have the one named; `taken`: another user has it, and the
   * transaction must be given up.
   */
  changeEmail(tx: Tx, id: string, from: store.Address, newEmail: string): Promise<'changed' | 'stale' | 'taken'>
  /** Removes the user and all rows that belong to them. False when they were gone. Throws THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED. */
  remove(tx: Tx, user: Pick<User, 'id' | 'role'>): Promise<boolean>
  hasAdministrator(db: Db): Promise<boolean>
}

/** Told in the transaction in which a user's address becomes verified, or a user is created with a verified one. */
export type Verified = (tx: Tx, user: Pick<User, 'id' | 'email'>) => Promise<void>

interface Deps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: UsersConfig
  readonly onVerified: readonly Verified[]
}

export const createUsers = ({ clock, entropy, config, onVerified }: Deps): Users => {
  const fields = createUserFields(config.fields)
  const shown = (row: store.UserRow): User => ({ ...row, fields: fields.read(row.fields) })
  const found = (row: store.UserRow | undefined) => (row === undefined ? undefined : shown(row))
  const find: Users['find'] = async (db, id) => found(await store.findUser(db, id))
  const findByEmail: Users['findByEmail'] = async (db, email) => found(await store.findUserByEmail(db, email))

  return {
    fields,
    find,
    findByEmail,
    require: async (db, idOrEmail, message) => {
      const user = await (idOrEmail.includes('@') ? findByEmail(db, idOrEmail.trim().toLowerCase()) : find(db, idOrEmail))
      if (user === undefined) throw userErrors.refuse('USER_NOT_FOUND', message === undefined ? {} : { message })
      return user
    },
    create: async (tx, { id = entropy.id(), name, email, emailVerified, image = null, role = 'user', fields: given = {} }) => {
      const now = clock.now()
      const row = {
        ...{ id, name, email, emailVerified, image, role, language: null, createdAt: now, updatedAt: now },
        ...{ emailVersion: 0, emailEverVerified: emailVerified, fields: fields.merge(null, given) },
      }
      try {
        await store.insertUser(tx, row)
      } catch (error) {
        if (uniqueViolation(error) !== undefined) throw userErrors.refuse('USER_ALREADY_EXISTS')
        throw error
      }
      if (emailVerified) for (const told of onVerified) await told(tx, row)
      return shown(row)
    },
    verifyEmail: async (tx, id, address) => {
      const isFirst = await store.markVerified(tx, id, address, clock.now())
      if (isFirst) for (const told of onVerified) await told(tx, { id, email: address.email })
      return isFirst
    },
    update: async (tx, id, { fields: changes, ...patch }) => {
      if (changes === undefined) return store.updateUser(tx, id, patch, clock.now())
      await lockRow(tx, 'user', id)
      const row = await store.findUser(tx, id)
      if (row === undefined) return false
      return store.updateUser(tx, id, { ...patch, fields: fields.merge(row.fields, changes) }, clock.now())
    },
    changeEmail: async (tx, id, from, newEmail) => {
      try {
        return (await store.replaceEmail(tx, id, from, newEmail, clock.now())) ? 'changed' : 'stale'
      } catch (error) {
        if (uniqueViolation(error) !== undefined) return 'taken'
        throw error
      }
    },
    remove: async (tx, { id, role }) => {
      if (role === 'admin') {
        const others = (await store.lockHolders(tx, 'admin')).filter((holder) => holder !== id)
        if (others.length === 0) throw userErrors.refuse('THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED')
      }
      return store.deleteUser(tx, id)
    },
    hasAdministrator: (db) => store.hasRole(db, 'admin'),
  }
}
