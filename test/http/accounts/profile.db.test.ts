import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''

/** A person with a verified address. */
const verified = async (email: string) => {
  const client = await t.signedIn(email)
  await t.app.core.db.knex('user').where({ email }).update({ email_verified: true })
  return client
}

test('name, picture and language can be set and cleared, and an update without changes succeeds', async () => {
  const client = await t.signedIn('ann@example.com')
  const update = (body: object) => client.post('/update-user', body)
  for (const language of [0, 1, 3, 4, 6, 15, 16, 82]) {
    expect((await update({ language })).json).toEqual({ status: true })
    expect(await userOf(client)).toMatchObject({ language })
  }
  expect((await update({ name: 'Ann B.', image: 'https://example.com/a.png' })).json).toEqual({ status: true })
  expect(await userOf(client)).toMatchObject({ name: 'Ann B.', image: 'https://example.com/a.png', language: 82 })
  expect((await update({ image: null, language: null })).json).toEqual({ status: true })
  expect(await userOf(client)).toMatchObject({ name: 'Ann B.', image: null, language: null })
  expect((await update({})).json).toEqual({ status: true })
})

test('an update ignores profile fields that a user may not set', async () => {
  const client = await t.signedIn('eve@example.com')
  const before = await userOf(client)
  const answer = await client.post('/update-user', { role: 'admin', emailVerified: true, id: 'x', createdAt: 0, emailVersion: 9 })
  expect(answer.json).toEqual({ status: true })
  expect(await userOf(client)).toEqual(before)
})

test.each([
  ['an address', { email: 'x@example.com' }, 'EMAIL_CAN_NOT_BE_UPDATED'],
  ['an address beside a name', { email: { a: 1 }, name: 'x' }, 'EMAIL_CAN_NOT_BE_UPDATED'],
  ['a list', [], 'VALIDATION_ERROR'],
  ['an unknown language', { language: 2 }, 'VALIDATION_ERROR'],
  ['a script as picture', { image: 'javascript:alert(1)' }, 'VALIDATION_ERROR'],
  ['data as picture', { image: 'data:image/svg+xml,x' }, 'VALIDATION_ERROR'],
  ['a picture over http', { image: 'http://example.com/a.png' }, 'VALIDATION_ERROR'],
  ['a name with U+0000', { name: 'a\u0000' }, 'VALIDATION_ERROR'],
  ['a name that is a number', { name: 7 }, 'VALIDATION_ERROR'],
])('update-user refuses %s', async (_, body, code) => {
  const client = await t.signedIn(`refuse-${Math.random()}@example.com`)
  const before = await userOf(client)
  const answer = await client.post('/update-user', body)
  expect([answer.status, answer.json['code']]).toEqual([400, code])
  expect(await userOf(client)).toEqual(before)
})

test('profile calls require a session', async () => {
  for (const path of ['/update-user', '/change-email', '/change-password', '/delete-user', '/unlink-account', '/revoke-session'])
    expect((await t.client().post(path, { newEmail: 'x@example.com' })).status, path).toBe(401)
  for (const path of ['/list-accounts', '/list-sessions']) expect((await t.client().request(path)).status, path).toBe(401)
})

test('an unverified email address changes at once: the new address gets a verification link and the old address a notice', async () => {
  const client = await t.signedIn('old@example.com')
  expect((await client.post('/change-email', { newEmail: 'New@example.com' })).json).toEqual({ status: true })
  expect(await userOf(client)).toMatchObject({ email: 'new@example.com', emailVerified: false })
  expect(await t.mailKinds('new@example.com')).toEqual(['verification'])
  expect(await t.mailKinds('old@example.com')).toEqual(['email-changed'])
  await client.request((await t.mailTo('new@example.com')).link)
  expect(await userOf(client)).toMatchObject({ email: 'new@example.com', emailVerified: true })
})

test('a verified email address changes after its owner approves the change, and the new address starts as unverified', async () => {
  const client = await verified('from@example.com')
  expect((await client.post('/change-email', { newEmail: 'to@example.com', callbackURL: '/done' })).json).toEqual({
    status: true,
  })
  expect(await userOf(client)).toMatchObject({ email: 'from@example.com' })
  expect(await t.mailKinds('to@example.com')).toEqual([])
  const { link } = await t.mailTo('from@example.com', 'change-email')
  const followed = await client.request(link)
  expect([followed.status, followed.location]).toEqual([302, '/done'])
  expect(await userOf(client)).toMatchObject({ email: 'to@example.com', emailVerified: false })
  expect(await t.mailKinds('to@example.com')).toEqual(['verification'])
  expect(await t.mailKinds('from@example.com')).toEqual(['change-email', 'email-changed'])
})

test('the approval link of an address change answers JSON without a callback, and works only in a session of its user', async () => {
  const client = await verified('json@example.com')
  const other = await t.signedIn('json-other@example.com')
  await client.post('/change-email', { newEmail: 'json2@example.com' })
  const token = tokenOf((await t.mailTo('json@example.com', 'change-email')).link)
  for (const stranger of [t.client(), other]) {
    const refused = await stranger.request(`/verify-email?token=${token}`)
    expect([refused.status, refused.json]).toEqual([401, { code: 'UNAUTHORIZED', message: 'unauthorized' }])
    expect((await stranger.request(`/verify-email?token=${token}&callbackURL=/a`)).location).toBe('/a?error=unauthorized')
  }
  const answer = await client.request(`/verify-email?token=${token}`)
  expect([answer.status, answer.json]).toMatchObject([
    200,
    { status: true, user: { email: 'json2@example.com', emailVerified: false } },
  ])
  expect((await client.request(`/verify-email?token=${token}`)).json['code']).toBe('INVALID_TOKEN')
})

test('an approval link for an address change stays invalid when the user returns to the old email address', async () => {
  const client = await verified('back@example.com')
  await client.post('/change-email', { newEmail: 'back2@example.com' })
  const first = tokenOf((await t.mailTo('back@example.com', 'change-email')).link)
  await client.request(`/verify-email?token=${first}`)
  await client.post('/change-email', { newEmail: 'back@example.com' })
  await t.app.core.db.knex('user').where({ email: 'back@example.com' }).update({ email_verified: true })
  expect((await client.request(`/verify-email?token=${first}`)).json['code']).toBe('INVALID_TOKEN')
  expect(await userOf(client)).toMatchObject({ email: 'back@example.com' })
})

test('change-email makes its checks in the documented order', async () => {
  await t.signedIn('taken@example.com')
  const client = await verified('checks@example.com')
  const messages = async (newEmail: string) => {
    const { status, json } = await client.post('/change-email', { newEmail })
    return [status, json['message']]
  }
  expect(await messages('nonsense')).toEqual([400, 'Invalid email'])
  expect(await messages('CHECKS@example.com')).toEqual([400, 'Email is the same'])
  expect(await messages('Taken@example.com')).toEqual([400, "Couldn't update your email"])
  const elsewhere = await client.post('/change-email', { newEmail: 'x@example.com', callbackURL: 'https://evil.example' })
  expect([elsewhere.status, elsewhere.json['message']]).toEqual([403, 'Invalid callbackURL'])
})

test('a change to an email address that another account has taken in the meantime fails', async () => {
  const client = await verified('slow@example.com')
  await client.post('/change-email', { newEmail: 'wanted@example.com' })
  await t.signedIn('wanted@example.com')
  const { link } = await t.mailTo('slow@example.com', 'change-email')
  expect((await client.request(link)).location).toBe('/?error=couldnt_update_your_email')
  expect(await userOf(client)).toMatchObject({ email: 'slow@example.com' })
})

testOnBoth('of ten simultaneous changes to one email address one succeeds', async () => {
  const clients = await Promise.all(Array.from({ length: 10 }, (_, i) => t.signedIn(`many${i}@example.com`)))
  const answers = await Promise.all(clients.map((client) => client.post('/change-email', { newEmail: 'one@example.com' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
})
