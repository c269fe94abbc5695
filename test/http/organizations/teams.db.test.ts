import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { joined, owner, said, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { organizations: { teamLimit: 3 } } })
})
afterAll(() => t.stop())

describeOnBoth('create-team', () => {
  test('create-team creates a team of the documented shape in the named organization, or otherwise in the active one', async () => {
    const { client, organizationId } = await owner(t, 'ann@create.example', 'creates')
    const made = await client.post('/organization/create-team', { name: 'Makers' })
    const at = expect.stringMatching(/Z$/)
    expect([made.status, made.json]).toEqual([
      200,
      { id: expect.stringMatching(/^[A-Za-z0-9]{32}$/), name: 'Makers', organizationId, createdAt: at, updatedAt: at },
    ])
    await client.api.organizations.setActiveOrganization({ body: { organizationId: null } })
    expect(await said(client.post('/organization/create-team', { name: 'More' }))).toEqual([400, 'No active organization'])
    expect((await client.post('/organization/create-team', { name: 'More', organizationId })).status).toBe(200)
    expect((await client.post('/organization/create-team', { name: '', organizationId })).json['code']).toBe('VALIDATION_ERROR')
  })

  test('create-team requires the permission', async () => {
    const { organizationId } = await owner(t, 'ann@right.example', 'right')
    const { client: member } = await joined(t, organizationId, 'member@right.example')
    const { client: admin } = await joined(t, organizationId, 'admin@right.example', 'admin')
    const { client: stranger } = await owner(t, 'eve@right.example', 'right2')
    const call = (client: typeof member) => said(client.post('/organization/create-team', { name: 'X', organizationId }))
    const refusal = [403, 'You are not allowed to create teams in this organization']
    expect([await call(member), await call(stranger)]).toEqual([refusal, refusal])
    expect((await call(admin))[0]).toBe(200)
  })

  testOnBoth('create-team stops at the limit of teams, even for concurrent requests', async () => {
    const { client, organizationId } = await owner(t, 'ann@limit.example', 'limit')
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => client.post('/organization/create-team', { name: `Team ${i}` })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.find(({ status }) => status !== 200)?.json).toEqual({
      code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS',
      message: 'You have reached the maximum number of teams',
    })
    expect(await t.app.core.db.knex('team').where({ organization_id: organizationId })).toHaveLength(3)
  })
})

describe('update-team', () => {
  test('update-team requires the permission and a team of the organization', async () => {
    const { client, organizationId } = await owner(t, 'ann@rename.example', 'rename')
    const { client: member } = await joined(t, organizationId, 'member@rename.example')
    const other = await owner(t, 'eve@rename.example', 'rename2')
    const [team] = await client.api.teams.listTeams()
    const teamId = team?.id ?? ''
    const call = (browser: typeof client, body: Record<string, unknown>) => said(browser.post('/organization/update-team', body))
    const refusal = [403, 'You are not allowed to update this team']
    const data = { name: 'Renamed' }
    expect(await call(member, { teamId, data, organizationId })).toEqual(refusal)
    expect(await call(other.client, { teamId, data, organizationId })).toEqual(refusal)
    // A team of another organization is not found, in either organization.
    expect(await call(other.client, { teamId, data })).toEqual([400, 'Team not found'])
    expect((await client.post('/organization/update-team', { teamId, data: { name: '' } })).json['code']).toBe('VALIDATION_ERROR')
    expect(await call(await t.signedIn('nobody@rename.example'), { teamId, data })).toEqual([400, 'No active organization'])
    const renamed = await client.api.teams.updateTeam({ body: { teamId, data } })
    expect(renamed).toMatchObject({ id: teamId, name: 'Renamed', updatedAt: expect.any(Date) })
    // As the official client names the organization.
    await client.api.organizations.setActiveOrganization({ body: { organizationId: null } })
    const again = await client.api.teams.updateTeam({ body: { teamId, data: { name: 'Again', organizationId } } })
    expect(again.name).toBe('Again')
    expect((await client.api.teams.updateTeam({ body: { teamId, data: {}, organizationId } })).name).toBe('Again')
    expect((await client.api.teams.listTeams({ query: { organizationId } })).map(({ name }) => name)).toEqual(['Again'])
  })
})

describeOnBoth('remove-team', () => {
  test('remove-team refuses a caller in the team, a missing permission, an unknown team and the last team, in this order', async () => {
    const { client, organizationId } = await owner(t, 'ann@remove.example', 'remove')
    const { client: member } = await joined(t, organizationId, 'member@remove.example')
    const { client: admin } = await joined(t, organizationId, 'admin@remove.example', 'admin')
    const other = await owner(t, 'eve@remove.example', 'remove2')
    const [own] = await client.api.teams.listTeams()
    const teamId = own?.id ?? ''
    const call = (browser: typeof client, body: Record<string, unknown>) => said(browser.post('/organization/remove-team', body))
    const theirs = [403, 'You are not allowed to delete this team']
    expect(await call(await t.signedIn('nobody@remove.example'), { teamId })).toEqual([400, 'No active organization'])
    expect(await call(other.client, { teamId, organizationId })).toEqual(theirs)
    // A member of the team cannot remove it, not even the owner.
    expect(await call(client, { teamId })).toEqual(theirs)
    expect(await call(member, { teamId, organizationId })).toEqual([
      403,
      'You are not allowed to delete teams in this organization',
    ])
    const [foreign] = await other.client.api.teams.listTeams()
    for (const id of ['no-such-team', foreign?.id])
      expect(await call(admin, { teamId: id, organizationId })).toEqual([400, 'Team not found'])
    expect(await call(admin, { teamId, organizationId })).toEqual([400, 'Unable to remove last team'])
    await client.api.teams.createTeam({ body: { name: 'Second' } })
    expect(await call(admin, { teamId, organizationId })).toEqual([200, 'Team removed successfully.'])
    expect((await client.api.teams.listTeams()).map(({ name }) => name)).toEqual(['Second'])
    // The removed team was active in the owner's session.
    expect((await client.api.sessions.getSession())?.session).toMatchObject({
      activeOrganizationId: organizationId,
      activeTeamId: null,
    })
  })

  testOnBoth('if the last two teams are removed at the same moment, one stays', async () => {
    const { client, organizationId } = await owner(t, 'ann@two.example', 'two')
    const { client: admin } = await joined(t, organizationId, 'admin@two.example', 'admin')
    await client.api.teams.createTeam({ body: { name: 'Second' } })
    const teams = await client.api.teams.listTeams()
    const answers = await Promise.all(
      teams.map(({ id }) => admin.post('/organization/remove-team', { teamId: id, organizationId })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await t.app.core.db.knex('team').where({ organization_id: organizationId })).toHaveLength(1)
  })
})

describe('listing teams', () => {
  test('members list teams of their organization, oldest first and in pages', async () => {
    const { client, organizationId } = await owner(t, 'ann@list.example', 'list')
    const { client: member } = await joined(t, organizationId, 'member@list.example')
    const { client: stranger } = await owner(t, 'eve@list.example', 'list2')
    for (const name of ['Second', 'Third']) {
      t.clock.advance({ seconds: 1 })
      await client.api.teams.createTeam({ body: { name } })
    }
    const listed = await member.api.teams.listTeams({ query: { organizationId } })
    expect(listed.map(({ name }) => name)).toEqual(['list', 'Second', 'Third'])
    expect(listed[0]?.updatedAt).toBeNull()
    const page = await client.api.teams.listTeams({ query: { limit: 1, offset: 1 } })
    expect(page.map(({ name }) => name)).toEqual(['Second'])
    const outside = [403, 'You are not a member of this organization']
    expect(await said(stranger.request(to('list-teams', { organizationId })))).toEqual(outside)
    expect(await said(stranger.request(to('list-teams', { organizationId: 'no-such-id' })))).toEqual(outside)
    const nobody = await t.signedIn('nobody@list.example')
    expect(await said(nobody.request('/organization/list-teams'))).toEqual([400, 'No active organization'])
  })

  test("users list their own teams in one or all organizations, and other users' teams only with the permission", async () => {
    const { client, organizationId } = await owner(t, 'ann@own.example', 'own')
    const { client: member } = await joined(t, organizationId, 'member@own.example')
    const other = await owner(t, 'eve@own.example', 'own2')
    await client.api.organizations.createOrganization({ body: { name: 'Own 3', slug: 'own3' } })
    const names = async (query: Record<string, string>, browser = client) =>
      (await browser.api.teams.listUserTeams({ query })).map(({ name }) => name).sort()
    expect(await names({})).toEqual(['Own 3', 'own'])
    expect(await names({ organizationId })).toEqual(['own'])
    expect(await names({}, member)).toEqual([])
    const { id: annId } = await userOf(client)
    const { id: memberId } = await userOf(member)
    expect(await names({ organizationId, userId: memberId })).toEqual([])
    const ask = (browser: typeof client, query: Record<string, string>) => said(browser.request(to('list-user-teams', query)))
    expect(await ask(member, { organizationId, userId: annId })).toEqual([403, 'You are not allowed to update this member'])
    const outside = [403, 'You are not a member of this organization']
    expect(await ask(other.client, { organizationId, userId: annId })).toEqual(outside)
    expect(await ask(other.client, { organizationId })).toEqual(outside)
    expect(await ask(member, { userId: annId })).toEqual([400, 'No active organization'])
  })
})

testOnBoth("a user's teams are found by index, without reading team memberships of other users", async () => {
  const { client, organizationId } = await owner(t, 'ann@index.example', 'index')
  const [team] = await client.api.teams.listTeams()
  const [inOrganization, times] = [{ organization_id: `'${organizationId}'` }, { created_at: secondsIn2026 }]
  await fill(t, 'user', 6_000, {
    ...{ id: "'u' || n.n", name: "''", email: "'u' || n.n || '@index.example'", email_verified: 'false', role: "'user'" },
    ...{ email_ever_verified: 'false', email_version: '0', updated_at: secondsIn2026, ...times },
  })
  await fill(t, 'member', 6_000, { id: "'m' || n.n", user_id: "'u' || n.n", role: "'member'", ...inOrganization, ...times })
  await fill(t, 'team', 6_000, { id: "'t' || n.n", name: "'Team'", ...inOrganization, ...times })
  await fill(t, 'team_member', 6_000, {
    ...{ id: "'p' || n.n", team_id: `'${team?.id}'`, user_id: "'u' || n.n", ...inOrganization, ...times },
  })
  const options = { tables: ['user', 'member', 'team', 'team_member'], maxRows: 100, sorts: true }
  expect(await planFaults(t, options, () => client.api.teams.listUserTeams({ query: {} }))).toEqual([])
})

test('with teams off, team endpoints do not exist and a new organization has no team', async () => {
  const plain = await testApp({ config: { organizations: { teamsEnabled: false } } })
  try {
    const { client } = await owner(plain, 'ann@plain.example', 'plain')
    expect((await client.post('/organization/create-team', { name: 'X' })).status).toBe(404)
    expect((await client.request('/organization/list-teams')).status).toBe(404)
    expect((await client.api.organizations.getFullOrganization())?.teams).toEqual([])
    const body = { email: 'bob@plain.example', role: 'member', teamId: 'x' }
    expect((await client.post('/organization/invite-member', body)).json).toMatchObject({ teamId: null })
  } finally {
    await plain.stop()
  }
})

test('the last team can be removed if the setting allows it', async () => {
  const free = await testApp({ config: { organizations: { removingAllTeamsEnabled: true } } })
  try {
    const { client, organizationId } = await owner(free, 'ann@free.example', 'free')
    const { client: admin } = await joined(free, organizationId, 'admin@free.example', 'admin')
    const [team] = await client.api.teams.listTeams()
    expect((await admin.post('/organization/remove-team', { teamId: team?.id, organizationId })).status).toBe(200)
    expect(await client.api.teams.listTeams()).toEqual([])
  } finally {
    await free.stop()
  }
})
