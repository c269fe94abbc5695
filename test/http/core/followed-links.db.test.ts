import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const asPerson = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

test.each([
  ['/verify-email?token=nonsense', 'invalid_token'],
  ['/delete-user/callback?token=nonsense&callbackURL=/account/deleted', 'failed_to_get_user_info'],
  ['/verify-email?token=x&callbackURL=https://evil.example', 'invalid_callbackurl'],
  ['/verify-email', 'validation_error'],
])('a browser that opens the invalid link %s is redirected to the error page', async (path, code) => {
  const answer = await t.client().request(path, asPerson)
  expect([answer.status, answer.location]).toEqual([302, `/error?error=${code}&request_id=${answer.headers.get('x-request-id')}`])
})

test('a program that opens an invalid link gets JSON, and calls that are not links answer JSON to browsers too', async () => {
  const program = await t.client().request('/verify-email?token=nonsense')
  expect([program.status, program.json['code']]).toEqual([401, 'INVALID_TOKEN'])
  const list = await t.client().request('/list-sessions', asPerson)
  expect([list.status, list.json['code']]).toEqual([401, 'UNAUTHORIZED'])
})

test.each(['/forgot-password', '/reset-password', '/verified', '/account/devices', '/account/deleted'])(
  'the page %s is served',
  async (path) => {
    const answer = await t.client().request(path, asPerson)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  },
)

test('a browser at a page below the API prefix is redirected to the page with its query', async () => {
  for (const [path, location] of [
    ['/api/auth/sign-in?return_to=%2Faccount', '/sign-in?return_to=%2Faccount'],
    ['/api/auth/error?error=access_denied', '/error?error=access_denied'],
    ['/api/auth/account/devices', '/account/devices'],
    ['/api/auth/invitation/abc', '/invitation/abc'],
  ] as const) {
    const answer = await t.client().request(path, asPerson)
    expect([answer.status, answer.location]).toEqual([302, location])
  }
  expect((await t.client().request('/api/auth/assets/nothing.js')).status).toBe(404)
})
