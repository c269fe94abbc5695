import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { User } from '../users/index.ts'
import * as store from './store.ts'

/** The stored password of a user. */
export interface Credential {
  readonly id: string
  /** Encoded Argon2id hash. */
  readonly hash: string
}

/** The data about the owner of a password for the sign-in policy. */
type CredentialOwner = Pick<
  User,
  'bannedAt' | 'banExpiresAt' | 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'
>

/** Stored password hashes: at most one for each user, in a row beside the user's identities at providers. */
export interface Credentials {
  /** Undefined for a user without a password. */
  find(db: Db, userId: string): Promise<Credential | undefined>
  /** Finds the password, locks the user, and returns the data for the sign-in policy, which cannot change until the transaction ends. */
  lock(tx: Tx, userId: string): Promise<(Credential & { readonly owner: CredentialOwner }) | undefined>
  /** For a user without a password row. */
  insert(tx: Tx, userId: string, hash: string): Promise<void>
  /** Stores another hash of the same or a new password; false if the hash has changed since it was read. */
  replace(tx: Tx, credential: Credential, hash: string): Promise<boolean>
  /** Sets the hash, replacing an earlier one. */
  set(tx: Tx, userId: string, hash: string): Promise<void>
  /** Deletes the password, so that no password signs the user in. */
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
