import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const evil = 'https://evil.example/x'
const fields = [
  ['callbackURL', 'Invalid callbackURL'],
  ['redirectTo', 'Invalid redirectURL'],
  ['errorCallbackURL', 'Invalid errorCallbackURL'],
  ['newUserCallbackURL', 'Invalid newUserCallbackURL'],
] as const

test.each(fields)(
  'an untrusted %s in any POST is refused before the session and other fields are checked',
  async (name, message) => {
    for (const path of ['/change-email', '/sign-up/email', '/update-user', '/sign-out', '/reset-password']) {
      const answer = await t.client().post(path, { [name]: evil })
      expect([path, answer.status, answer.json['message']]).toEqual([path, 403, message])
    }
  },
)

test('an untrusted callbackURL in the query is refused', async () => {
  const answer = await t.client().post(`/change-email?callbackURL=${encodeURIComponent(evil)}`, {})
  expect([answer.status, answer.json['message']]).toEqual([403, 'Invalid callbackURL'])
})

test('the origin is checked before the URLs, and a URL that is not text is a validation error', async () => {
  const client = await t.signedIn('ann@example.com')
  const foreign = await client.post('/update-user', { callbackURL: evil }, { origin: 'https://evil.example' })
  expect([foreign.status, foreign.json['message']]).toEqual([403, 'Invalid origin'])
  expect((await client.post('/change-email', { newEmail: 'b@example.com', callbackURL: 7 })).status).toBe(400)
  expect((await client.post('/update-user', { name: 'Ann', callbackURL: ['x'] })).status).toBe(200)
  expect((await client.post('/update-user', { name: 'Ann', callbackURL: '/ok' })).status).toBe(200)
})
