import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

const fields = {
  department: { type: 'string', values: ['sales', 'support'], required: true, label: { en: 'Department', de: 'Abteilung' } },
  nickname: { type: 'string', maxLength: 10, default: 'newcomer' },
  seats: { type: 'number', default: 1 },
  beta: { type: 'boolean' },
  born: { type: 'date' },
  plan: { type: 'string', default: 'free', writableBy: 'operator' },
  referral: { type: 'string', maxLength: 2000, returned: false },
  notes: { type: 'string', maxLength: 2000, returned: false },
  bio: { type: 'string', maxLength: 2000, returned: false },
}

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { users: { fields } } })
})
afterAll(() => t.stop())

const signUp = (client: Client, email: string, more: object) =>
  client.post('/sign-up/email', { name: 'Ann Example', email, password, ...more })
const signedUp = async (email: string, more: object = {}) => {
  const client = t.client()
  const { json } = await signUp(client, email, { department: 'sales', ...more })
  return { client, user: json['user'] as Record<string, unknown> }
}
const shownTo = async (client: Client) => (await client.request('/get-session')).json['user'] as Record<string, unknown>
const problems = (json: Record<string, unknown>) => [json['code'], (json['issues'] as { path: string }[]).map(({ path }) => path)]
const keptOf = async (email: string): Promise<unknown> => {
  const row = await t.app.core.db.knex('user').where({ email }).first('fields')
  return JSON.parse(row.fields)
}

test('every response with a user contains the extra fields marked as returned, with defaults, and no internal field', async () => {
  const { client, user } = await signedUp('ann@example.com', { born: '1990-05-17', referral: 'secret', unknown: 'x' })
  expect(user).toEqual({
    id: user['id'],
    name: 'Ann Example',
    email: 'ann@example.com',
    emailVerified: false,
    image: null,
    role: 'user',
    language: null,
    twoFactorEnabled: false,
    createdAt: user['createdAt'],
    updatedAt: user['updatedAt'],
    department: 'sales',
    nickname: 'newcomer',
    seats: 1,
    beta: null,
    born: '1990-05-17T00:00:00.000Z',
    plan: 'free',
  })
  expect(await keptOf('ann@example.com')).toEqual({ department: 'sales', born: '1990-05-17T00:00:00.000Z', referral: 'secret' })
  expect(await shownTo(client)).toEqual(user)
  const again = await t.client().post('/sign-in/email', { email: 'ann@example.com', password })
  expect(again.json['user']).toEqual(user)
  const changed = await client.post('/change-password', { currentPassword: password, newPassword: 'another long battery' })
  expect(changed.json['user']).toEqual({ ...user, updatedAt: expect.any(String) })
  // The typed client returns the extra fields under their own key.
  expect((await client.api.sessions.getSession())?.user.fields).toMatchObject({ department: 'sales', plan: 'free' })
})

test('a user created before a field existed has the default of the field, and a stored value of an earlier type is not shown', async () => {
  await signedUp('old@example.com')
  const users = t.app.core.db.knex('user').where({ email: 'old@example.com' })
  const signIn = async () => (await t.client().post('/sign-in/email', { email: 'old@example.com', password })).json['user']
  await users.clone().update({ fields: null })
  expect(await signIn()).toMatchObject({ department: null, nickname: 'newcomer', seats: 1, beta: null, plan: 'free' })
  await users.clone().update({ fields: JSON.stringify({ seats: 'three', born: 'soon', beta: true, gone: 1 }) })
  const user = await signIn()
  expect(user).toMatchObject({ seats: 1, born: null, beta: true })
  expect(user).not.toHaveProperty('gone')
})

test('a sign-up reports every extra field that is missing, invalid or for operators only, and creates no user', async () => {
  const client = t.client()
  expect(problems((await signUp(client, 'eve@example.com', {})).json)).toEqual(['VALIDATION_ERROR', ['department']])
  const wrong = {
    department: 'board',
    nickname: 'x'.repeat(11),
    seats: '3',
    beta: 1,
    born: '2026-02-30',
    plan: 'gold',
    referral: {},
  }
  const { status, json } = await signUp(client, 'eve@example.com', wrong)
  expect([status, problems(json)]).toEqual([400, ['VALIDATION_ERROR', Object.keys(wrong)]])
  expect((await signUp(client, 'eve@example.com', { department: 'sales' })).status).toBe(200)
})

test('update-user changes the named extra fields, keeps the other fields, and rejects fields for operators', async () => {
  const { client } = await signedUp('bob@example.com', { nickname: 'bobby', seats: 4, beta: true })
  const update = (body: object) => client.post('/update-user', body)
  expect((await update({ nickname: null, seats: 0.5, born: '2000-01-02T03:04:05+01:00' })).json).toEqual({ status: true })
  const expected = { nickname: null, seats: 0.5, beta: true, born: '2000-01-02T02:04:05.000Z', department: 'sales', plan: 'free' }
  expect(await shownTo(client)).toMatchObject(expected)
  for (const [body, paths] of [
    [{ plan: 'gold', name: 'Bob B.' }, ['plan']],
    [{ department: null }, ['department']],
    [{ seats: '5', beta: 'yes' }, ['seats', 'beta']],
    [{ nickname: 'a\u0000' }, ['nickname']],
    [{ referral: 'x'.repeat(2001) }, ['referral']],
  ] as const) {
    const { status, json } = await update(body)
    expect([status, problems(json)]).toEqual([400, ['VALIDATION_ERROR', paths]])
  }
  expect(await shownTo(client)).toMatchObject({ ...expected, name: 'Ann Example' })
})

testOnBoth('two simultaneous changes of different fields are both stored', async () => {
  const { client } = await signedUp('two@example.com')
  const answers = await Promise.all([
    client.post('/update-user', { nickname: 'deuce' }),
    client.post('/update-user', { seats: 2 }),
    client.post('/update-user', { beta: false }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await shownTo(client)).toMatchObject({ nickname: 'deuce', seats: 2, beta: false, department: 'sales' })
})

test('the extra fields of a user together have a limit in bytes', async () => {
  // Each letter takes two bytes.
  const text = 'é'.repeat(2000)
  const { client } = await signedUp('long@example.com', { referral: text })
  expect((await client.post('/update-user', { notes: text })).status).toBe(200)
  const { status, json } = await client.post('/update-user', { bio: text })
  expect([status, problems(json)]).toEqual([400, ['VALIDATION_ERROR', ['bio']]])
  const all = { department: 'sales', referral: text, notes: text, bio: text }
  expect((await signUp(t.client(), 'longer@example.com', all)).status).toBe(400)
})

test('a sign-up by invitation requires the required extra fields too', async () => {
  const { client: owner } = await signedUp('owner@example.com')
  await t.verify('owner@example.com')
  const { json: organization } = await owner.post('/organization/create', { name: 'Acme', slug: 'acme' })
  await owner.post('/organization/invite-member', {
    ...{ email: 'new@example.com', role: 'member', organizationId: organization['id'] },
  })
  const link = new URL((await t.mailTo('new@example.com')).link)
  const invited = t.client()
  const body = {
    ...{ invitationId: link.pathname.split('/').at(-1), token: link.searchParams.get('token') ?? link.hash.split('=').at(-1) },
    ...{ name: 'Nora New', password },
  }
  const asked = await invited.post('/hosted/invitation/sign-up', body)
  expect(problems(asked.json)).toEqual(['VALIDATION_ERROR', ['department']])
  const { json } = await invited.post('/hosted/invitation/sign-up', { ...body, department: 'support', seats: 7 })
  expect(json['user']).toMatchObject({ email: 'new@example.com', department: 'support', seats: 7, plan: 'free' })
})

test('the settings for pages list only the extra fields that users may write', async () => {
  const { json } = await t.client().request('/hosted/settings')
  const asked = json['userFields'] as { readonly name: string }[]
  expect(asked.map(({ name }) => name)).toEqual(['department', 'nickname', 'seats', 'beta', 'born', 'referral', 'notes', 'bio'])
  expect(asked[0]).toEqual({
    ...{ name: 'department', type: 'string', required: true, returned: true, default: null, maxLength: 200 },
    ...{ values: ['sales', 'support'], label: { en: 'Department', de: 'Abteilung' } },
  })
})
