import { expect } from 'vitest'
import * as teams from '../../src/organizations/teams/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const page = { sort: 'createdAt', order: 'asc', limit: 10, after: undefined } as const

compareStore(
  'organizations/teams/store',
  teams,
  async ({ store, db, transact, seed, insert, own }) => {
    await seed('user', 'organization')
    await insert('organization', { id: 'p', slug: 'p' })
    await insert('user', { id: 'v', email: 'v@example.com', name: 'Ü_%', image: 'x' })
    for (const [id, user_id] of Object.entries({ m: 'u', n: 'v' }))
      await insert('member', { id, organization_id: 'o', user_id, role: 'owner', created_at: at })
    const team = (id: string, name: string, createdAt = at) => ({ id, organizationId: 'o', name, createdAt, updatedAt: null })
    const place = { organizationId: 'o', teamId: 't1', createdAt: at }
    await transact(async (tx) => {
      await store.insertTeam(tx, team('t2', 'Team', later))
      await store.insertTeam(tx, team('t1', 'Team'))
      await store.insertTeam(tx, team('t3', 'Tëam_%', later))
      await store.insertTeam(tx, { ...team('t4', 'Team'), organizationId: 'p' })
      await store.insertTeamMember(tx, { ...place, id: 'p2', userId: 'u' })
      await store.insertTeamMember(tx, { ...place, id: 'p1', userId: 'v' })
      await store.insertTeamMember(tx, { ...place, id: 'p3', userId: 'u', teamId: 't3', createdAt: later })
      await store.lockTeam(tx, 'o', 't1')
      await store.lockTeam(tx, 'p', 't1')
      await store.lockTeamMember(tx, 't1', 'u')
      await store.lockTeamMember(tx, 't2', 'u')
    })
    // A user is in a team once, and in no team of another organization.
    const foreign = { ...place, id: 'p4', teamId: 't4', userId: 'u' }
    for (const wrong of [{ ...place, id: 'p4', userId: 'u' }, foreign])
      await expect(transact((tx) => store.insertTeamMember(tx, wrong))).rejects.toThrow()
    await store.findTeam(db, 'o', 't1')
    await store.findTeam(db, 'another', 't1')
    await store.findTeamById(db, 't2')
    await store.findTeamById(db, 'T2')
    await store.listTeams(db, 'o', 10)
    await store.listTeams(db, 'o', 1, 1)
    await store.listTeamsById(db, 'o', ['t2', 't1', 't4', 'unknown'])
    await store.listTeamsById(db, 'o', [])
    for (const name of ['Team', 'team', 'Tëam_%', 'T%']) await store.listTeamsByName(db, 'o', name)
    await store.listTeamsOfUser(db, 'u')
    await store.listTeamsOfUser(db, 'u', 'o')
    await store.listTeamsOfUser(db, 'u', 'p')
    for (const id of ['o', 'unknown']) await store.countTeams(db, id)
    await store.findTeamMember(db, 't1', 'u')
    await store.findTeamMember(db, 't3', 'v')
    for (const id of ['t1', 't2']) await store.countTeamMembers(db, id)
    await store.listTeamMembers(db, 'o', 't1', 10, 0)
    await store.listTeamMembers(db, 'o', 't1', 1, 1)
    await store.listTeamMembers(db, 'p', 't1', 1, 0)
    await store.pageOfTeams(db, 'o', page)
    await store.pageOfTeams(db, 'o', { ...page, order: 'desc', after: { value: later.getTime(), id: 't3' } })
    await store.pageOfTeams(db, 'o', { ...page, after: { value: later.getTime(), id: 't2' } })
    await store.pageOfTeamMembers(db, 't1', page)
    await store.pageOfTeamMembers(db, 't1', { ...page, order: 'desc', after: { value: at.getTime(), id: 'p2' } })
    await store.pageOfTeamMembers(db, 't2', page)
    await own('ownTeams', teams.ownTeams, { id: 'u', verifiedEmail: undefined })
    await transact(async (tx) => {
      const renamed = { ...team('t1', 'Renamed'), updatedAt: later }
      await store.renameTeam(tx, renamed)
      await store.renameTeam(tx, { ...renamed, organizationId: 'p' })
      await store.deleteTeamMember(tx, 'p', 't1', 'u')
      await store.deleteTeamMember(tx, 'o', 't1', 'u')
      await store.deleteTeamMember(tx, 'o', 't1', 'u')
      await store.deleteTeam(tx, 'p', 't3')
      await store.deleteTeam(tx, 'o', 't3')
    })
    await store.listTeams(db, 'o', 10)
    await store.listTeamNames(db, ['t1', 't2', 'unknown'])
    await store.listTeamsOfUser(db, 'u')
  },
  { unordered: ['listTeamsById', 'listTeamsByName', 'listTeamNames'] },
)
