import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { User } from '../users/index.ts'
import * as store from './store.ts'

/** The stored password hash of a user. */
export interface Credential {
  readonly id: string
  /** The password hash in the form of Argon2id (a PHC string). */
  readonly hash: string
}

/** What the sign-in policy needs to know about the user who has the password. */
type CredentialOwner = Pick<
  User,
  'bannedAt' | 'banExpiresAt' | 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'
>

/** Stores password hashes. A user has at most one. It is in the table that also contains the user's identities at providers. */
export interface Credentials {
  /** Finds the password hash of a user. Undefined for a user without a password. */
  find(db: Db, userId: string): Promise<Credential | undefined>
  /**
   * Finds the password hash of a user, and locks the user until the transaction ends. So what is returned about the user cannot change
   * meanwhile.
   */
  lock(tx: Tx, userId: string): Promise<(Credential & { readonly owner: CredentialOwner }) | undefined>
  /** Stores the password hash of a user who has none. */
  insert(tx: Tx, userId: string, hash: string): Promise<void>
  /** Stores a new password hash. It may be for the same password. Returns false if the stored hash has changed since it was read. */
  replace(tx: Tx, credential: Credential, hash: string): Promise<boolean>
  /** Stores a password hash, whether or not the user has one already. */
  set(tx: Tx, userId: string, hash: string): Promise<void>
  /** Deletes the password hash, so that the user can no longer sign in with a password. */
  remove(tx: Tx, userId: string): Promise<void>
}

const credentialOf = (row: { readonly id: string; readonly password: string | null } | undefined): Credential | undefined =>
  row === undefined || row.password === null ? undefined : { id: row.id, hash: row.password }

export const createCredentials = ({ clock, random }: Pick<Core, 'clock' | 'random'>): Credentials => {
  const insert: Credentials['insert'] = (tx, userId, hash) => store.insertCredential(tx, random.id(), userId, hash, clock.now())
  return {
    find: async (db, userId) => credentialOf(await store.findCredential(db, userId)),
    lock: async (tx, userId) => {
      const locked = await store.lockCredential(tx, userId)
      const credential = credentialOf(locked?.credential)
      return credential && locked && { ...credential, owner: locked.owner }
    },
    insert,
    replace: (tx, credential, hash) => store.replaceHash(tx, credential.id, credential.hash, hash, clock.now()),
    set: async (tx, userId, hash) => {
      if (!(await store.setHash(tx, userId, hash, clock.now()))) await insert(tx, userId, hash)
    },
    remove: async (tx, userId) => void (await store.deleteCredential(tx, userId)),
  }
}
