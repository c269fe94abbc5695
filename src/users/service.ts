import type { Clock } from '../core/clock.ts'
import { type Db, type Tx, uniqueViolation } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { userErrors } from './errors.ts'
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
}

export interface Users {
  find(db: Db, id: string): Promise<User | undefined>
  /** `email` must be lower-cased already. */
  findByEmail(db: Db, email: string): Promise<User | undefined>
  /** The user with this id or address, as an operator names them. Throws USER_NOT_FOUND. */
  require(db: Db, idOrEmail: string): Promise<User>
  /** Throws USER_ALREADY_EXISTS; the unique index decides. */
  create(tx: Tx, user: NewUser): Promise<User>
  /** Marks the address verified if the user still has it; false when there was nothing to change. */
  verifyEmail(tx: Tx, id: string, email: string): Promise<boolean>
  hasAdministrator(db: Db): Promise<boolean>
}

export const createUsers = ({ clock, entropy }: { clock: Clock; entropy: Entropy }): Users => ({
  find: store.findUser,
  findByEmail: store.findUserByEmail,
  require: async (db, idOrEmail) => {
    const user = idOrEmail.includes('@')
      ? await store.findUserByEmail(db, idOrEmail.trim().toLowerCase())
      : await store.findUser(db, idOrEmail)
    if (user === undefined) throw userErrors.refuse('USER_NOT_FOUND')
    return user
  },
  create: async (tx, { id = entropy.id(), name, email, emailVerified, image = null, role = 'user' }) => {
    const now = clock.now()
    const user = { id, name, email, emailVerified, image, role, language: null, createdAt: now, updatedAt: now }
    try {
      await store.insertUser(tx, user)
    } catch (error) {
      if (uniqueViolation(error) !== undefined) throw userErrors.refuse('USER_ALREADY_EXISTS')
      throw error
    }
    return user
  },
  verifyEmail: (tx, id, email) => store.markVerified(tx, id, email, clock.now()),
  hasAdministrator: (db) => store.hasRole(db, 'admin'),
})
