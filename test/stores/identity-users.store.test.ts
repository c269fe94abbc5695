import { expect } from 'vitest'
import * as users from '../../src/identity/users/store.ts'
import { at, userRow } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const user = (id: string, changes: Partial<users.UserRow> = {}) =>
  userRow(id, { emailVerified: false, emailEverVerified: false, ...changes })

compareStore(
  'identity/users/store',
  users,
  async ({ store, db, transact, note, own }) => {
    const terms = async () => {
      note('userTerms', await db.knex('user_search').orderBy('term').orderBy('user_id'))
      note('userTerms', await db.knex('user_search_text').orderBy('user_id').select('user_id', 'text'))
    }
    await transact(async (tx) => {
      await store.insertUser(tx, user('u', { name: 'José Ångström_100%', username: 'jo.sé', displayUsername: 'Jo.Sé' }))
      await store.insertUser(tx, user('v', { email: 'ü@example.com', fields: { größe: 1, note: 'é' }, language: 3, image: 'x' }))
      await store.insertUser(tx, user('w', { name: 'Ωmega', timeZone: 'Europe/Berlin', createdAt: later }))
    })
    await expect(transact((tx) => store.insertUser(tx, user('x', { email: 'u@example.com' })))).rejects.toThrow()
    await terms()
    note('userTerms', await users.userTerms.rarestFirst(db, ['ex', 'jos', 'm']))
    await store.findUser(db, 'v')
    await store.findUser(db, 'unknown')
    await store.findUserByEmail(db, 'ü@example.com')
    await store.findUserByEmail(db, 'U@example.com')
    await store.findUserByUsername(db, 'jo.sé')
    await store.findUserByUsername(db, 'Jo.sé')

    await transact(async (tx) => {
      await store.markVerified(tx, 'u', { email: 'u@example.com', emailVersion: 1 }, later)
      await store.markVerified(tx, 'u', { email: 'u@example.com', emailVersion: 0 }, later)
      await store.markVerified(tx, 'u', { email: 'u@example.com', emailVersion: 0 }, later)
      await store.noteTimeZone(tx, 'u', 'Asia/Tokyo')
      await store.noteTimeZone(tx, 'w', 'Asia/Tokyo')
      await store.noteTimeZone(tx, 'w', 'Asia/Tokyo')
      await store.noteTimeZone(tx, 'w', 'asia/tokyo')
      await store.updateUser(tx, 'u', { name: 'Another Name', fields: {}, image: 'y' }, later)
      await store.updateUser(tx, 'v', { username: 'vee', displayUsername: 'Vee' }, later)
      await store.updateUser(tx, 'v', { fields: null, language: null }, later)
      await store.updateUser(tx, 'unknown', { name: 'x' }, later)
      await store.replaceEmail(tx, 'w', { email: 'w@example.com', emailVersion: 0 }, 'new@example.org', later)
      await store.replaceEmail(tx, 'w', { email: 'w@example.com', emailVersion: 0 }, 'newer@example.org', later)
    })
    const taken = { email: 'new@example.org', emailVersion: 1 }
    await expect(transact((tx) => store.replaceEmail(tx, 'w', taken, 'u@example.com', later))).rejects.toThrow()
    await terms()
    for (const id of ['u', 'v', 'w']) await store.findUser(db, id)

    await store.hasAdministrator(db)
    await store.isRoleShared(db)
    await store.hasSecondFactorAmongRoles(db)
    await transact(async (tx) => {
      await store.lockRoles(tx)
      await store.setRole(tx, 'u', 'support,admin', later)
      await store.setRole(tx, 'unknown', 'admin', later)
      await store.hasOtherAdministrator(tx, 'u', at)
      await store.hasOtherAdministrator(tx, 'v', at)
      await store.setRole(tx, 'v', 'administrator', later)
      await store.setRole(tx, 'w', 'my_admin', later)
      await store.setBan(tx, 'u', { bannedAt: at, banReason: 'Spam „ü“', banExpiresAt: later })
      await store.setBan(tx, 'unknown', { bannedAt: at, banReason: null, banExpiresAt: null })
      await store.hasOtherAdministrator(tx, 'v', at)
      await store.hasOtherAdministrator(tx, 'v', later)
      await store.hasOtherAdministrator(tx, 'u', later)
      // The name of a role that contains that of the administrators. Names are compared exactly.
      await store.setRole(tx, 'u', 'Admin', later)
      await store.hasOtherAdministrator(tx, 'v', later)
      await store.hasAdministrator(tx)
    })
    await transact(async (tx) => {
      await store.setRole(tx, 'u', 'admin', later)
      await store.setSecondFactor(tx, 'u', { twoFactorEnabled: true, secondFactorSince: at })
      await store.setSecondFactor(tx, 'v', { secondFactorDue: at, secondFactorRequired: true })
      await store.setSecondFactor(tx, 'unknown', { secondFactorDue: null })
    })
    await store.listAdministratorIds(db, later, 10)
    await store.listAdministratorIds(db, at, 10)
    await store.hasAdministrator(db)
    await store.hasSecondFactorAmongRoles(db)
    await store.countSecondFactorOverdue(db, at, 10)
    await store.countSecondFactorOverdue(db, new Date(at.getTime() - 1), 10)
    await store.countSecondFactorOverdue(db, at, 0)
    await store.listWithRoles(db)
    await store.listInstanceRoles(db)
    await store.isRoleShared(db)
    await own('ownProfile', users.ownProfile, { id: 'u', verifiedEmail: undefined })
    await store.listBanned(db, at, 10)
    await store.listUserNames(db, ['u', 'unknown'])
    await store.listBanned(db, new Date(at.getTime() + 10 ** 9), 1)
    await transact(async (tx) => {
      await store.clearBan(tx, 'u')
      await store.clearBan(tx, 'u')
      await store.deleteUser(tx, 'u')
      await store.deleteUser(tx, 'u')
    })
    await store.hasAdministrator(db)
    await terms()
  },
  { uncalled: ['hasRole'], unordered: ['listInstanceRoles'] },
)
