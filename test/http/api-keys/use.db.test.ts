import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { countStatements, joined, operator, owner, userOf } from '../organizations/people.ts'
import { createKey, instanceKey, outcome, program } from './keys.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const setRole = (email: string, role: string) => t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))

test("a person's API key can make exactly the account calls of its permissions", async () => {
  const ann = await t.signedIn('ann@example.com')
  const { key } = await createKey(ann, { permissions: ['account:update', 'identities:read', 'organizations:create'] })
  const bot = program(t, key)
  expect((await bot.post('/update-user', { name: 'Changed by a key' })).status).toBe(200)
  expect((await userOf(ann)).name).toBe('Changed by a key')
  expect((await bot.get('/list-accounts')).json).toHaveLength(1)
  expect((await bot.post('/organization/create', { name: 'Keyed', slug: 'keyed' })).json['slug']).toBe('keyed')
  expect(await outcome(bot.get('/list-sessions'))).toEqual([403, 'FORBIDDEN'])
  expect(await outcome(bot.get('/organization/list'))).toEqual([403, 'FORBIDDEN'])
})

test('an API key cannot change sign-in methods, create or change API keys, or end sessions', async () => {
  const eve = await t.signedIn('eve@example.com')
  const { key, id } = await createKey(eve, { permissions: ['account:update', 'identities:read', 'sessions:read'] })
  const bot = program(t, key)
  for (const [path, body] of [
    ['/change-password', { currentPassword: 'x', newPassword: 'another battery staple' }],
    ['/change-email', { newEmail: 'other@example.com' }],
    ['/delete-user', {}],
    ['/unlink-account', { providerId: 'google' }],
    ['/link-social', { provider: 'google' }],
    ['/revoke-sessions', {}],
    ['/api-key/create', { name: 'More', permissions: ['account:read'] }],
    ['/api-key/update', { keyId: id, permissions: ['account:update'] }],
    ['/api-key/rotate', { keyId: id }],
    ['/api-key/delete', { keyId: id }],
    ['/organization/set-active', { organizationId: null }],
  ] as const)
    expect([path, ...(await outcome(bot.post(path, body)))]).toEqual([path, 403, 'FORBIDDEN'])
  expect(await outcome(bot.get('/api-key/list'))).toEqual([403, 'FORBIDDEN'])
})

test('an organization API key acts only in its organization, however a call names another organization', async () => {
  const a = await owner(t, 'owner-a@example.com', 'org-a')
  const b = await owner(t, 'owner-b@example.com', 'org-b')
  const { key } = await createKey(a.client, {
    permissions: ['organization:read', 'organization:update', 'member:read', 'invitation:read', 'invitation:create'],
    organizationId: 'org-a',
  })
  const bot = program(t, key)
  const { json: list } = await bot.get('/organization/list-members')
  expect((list['members'] as { user: { email: string } }[]).map(({ user }) => user.email)).toEqual(['owner-a@example.com'])
  expect((await bot.get(`/organization/list-members?organizationId=${a.organizationId}`)).status).toBe(200)
  const invited = await bot.post('/organization/invite-member', { email: 'new@example.com', role: 'member' })
  expect(invited.json).toMatchObject({ email: 'new@example.com', inviterId: null, organizationId: a.organizationId })
  for (const [answer, code] of [
    [bot.get(`/organization/list-members?organizationId=${b.organizationId}`), 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
    [bot.get('/organization/list-members?organizationSlug=org-b'), 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
    [bot.get('/organization/list-members', { 'gatehouse-organization': 'org-b' }), 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
    [
      bot.get(`/organization/get-full-organization?organizationId=${b.organizationId}`),
      'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
    ],
    [
      bot.post('/organization/update', { organizationId: b.organizationId, data: { name: 'Taken over' } }),
      'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
    ],
    [
      bot.post('/organization/invite-member', { organizationId: b.organizationId, email: 'x@example.com', role: 'member' }),
      'MEMBER_NOT_FOUND',
    ],
  ] as const)
    expect((await answer).json['code']).toBe(code)
  expect((await bot.post('/organization/update', { data: { name: 'Renamed' } })).json['name']).toBe('Renamed')
  expect(await outcome(bot.post('/update-user', { name: 'X' }))).toEqual([403, 'FORBIDDEN'])
})

test('an organization API key cannot give a role with more permissions than the key, and never the creator role', async () => {
  const { client, organizationId } = await owner(t, 'boss@example.com', 'bosses')
  const { id: memberId } = await joined(t, organizationId, 'worker@example.com')
  const { key } = await createKey(client, {
    permissions: ['member:read', 'member:update', 'member:delete', 'invitation:create'],
    organizationId,
  })
  const bot = program(t, key)
  for (const role of ['admin', 'owner']) {
    expect(await outcome(bot.post('/organization/update-member-role', { memberId, role }))).toEqual([
      403,
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
    ])
    expect(await outcome(bot.post('/organization/invite-member', { email: `${role}@example.com`, role }))).toEqual([
      403,
      'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
    ])
  }
  const { status } = await bot.post('/organization/remove-member', { memberIdOrEmail: 'boss@example.com' })
  expect(status).toBeGreaterThanOrEqual(400)
  expect((await bot.post('/organization/remove-member', { memberIdOrEmail: memberId })).status).toBe(200)
})

test('an organization API key with only organization:read sees neither members nor invitations', async () => {
  const { client, organizationId } = await owner(t, 'quiet@example.com', 'quiet')
  await client.post('/organization/invite-member', { email: 'secret@example.com', role: 'member' })
  const { key } = await createKey(client, { permissions: ['organization:read'], organizationId })
  const { json } = await program(t, key).get('/organization/get-full-organization')
  expect(json).toMatchObject({ slug: 'quiet', members: [], invitations: [], teams: [] })
})

test("a person's API key has exactly the organization permissions that both key and membership have at the time of the call", async () => {
  const { organizationId } = await owner(t, 'head@example.com', 'heads')
  const { client: admin, id } = await joined(t, organizationId, 'deputy@example.com', 'admin')
  const { key } = await createKey(admin, { permissions: ['team:create', 'member:read'] })
  const bot = program(t, key)
  const create = (name: string) => bot.post('/organization/create-team', { organizationId, name })
  expect((await create('First')).status).toBe(200)
  expect(await outcome(bot.post('/organization/update', { organizationId, data: { name: 'X' } }))).toEqual([
    403,
    'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION',
  ])
  const head = t.client()
  await head.api.accounts.signInEmail({ body: { email: 'head@example.com', password: 'correct horse battery' } })
  await head.post('/organization/update-member-role', { organizationId, memberId: id, role: 'member' })
  expect(await outcome(create('Second'))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION'])
})

test('the API key of a demoted administrator has no more permissions than the person', async () => {
  const root = await t.signedIn('root@example.com')
  await t.signedIn('other-root@example.com')
  await setRole('root@example.com', 'admin')
  await setRole('other-root@example.com', 'admin')
  const { key } = await createKey(root, { permissions: ['api-keys:read', 'account:update'] })
  const bot = program(t, key)
  expect((await bot.get('/admin/api-keys')).status).toBe(200)
  await setRole('root@example.com', 'user')
  expect(await outcome(bot.get('/admin/api-keys'))).toEqual([403, 'FORBIDDEN'])
  expect((await bot.post('/update-user', { name: 'Still mine' })).status).toBe(200)
})

test('an instance API key makes the calls of its permissions and no calls of accounts and organizations', async () => {
  const bot = program(t, await instanceKey(t, ['api-keys:read']))
  expect((await bot.get('/admin/api-keys')).status).toBe(200)
  expect(await outcome(bot.get('/billing/customers'))).toEqual([404, 'NOT_FOUND'])
  expect(await outcome(bot.get('/organization/list-members'))).toEqual([403, 'FORBIDDEN'])
  expect(await outcome(bot.get('/list-accounts'))).toEqual([403, 'FORBIDDEN'])
})

describeOnBoth('requests with an API key', () => {
  test('a call with an API key ignores cookies, sets no cookie and needs no Origin', async () => {
    const cyd = await t.signedIn('cyd@example.com')
    const { key } = await createKey(cyd, { permissions: ['account:update'] })
    const cookie = [...cyd.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const bot = program(t, key)
    const changed = await bot.post('/update-user', { name: 'Cyd' }, { cookie, origin: 'https://elsewhere.example' })
    expect([changed.status, changed.headers.getSetCookie()]).toEqual([200, []])
    // The session may make this call, the key may not.
    expect(await outcome(bot.get('/list-sessions', { cookie }))).toEqual([403, 'FORBIDDEN'])
    const wrong = program(t, `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)
    expect(await outcome(wrong.get('/list-sessions', { cookie }))).toEqual([401, 'INVALID_API_KEY'])
  })

  testOnBoth("a page of a trusted origin can call with an API key, but only without the browser's credentials", async () => {
    const origin = 'https://app.example'
    const node = await t.node({ trustedOrigins: [origin] })
    const bot = program(node, await instanceKey(t, ['api-keys:read']))
    const { headers } = await bot.get('/admin/api-keys', { origin })
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([origin, null])
    await node.stop()
  })

  testOnBoth('authentication by API key takes one statement, whoever owns the key', async () => {
    const { client, organizationId } = await owner(t, 'counted@example.com', 'counted')
    const keys = [
      await createKey(client, { permissions: ['sessions:read'] }).then(({ key }) => key),
      await createKey(client, { permissions: ['member:read'], organizationId }).then(({ key }) => key),
      await instanceKey(t, ['users:read']),
    ]
    const node = await t.node()
    await node.app.jobs.stop()
    for (const key of keys) {
      const bot = program(node, key)
      await bot.get('/get-session')
      expect((await countStatements(node, () => bot.get('/get-session'))).length).toBe(1)
    }
    await node.stop()
  })

  test("events of an API key's calls name the key as the actor", async () => {
    const { client, organizationId } = await owner(t, 'events@example.com', 'events')
    const { key, id } = await createKey(client, { permissions: ['team:create'], organizationId })
    await program(t, key).post('/organization/create-team', { name: 'By a key' })
    const [event] = await t.app.audit.list({}, 1)
    expect(event).toMatchObject({ type: 'team.created', actorKind: 'api-key', actorId: id, organizationId, sessionId: null })
  })
})

test('API keys are deleted with their owner', async () => {
  const dan = await t.signedIn('dan@example.com')
  const { key, id } = await createKey(dan, { permissions: ['sessions:read'] })
  const { client, organizationId } = await owner(t, 'ending@example.com', 'ending')
  const ofOrganization = await createKey(client, { permissions: ['member:read'], organizationId })
  await dan.post('/delete-user', { password: 'correct horse battery' })
  await t.app.organizations.removeById(operator, organizationId)
  for (const gone of [key, ofOrganization.key])
    expect(await outcome(program(t, gone).get('/list-sessions'))).toEqual([401, 'INVALID_API_KEY'])
  expect(await t.app.core.db.knex('api_key_secret').where({ key_id: id })).toEqual([])
})
