import { type Db, preparedSelect, readPrepared } from '../../../core/db/database.ts'
import { passwords } from '../../../identity/identities/table.ts'
import { type UserRow, users } from '../../../identity/users/table.ts'

const credential = passwords.optional()

/**
 * The id with which the statement reads further rows. If the mail address or user name is unknown, the id is `nobody`, so that the
 * statement takes as long as for a known one.
 */
const id = "coalesce(u.id, 'nobody')"
const known = `case when exists (select 1 from known_device k where k.user_id = ${id} and k.key_hash = ?) then 1 else 0 end`
const joined = `left join account a on a.account_id = ${id} and a.provider_id = 'credential'`

/** The facts about a user that a sign-in with a password needs. */
export interface SigningIn {
  readonly user: UserRow | undefined
  /** The stored password hash; undefined if the user has no password. */
  readonly credential: { readonly id: string; readonly hash: string } | undefined
  /** True if this browser has signed in to the account before. */
  readonly isKnown: boolean
}

const columns = [...users.columnsOf('u', 'u_'), ...credential.columnsOf('a', 'a_'), { sql: known, name: 'is_known' }]
const readBy = (column: 'email' | 'username') =>
  preparedSelect(
    `signing_in_by_${column}`,
    columns,
    `from (select 1 as one) asked left join "user" u on u.${column} = ? ${joined}`,
  )
const reads = { email: readBy('email'), username: readBy('username') }

/**
 * Reads everything that is needed at the start of a sign-in, in one statement. The same statement runs for an unknown mail address or user
 * name, so that its time does not show whether the account exists.
 */
export const findSigningIn = async (db: Db, by: keyof typeof reads, typed: string, browserKey: string): Promise<SigningIn> => {
  const [row = {}] = await readPrepared(db, reads[by], [browserKey, typed])
  const { id, password } = credential.decode(row, 'a_')
  return {
    user: typeof row['u_id'] === 'string' ? users.decode(row, 'u_') : undefined,
    credential: id === null || password === null ? undefined : { id, hash: password },
    isKnown: row['is_known'] === 1,
  }
}
