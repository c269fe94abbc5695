import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { joined, owner, said, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { organizations: { teamMemberLimit: 2 } } })
})
afterAll(() => t.stop())

const activeTeam = async (client: Client) => (await client.api.sessions.getSession())?.session.activeTeamId
const change = (client: Client, what: 'add' | 'remove', body: Record<string, unknown>) =>
  said(client.post(`/organization/${what}-team-member`, body))

/** An organization with a second, empty team, a member and an outsider. */
const setting = async (name: string) => {
  const { client, organizationId } = await owner(t, `ann@${name}.example`, name)
  const { client: bob } = await joined(t, organizationId, `bob@${name}.example`)
  const { id: teamId } = await client.api.teams.createTeam({ body: { name: 'Second' } })
  return { client, organizationId, bob, bobId: (await userOf(bob)).id, teamId }
}

describeOnBoth('add-team-member', () => {
  test('add-team-member returns the team membership, and repeated calls return the same membership', async () => {
    const { client, bobId, teamId, organizationId } = await setting('place')
    const first = await client.post('/organization/add-team-member', { teamId, userId: bobId })
    expect([first.status, first.json]).toEqual([
      200,
      { id: expect.stringMatching(/^[A-Za-z0-9]{32}$/), teamId, userId: bobId, createdAt: expect.stringMatching(/Z$/) },
    ])
    expect((await client.post('/organization/add-team-member', { teamId, userId: bobId, organizationId })).json).toEqual(
      first.json,
    )
    const listed = await client.api.teams.listTeamMembers({ query: { teamId } })
    expect(listed.map(({ userId }) => userId)).toEqual([bobId])
  })

  test('add-team-member requires the permission, a team and a member of the organization', async () => {
    const { client, organizationId, bob, bobId, teamId } = await setting('needs')
    const other = await setting('foreign')
    const refusal = [403, 'You are not allowed to update this team']
    const body = { teamId, userId: bobId, organizationId }
    const nobody = await t.signedIn('nobody@needs.example')
    for (const what of ['add', 'remove'] as const) {
      expect(await change(bob, what, body)).toEqual(refusal)
      expect(await change(other.client, what, body)).toEqual(refusal)
      expect(await change(nobody, what, { teamId, userId: bobId })).toEqual([400, 'No active organization'])
      for (const id of ['no-such-team', other.teamId])
        expect(await change(client, what, { ...body, teamId: id })).toEqual([400, 'Team not found'])
      for (const id of ['no-such-user', other.bobId])
        expect(await change(client, what, { ...body, userId: id })).toEqual([400, 'Member not found'])
      expect(await change(other.client, what, { ...body, organizationId: other.organizationId })).toEqual([400, 'Team not found'])
    }
  })

  testOnBoth('add-team-member stops at the limit of team members, even for concurrent requests', async () => {
    const { client, organizationId, teamId } = await setting('full')
    const ids: string[] = []
    for (const i of [0, 1, 2, 3]) ids.push((await userOf((await joined(t, organizationId, `p${i}@full.example`)).client)).id)
    const answers = await Promise.all(ids.map((userId) => change(client, 'add', { teamId, userId })))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 200, 403, 403])
    expect(answers.find(([status]) => status === 403)).toEqual([403, 'Team member limit reached'])
    expect(await client.api.teams.listTeamMembers({ query: { teamId } })).toHaveLength(2)
  })

  testOnBoth('adding a team member while the member is removed leaves no team membership behind', async () => {
    const { client, organizationId, bobId, teamId } = await setting('behind')
    const [added] = await Promise.all([
      change(client, 'add', { teamId, userId: bobId }),
      client.post('/organization/remove-member', { memberIdOrEmail: 'bob@behind.example', organizationId }),
    ])
    expect([200, 400]).toContain(added[0])
    expect(await client.api.teams.listTeamMembers({ query: { teamId } })).toEqual([])
  })
})

describe('remove-team-member', () => {
  test('remove-team-member deletes the team membership and clears the active team, and is an error without a team membership', async () => {
    const { client, bob, bobId, teamId, organizationId } = await setting('out')
    const body = { teamId, userId: bobId }
    expect(await change(client, 'remove', body)).toEqual([400, 'User is not a member of the team'])
    await change(client, 'add', body)
    await bob.api.organizations.setActiveOrganization({ body: { organizationId } })
    await bob.api.teams.setActiveTeam({ body: { teamId } })
    expect(await activeTeam(bob)).toBe(teamId)
    expect(await change(client, 'remove', body)).toEqual([200, 'Team member removed successfully.'])
    expect((await bob.api.sessions.getSession())?.session).toMatchObject({
      activeOrganizationId: organizationId,
      activeTeamId: null,
    })
    expect(await client.api.teams.listTeamMembers({ query: { teamId } })).toEqual([])
  })
})

describeOnBoth('the active team', () => {
  test("the active team must be one of the user's teams in the active organization", async () => {
    const { client, bob, bobId, teamId, organizationId } = await setting('active')
    const other = await setting('active2')
    const call = (body: Record<string, unknown>) => said(bob.post('/organization/set-active-team', body))
    expect(await call({ teamId })).toEqual([400, 'No active organization'])
    expect((await bob.post('/organization/set-active-team', { teamId: null })).text).toBe('null')
    await bob.api.organizations.setActiveOrganization({ body: { organizationId } })
    expect(await call({ teamId: other.teamId })).toEqual([400, 'Team not found'])
    expect(await call({ teamId })).toEqual([400, 'User is not a member of the team'])
    expect((await bob.post('/organization/set-active-team', {})).text).toBe('null')
    await change(client, 'add', { teamId, userId: bobId })
    expect(await bob.api.teams.setActiveTeam({ body: { teamId } })).toMatchObject({ id: teamId, name: 'Second' })
    expect(await bob.api.teams.setActiveTeam({ body: {} })).toMatchObject({ id: teamId })
    expect(await activeTeam(bob)).toBe(teamId)
    expect(await bob.api.teams.setActiveTeam({ body: { teamId: null } })).toBeNull()
    expect(await activeTeam(bob)).toBeNull()
  })

  testOnBoth(
    'the active team is cleared with the team membership, even if the team is activated at the same moment',
    async () => {
      for (const i of [0, 1, 2]) {
        const { client, bob, bobId, teamId, organizationId } = await setting(`moment${i}`)
        await change(client, 'add', { teamId, userId: bobId })
        await bob.api.organizations.setActiveOrganization({ body: { organizationId } })
        await Promise.all([
          bob.post('/organization/set-active-team', { teamId }),
          change(client, 'remove', { teamId, userId: bobId }),
        ])
        expect(await activeTeam(bob)).toBeNull()
        await change(client, 'add', { teamId, userId: bobId })
        await Promise.all([
          bob.post('/organization/set-active-team', i % 2 === 0 ? { teamId } : { teamId: null }),
          client.post('/organization/remove-member', { memberIdOrEmail: `bob@moment${i}.example` }),
        ])
        expect((await bob.api.sessions.getSession())?.session).toMatchObject({ activeOrganizationId: null, activeTeamId: null })
      }
    },
  )
})

test('members list team members in pages, and a team of another organization is not found', async () => {
  const { client, bob, bobId, teamId, organizationId } = await setting('sees')
  const other = await setting('sees2')
  await change(client, 'add', { teamId, userId: bobId })
  t.clock.advance({ seconds: 1 })
  await change(client, 'add', { teamId, userId: (await userOf(client)).id })
  expect((await bob.api.teams.listTeamMembers({ query: { teamId } })).map(({ userId }) => userId)).toEqual([
    bobId,
    (await userOf(client)).id,
  ])
  expect(await bob.api.teams.listTeamMembers({ query: { teamId, organizationId, limit: 1, offset: 1 } })).toHaveLength(1)
  const ask = (browser: Client, query: Record<string, string>) => said(browser.request(to('list-team-members', query)))
  const none = [400, 'Team not found']
  expect(await ask(other.client, { teamId })).toEqual(none)
  expect(await ask(other.client, { teamId: 'no-such-team' })).toEqual(none)
  expect(await ask(bob, { teamId, organizationId: other.organizationId })).toEqual([
    403,
    'You are not a member of this organization',
  ])
  expect(await ask(other.client, { teamId, organizationId: other.organizationId })).toEqual(none)
  expect(await ask(bob, {})).toEqual(none)
  // Without a named team the active one is used. The owner's is the first.
  expect(await client.api.teams.listTeamMembers()).toHaveLength(1)
})
