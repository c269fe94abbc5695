/** Findings of doctor and the health page about addresses of applications. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CheckResult } from '../../../src/core/checks.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { askToken, assert, newKey } from '../oidc/asserting.ts'
import { register } from '../oidc/flow.ts'

let t: TestApp
let auditor: Client
let address: string
let answer = { status: 200, body: '{}' }
const server = createServer((_, res) => {
  res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  auditor = await signedInAs(t, 'auditor')
})
afterAll(async () => {
  server.close()
  await t.stop()
})

const find = async (check: string): Promise<readonly CheckResult[]> =>
  (await auditor.api.healthAdmin.diagnose({})).checks.filter((result) => result.check === check)

test("unreadable keys at an application's jwks_uri are a warning with address and cause, until the keys can be read", async () => {
  const key = await newKey()
  const served = { status: 200, body: JSON.stringify({ keys: [key.jwk] }) }
  answer = served
  const { clientId } = await register(t, {
    ...{ type: 'machine', redirectUris: [], authMethod: 'private_key_jwt', jwksUri: `${address}/jwks`, clientId: 'keyed' },
  })
  expect(await find('client-keys')).toMatchObject([{ severity: 'ok' }])
  answer = { status: 503, body: '' }
  expect(await find('client-keys')).toMatchObject([
    {
      ...{
        severity: 'warning',
        code: 'client-keys-unreadable',
        remedy: expect.stringContaining('update-client keyed --jwks-uri'),
      },
      message: `The keys of the application keyed cannot be read from ${address}/jwks: the server answered 503`,
    },
  ])
  answer = { status: 200, body: '{"keys":[]}' }
  expect(await find('client-keys')).toMatchObject([{ message: expect.stringContaining('has no key that can sign') }])
  answer = served
  expect((await askToken(t, await assert(t, clientId, key))).status).toBe(200)
  answer = { status: 404, body: '' }
  expect(await find('client-keys')).toMatchObject([{ code: 'client-keys-stale', values: { at: expect.any(String) } }])
  answer = served
  expect(await find('client-keys')).toMatchObject([{ severity: 'ok' }])
})

test('an application that rejects logout notices is a warning with logout address, time and last answer', async () => {
  const { clientId } = await register(t, { backchannelLogoutUri: `${address}/logout`, clientId: 'deaf' })
  const notice = (id: string, minutes: number, more: object) => ({
    ...{ id, client_id: clientId, user_id: 'u', session_id: 's', cause: 'session.ended', state: 'failed', attempts: 10 },
    ...{ answer: 500, problem: 'the application answered 500', created_at: new Date(Date.UTC(2026, 0, 1, 0, minutes)) },
    ...{ attempted_at: new Date(Date.UTC(2026, 0, 1, 1, minutes)), expires_at: new Date(Date.UTC(2099, 0, 1)), ...more },
  })
  const insert = (...rows: object[]) => t.app.core.transact((tx) => tx.knex('logout_notice').insert(rows))
  await insert(notice('early', 0, { state: 'waiting', attempts: 2 }))
  expect(await find('client-logouts')).toMatchObject([{ severity: 'ok' }])
  await insert(notice('one', 1, {}), notice('two', 2, { state: 'waiting', attempts: 4, answer: null, problem: 'no answer' }))
  expect(await find('client-logouts')).toMatchObject([
    {
      ...{ severity: 'warning', remedy: expect.stringContaining('list-logout-notices --client deaf') },
      message: `The application deaf has not been told of ended sessions since 2026-01-01T00:01:00.000Z, at ${address}/logout: no answer. Notices that wait or were given up: 2`,
    },
  ])
  await insert(notice('taken', 3, { state: 'delivered', answer: 200, problem: null }))
  expect(await find('client-logouts')).toMatchObject([{ severity: 'ok' }])
})
