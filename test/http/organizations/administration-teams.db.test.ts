import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { owner } from './people.ts'

let t: TestApp
let admin: Client
let auditor: Client
beforeAll(async () => {
  t = await testApp({ config: { organizations: { teamLimit: 3, teamMemberLimit: 1 } } })
  admin = await signedInAs(t, 'admin')
  auditor = await signedInAs(t, 'auditor')
})
afterAll(() => t.stop())

const api = () => admin.api.allOrganizations
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )

test('an operator creates, renames and deletes teams of any organization, except the last team', async () => {
  const { organizationId: id } = await owner(t, 'ann@example.com', 'acme')
  const params = { id }
  const first = (await api().adminListTeams({ params, query: {} })).teams
  expect(first).toHaveLength(1)
  const made = await api().adminCreateTeam({ params, body: { name: 'Engine room' } })
  expect(made).toMatchObject({ name: 'Engine room', organizationId: id, memberCount: 0 })
  await api().adminCreateTeam({ params, body: { name: 'Third' } })
  expect(await codeOf(api().adminCreateTeam({ params, body: { name: 'Fourth' } }))).toMatch(
    'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS',
  )
  const ofTeam = { id, teamId: made.id }
  const renamed = await api().adminPatchTeam({ params: ofTeam, body: { name: 'Engines' }, ifMatch: etagOfResult(made) })
  expect(renamed.name).toBe('Engines')
  const stale = etagOfResult(made)
  expect(await codeOf(api().adminPatchTeam({ params: ofTeam, body: { name: 'X' }, ifMatch: stale }))).toBe(
    '412 PRECONDITION_FAILED',
  )
  expect(await codeOf(api().adminDeleteTeam({ params: ofTeam, ifMatch: stale }))).toBe('412 PRECONDITION_FAILED')
  const teams = async (client: Client, query = {}) => (await client.api.allOrganizations.adminListTeams({ params, query })).teams
  expect((await teams(auditor)).map(({ name }) => name)).toEqual(['Third', 'Engines', first[0]?.name])
  const page = await api().adminListTeams({ params, query: { limit: 2 } })
  expect((await teams(admin, { limit: 2, after: page.next ?? '' })).map(({ id: one }) => one)).toEqual([first[0]?.id])
  expect(await codeOf(auditor.api.allOrganizations.adminCreateTeam({ params, body: { name: 'X' } }))).toBe('403 FORBIDDEN')
  for (const { id: teamId } of (await teams(admin)).slice(0, 2)) await api().adminDeleteTeam({ params: { id, teamId } })
  expect(await codeOf(api().adminDeleteTeam({ params: { id, teamId: first[0]?.id ?? '' } }))).toMatch(
    'UNABLE_TO_REMOVE_LAST_TEAM',
  )
})

testOnBoth(
  'a team created during the deletion of its organization is either deleted too or refused because the organization is gone',
  async () => {
    for (const round of [0, 1, 2, 3]) {
      const { organizationId: id } = await owner(t, `owner${round}@ends.example`, `ends${round}`)
      const params = { id }
      const make = () => codeOf(api().adminCreateTeam({ params, body: { name: 'Late' } }))
      const remove = () => codeOf(api().adminDeleteOrganization({ params }))
      const answers = await Promise.all(round % 2 === 0 ? [remove(), make()] : [make(), remove()])
      expect(['done', '404 NOT_FOUND']).toContain(answers[round % 2 === 0 ? 1 : 0])
      expect(answers[round % 2 === 0 ? 0 : 1]).toBe('done')
    }
  },
)

test('an operator adds members of the organization to a team and removes them, but cannot add anybody else', async () => {
  const { client, organizationId: id } = await owner(t, 'bob@example.com', 'bobs')
  const other = await owner(t, 'eve@example.com', 'eves')
  const userId = (await client.api.sessions.getSession())?.user.id ?? ''
  const eve = (await other.client.api.sessions.getSession())?.user.id ?? ''
  const team = await api().adminCreateTeam({ params: { id }, body: { name: 'Deck' } })
  const params = { id, teamId: team.id, userId }
  expect(await api().adminAddTeamMember({ params })).toMatchObject({ teamId: team.id, userId })
  // Adding the member again changes nothing.
  await api().adminAddTeamMember({ params })
  expect(await codeOf(api().adminAddTeamMember({ params: { ...params, userId: eve } }))).toMatch('MEMBER_NOT_FOUND')
  const second = (await t.signedIn('second@example.com')).api.sessions.getSession()
  const secondId = (await second)?.user.id ?? ''
  await api().adminAddMember({ params: { id }, body: { userId: secondId, role: 'member', unverified: true } })
  expect(await codeOf(api().adminAddTeamMember({ params: { ...params, userId: secondId } }))).toMatch('TEAM_MEMBER_LIMIT_REACHED')
  const listed = await auditor.api.allOrganizations.adminListTeamMembers({ params, query: {} })
  expect(listed.members).toMatchObject([{ userId, user: { email: 'bob@example.com' } }])
  await api().adminRemoveTeamMember({ params })
  expect(await codeOf(api().adminRemoveTeamMember({ params }))).toMatch('USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
  // A team is found only in its own organization.
  const wrong = { ...params, id: other.organizationId }
  for (const call of [
    () => api().adminGetTeam({ params: wrong }),
    () => api().adminPatchTeam({ params: wrong, body: { name: 'X' } }),
    () => api().adminDeleteTeam({ params: wrong }),
    () => api().adminListTeamMembers({ params: wrong, query: {} }),
    () => api().adminAddTeamMember({ params: wrong }),
    () => api().adminRemoveTeamMember({ params: wrong }),
  ])
    expect(await codeOf(call())).toMatch('TEAM_NOT_FOUND')
  const nowhere = { id: 'nobody' }
  expect(await codeOf(api().adminListTeams({ params: nowhere, query: {} }))).toBe('404 NOT_FOUND')
  expect(await codeOf(api().adminCreateTeam({ params: nowhere, body: { name: 'X' } }))).toBe('404 NOT_FOUND')
})
