import * as teams from '../../src/organizations/teams/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const page = { sort: 'createdAt', order: 'asc', limit: 10, after: undefined } as const

compareStore('organizations/teams/store', teams, async ({ store, db, transact, seed, insert }) => {
  await seed('user', 'organization')
  await insert('member', { id: 'm', organization_id: 'o', user_id: 'u', role: 'owner', created_at: at })
  const team = (id: string, createdAt = at) => ({ id, organizationId: 'o', name: 'Team', createdAt, updatedAt: null })
  await transact(async (tx) => {
    await store.insertTeam(tx, team('t1'))
    await store.insertTeam(tx, team('t2', later))
    await store.insertTeamMember(tx, { id: 'p1', organizationId: 'o', teamId: 't1', userId: 'u', createdAt: at })
    await store.lockTeam(tx, 'o', 't1')
    await store.lockTeamMember(tx, 't1', 'u')
    await store.lockTeamMember(tx, 't2', 'u')
  })
  await store.findTeam(db, 'o', 't1')
  await store.findTeam(db, 'another', 't1')
  await store.findTeamById(db, 't2')
  await store.listTeams(db, 'o', 10)
  await store.listTeams(db, 'o', 1, 1)
  await store.listTeamsById(db, 'o', ['t2'])
  await store.listTeamsByName(db, 'o', 'Team')
  await store.listTeamsOfUser(db, 'u')
  await store.listTeamsOfUser(db, 'u', 'o')
  await store.countTeams(db, 'o')
  await store.findTeamMember(db, 't1', 'u')
  await store.countTeamMembers(db, 't1')
  await store.listTeamMembers(db, 'o', 't1', 10, 0)
  await store.ownTeams.read(db, { id: 'u', verifiedEmail: undefined })
  await store.pageOfTeams(db, 'o', page)
  await store.pageOfTeams(db, 'o', { ...page, order: 'desc', after: { value: later.getTime(), id: 't2' } })
  await store.pageOfTeamMembers(db, 't1', page)
  await transact(async (tx) => {
    await store.renameTeam(tx, { ...team('t1'), name: 'Renamed', updatedAt: later })
    await store.deleteTeamMember(tx, 'o', 't1', 'u')
    await store.deleteTeamMember(tx, 'o', 't1', 'u')
    await store.renameTeam(tx, { ...team('none'), name: 'Renamed', updatedAt: later })
    await store.deleteTeam(tx, 'o', 't2')
    await store.deleteTeam(tx, 'o', 't2')
  })
  await store.listTeams(db, 'o', 10)
})
