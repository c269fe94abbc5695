import type { z } from 'zod'
import { can } from '../../../access/can.ts'
import type { PermittedPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Total } from '../../../core/db/count.ts'
import type { Tx } from '../../../core/db/database.ts'
import { askedTerms } from '../../../core/db/search.ts'
import { coreErrors } from '../../../core/errors.ts'
import type { IfMatch } from '../../../core/etag.ts'
import { cursorOf, invalidQuery, placedPage } from '../../../core/page.ts'
import type { AdministeredPerson, userList } from '../contract.ts'
import { userErrors } from '../contract.ts'
import type { ManagedUsers } from '../managed.ts'
import type { User, UserPatch } from '../service.ts'
import type { UserRow } from '../store.ts'
import { createUserActions, type UserActions, type UserActionsDeps } from './actions.ts'
import type { PatchUser } from './contract/users.ts'
import { createUserCounts } from './counts.ts'
import * as store from './store.ts'

/**
 * The query of a list of users. A page starts after the user `after`, or at the row `offset`: then the rows before it are skipped in an
 * index. The total has no upper limit; above 10,000 it may be a minute old.
 */
export interface UserListQuery extends Omit<z.output<typeof userList.query>, 'total'> {
  readonly offset?: number
  readonly total?: boolean | 'exact' | undefined
}

/**
 * What administrators and commands can do with users. The endpoint has checked the caller's permission. These functions check the rules
 * that depend on the user.
 */
export interface UserAdministration extends UserActions {
  list(
    query: UserListQuery,
  ): Promise<{ readonly users: readonly AdministeredPerson[]; readonly next: string | null; readonly total: Total | null }>
  /**
   * Changes a user. Throws NOT_FOUND, and FORBIDDEN if the user has more permissions than the principal. Changing the email address
   * requires the permission to set passwords, because a password reset can be mailed to the new address. Changing the address or its
   * verification also requires a recent proof (`RequireProof`). Administrators cannot make these two changes to their own account with
   * this call.
   */
  update(
    principal: PermittedPrincipal,
    id: string,
    input: z.output<typeof PatchUser>,
    ifMatch: IfMatch<AdministeredPerson>,
  ): Promise<AdministeredPerson>
}

interface Deps extends UserActionsDeps {
  readonly managedUsers: ManagedUsers
  readonly requireProof: RequireProof
}

export const createUserAdministration = (deps: Deps): UserAdministration => {
  const { db, transact, clock, users, managedUsers, requireProof } = deps
  const { view, requireManageable } = managedUsers
  const shown = (row: UserRow): User => ({ ...row, fields: users.fieldsOf(row) })
  const counts = createUserCounts({ db, clock })

  const setAddress = async (tx: Tx, principal: PermittedPrincipal, user: User, newEmail: string) => {
    const outcome = await users.changeEmail(tx, principal, user.id, user, newEmail, true)
    if (outcome === 'taken') throw userErrors.error('USER_ALREADY_EXISTS')
    return (await users.find(tx, user.id)) ?? user
  }

  return {
    ...createUserActions(deps),
    list: async ({
      search,
      role,
      verified,
      banned,
      secondFactor,
      createdSince,
      createdUntil,
      total: isCounted,
      offset,
      ...query
    }) => {
      const filter = { role, verified, banned, secondFactor, createdSince, createdUntil, now: clock.now() }
      const hasRange = createdSince !== undefined || createdUntil !== undefined
      const isDefaultOrder = query.sort === 'createdAt' && query.order === 'desc'
      if (search !== undefined && !isDefaultOrder)
        throw invalidQuery('sort', 'a search has an order of its own: that of the words it finds')
      if (hasRange && query.sort !== 'createdAt')
        throw invalidQuery('sort', 'expected createdAt with createdSince and createdUntil')
      if (offset !== undefined) {
        const rows = await store.listByOffset(db, filter, { ...query, offset })
        const total = isCounted === 'exact' ? { count: await counts.count(filter), isExact: true } : null
        return { users: rows.map((row) => view(shown(row))), next: null, total }
      }
      const cursor = cursorOf(query)
      const words = search === undefined ? undefined : askedTerms(search)
      const page =
        words === undefined ? await store.pageOfUsers(db, filter, cursor) : await store.searchUsers(db, words, filter, cursor)
      const total = isCounted === true ? await store.totalOfUsers(db, filter, words) : undefined
      const { rows, ...place } = placedPage(query, { ...page, total })
      return { users: rows.map((row) => view(shown(row))), ...place }
    },
    update: async (principal, id, { name, image, language, email, emailVerified, ...given }, ifMatch) => {
      const { username, displayUsername, ...fields } = given
      // On an instance without user names, `username` and `displayUsername` count as unknown fields.
      const changes = users.fields.forAdministrator(users.names.isOn ? fields : given)
      const names = users.names.forUpdate({ username, displayUsername })
      const newEmail = email === undefined ? undefined : users.requireEmail(email)
      const concernsAddress = newEmail !== undefined || emailVerified !== undefined
      if (concernsAddress) {
        if (!can(principal, 'users:set-password')) throw coreErrors.error('FORBIDDEN')
        const isOwn = 'user' in principal && principal.user.id === id
        if (isOwn) throw coreErrors.error('FORBIDDEN', { message: 'Change your own address with /change-email' })
        await requireProof(principal, 'set-address')
      }
      const patch: UserPatch = {
        ...(name === undefined ? {} : { name }),
        ...(image === undefined ? {} : { image }),
        ...(language === undefined ? {} : { language }),
        ...(Object.keys(changes).length === 0 ? {} : { fields: changes }),
        ...(Object.keys(names).length === 0 ? {} : { names }),
      }
      return transact(async (tx) => {
        const user = await requireManageable(tx, principal, id)
        ifMatch(view(user))
        if (Object.keys(patch).length > 0) await users.change(tx, principal, id, patch)
        const addressed =
          newEmail === undefined || newEmail === user.email ? user : await setAddress(tx, principal, user, newEmail)
        if (emailVerified === true) await users.verifyEmail(tx, principal, id, addressed)
        return view((await users.find(tx, id)) ?? user)
      })
    },
  }
}
