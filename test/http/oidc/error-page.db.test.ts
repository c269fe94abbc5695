import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Application, authorizePath, queryOf, redirectUri, register } from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

const ask = (application: Application, params = {}) => t.client().request(authorizePath(application, params))

test('the error page of an authorization shows the sent parameters and the request id, but no registered data', async () => {
  const sent = 'https://rp.example/other?tab=1'
  const answer = await ask(shop, { redirect_uri: sent })
  expect(queryOf(answer.location)).toEqual({
    error: 'invalid_redirect_uri',
    error_description: expect.any(String),
    request_id: answer.headers.get('x-request-id'),
    client_id: shop.clientId,
    redirect_uri: sent,
    response_type: 'code',
    scope: 'openid',
  })
  expect(decodeURIComponent(answer.location ?? '')).not.toContain(redirectUri)

  const unknown = await ask({ clientId: 'nobody', secret: undefined })
  expect(queryOf(unknown.location)).toMatchObject({ error: 'invalid_client', client_id: 'nobody', redirect_uri: redirectUri })
})

test('long sent values are shortened in the address of the error page', async () => {
  const { location } = await ask(shop, { redirect_uri: `https://rp.example/${'x'.repeat(5_000)}` })
  expect(queryOf(location)['redirect_uri']).toHaveLength(1_000)
})

test('an error that may be returned to the application is sent to the application instead of the error page', async () => {
  const { location } = await ask(shop, { code_challenge: undefined })
  expect(location).toMatch(/^https:\/\/rp\.example\/callback\?/)
  expect(queryOf(location)['error']).toBe('invalid_request')
})

test('an expired sign-in leads to the error page with the request id', async () => {
  const answer = await t.client().request('/interaction/unknown')
  expect(queryOf(answer.location)).toMatchObject({
    error: 'interaction_not_found',
    request_id: answer.headers.get('x-request-id'),
  })
})
