import { expect } from 'vitest'
import * as members from '../../src/organizations/members/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const member = (id: string, userId: string, role: string, createdAt = at): members.MemberRow => ({
  ...{ id, organizationId: 'o', userId, role, createdAt },
})
const searches = ['ada', 'ADA', 'ÖL', 'öl', 'Öl', 'öla', 'ÖLA', 'éa', '%', '_', '!', 'a_', 'EXAMPLE.com', 'unknown']
const sorts = ['createdAt', 'role', 'name', 'email'] as const
const byTime = { limit: 10, offset: 0, sortBy: 'createdAt', sortDirection: 'asc' } as const

compareStore('organizations/members/store', members, async ({ store, db, transact, seed, insert, own }) => {
  await seed('user', 'organization', 'team')
  await insert('organization', { id: 'p', slug: 'p', name: 'P', metadata: '{"a":[1]}', logo: 'x', requires_second_factor: true })
  await insert('user', { id: 'v', email: 'ada@example.com', name: 'ÖLAF Éa_', image: 'x' })
  await insert('user', { id: 'w', email: 'w%@example.com', name: 'Ada !' })
  await insert('user', { id: 'x', email: 'öl@example.com', name: 'adam' })
  await transact(async (tx) => {
    await store.insertMember(tx, member('2', 'u', 'owner', time(1)))
    await store.insertMember(tx, member('1', 'v', 'owner,member', time(1)))
    await store.insertMember(tx, member('3', 'w', 'member'))
    await store.insertMember(tx, member('4', 'x', 'Member', time(2)))
    await store.insertMember(tx, { ...member('5', 'u', 'owner,admin'), organizationId: 'p' })
  })
  await expect(transact((tx) => store.insertMember(tx, member('6', 'u', 'member')))).rejects.toThrow()
  await store.hasVerifiedWithRole(db, 'o', 'owner')
  await store.hasVerifiedWithRole(db, 'o', 'Owner')
  await db.knex('user').where({ id: 'w' }).update({ email_verified: false })
  await store.hasVerifiedWithRole(db, 'o', 'member')
  await insert('team', { id: 's' })
  const place = { organization_id: 'o', user_id: 'v', created_at: at }
  await insert('team_member', { ...place, id: '2', team_id: 't', created_at: time(1) })
  await insert('team_member', { ...place, id: '1', team_id: 's' })

  await store.listUserIds(db, 'o')
  await store.findMembership(db, 'o', 'v')
  await store.findMembership(db, 'p', 'v')
  await store.findWithBan(db, 'o', 'v')
  await store.findWithBan(db, 'p', 'v')
  await store.findWithBan(db, 'o', 'unknown')
  for (const id of ['o', 'p', 'unknown']) await store.countMembers(db, id)
  await store.countMembersWith(db, 'o', 'v')
  await store.countMembersWith(db, 'o', 'unknown')
  await store.countMembersWith(db, 'unknown', 'v')
  for (const name of [{ id: 'p' }, { slug: 'P' }, { id: 'x', slug: 'o' }, { id: 'unknown' }]) {
    await store.findOwn(db, 'u', name)
    await transact((tx) => store.lockOwn(tx, 'u', name))
    await store.findWithTeams(db, 'v', name)
  }
  await store.findWithTeams(db, 'v', { id: 'o' })
  await store.findWithTeams(db, 'u', { id: 'o' })
  await store.listOwn(db, 'u', { limit: 10, offset: 0 })
  await store.listOwn(db, 'u', { limit: 1, offset: 1 })
  await store.isOnlyWithRole(db, 'u', 'owner')
  for (const [role, id] of [
    ['owner', 'o'],
    ['owner', 'p'],
    ['admin', 'p'],
    ['Admin', 'p'],
  ] as const)
    await store.isOnlyWithRole(db, 'u', role, id)
  await store.listOnlyWithRole(db, 'u', 'owner', 10)
  await store.listOnlyWithRole(db, 'w', 'member', 10)
  await store.listOnlyWithRole(db, 'x', 'Member', 10)
  await store.countWithRole(db, 'u', 'owner')
  await store.countWithRole(db, 'u', 'Owner')

  for (const sortBy of sorts)
    for (const sortDirection of ['asc', 'desc'] as const)
      for (const filter of [{}, { role: 'member' }, { search: 'a' }])
        await store.listMembers(db, 'o', { ...filter, sortBy, sortDirection, limit: 2, offset: 1 })
  for (const search of searches) await store.listMembers(db, 'o', { ...byTime, search })
  for (const filter of [
    { userId: 'v' },
    { teamId: 't' },
    { teamId: 's', role: 'owner' },
    { role: 'OWNER' },
    { teamId: 'unknown' },
  ])
    await store.listMembers(db, 'o', { ...byTime, ...filter })
  for (const [limit, offset] of [
    [10, 0],
    [2, 0],
    [2, 2],
    [10, 10],
  ] as const)
    await store.pageOfMembers(db, 'o', { ...byTime, limit, offset })
  await store.pageOfMembers(db, 'o', { ...byTime, limit: 1, role: 'member' })
  for (const by of [{ id: '1' }, { id: '5' }, { email: 'ada@example.com' }, { email: 'Ada@example.com' }, { userId: 'w' }])
    await store.findMember(db, 'o', by)
  await store.listAmong(db, 'o', [])
  await store.listAmong(db, 'o', ['u', 'v', 'v', 'unknown'])
  await own('ownMemberships', members.ownMemberships, { id: 'u', verifiedEmail: undefined })

  await transact(async (tx) => {
    await store.updateRole(tx, member('1', 'v', 'member,billing'))
    await store.updateRole(tx, member('unknown', 'v', 'member'))
    await store.updateRole(tx, { ...member('1', 'v', 'owner'), organizationId: 'p' })
    await store.isOnlyWithRole(tx, 'u', 'owner', 'o')
    await store.deleteMember(tx, 'p', '1')
    await store.deleteMember(tx, 'o', '1')
    await store.deleteMember(tx, 'o', '1')
  })
  await store.countWithRole(db, 'v', 'member')
  await store.listMembers(db, 'o', byTime)
})
