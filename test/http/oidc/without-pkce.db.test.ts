/** Advice about applications with a secret that sign people in without PKCE. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeFor, register } from './flow.ts'

let t: TestApp
let admin: Client
let ann: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const plain = { code_challenge: undefined, code_challenge_method: undefined }
const adviceOn = async (clientId: string) => {
  await t.app.oidc.clients.flushUsage()
  const { checks } = await admin.api.healthAdmin.diagnose({})
  return checks.filter(({ check, values }) => check === 'client-pkce' && values['clientId'] === clientId)
}
const shown = (clientId: string) => admin.api.applications.getApplication({ params: { clientId } })

test('doctor and the page of an application report only sign-ins without PKCE', async () => {
  const [careless, careful] = [await register(t), await register(t)]
  await codeFor(ann, careless, plain)
  await codeFor(ann, careful)
  expect(await adviceOn(careless.clientId)).toMatchObject([
    { severity: 'notice', code: 'client-without-pkce', remedy: expect.stringContaining('--pkce required') },
  ])
  expect(await adviceOn(careful.clientId)).toEqual([])
  expect((await shown(careless.clientId)).withoutPkceAt).toEqual(expect.any(Date))
  expect((await shown(careful.clientId)).withoutPkceAt).toBeNull()
})

test('the advice to use PKCE disappears once PKCE is required, or a week after the last sign-in without PKCE', async () => {
  const [required, quiet] = [await register(t), await register(t)]
  for (const application of [required, quiet]) await codeFor(ann, application, plain)
  expect(await adviceOn(required.clientId)).toHaveLength(1)
  await admin.api.applications.updateApplication({ params: { clientId: required.clientId }, body: { pkce: 'required' } })
  expect(await adviceOn(required.clientId)).toEqual([])
  expect(await adviceOn(quiet.clientId)).toHaveLength(1)
  await t.app.core.db
    .knex('oauth_client')
    .where({ client_id: quiet.clientId })
    .update({ without_pkce_at: new Date(Date.now() - 8 * 86_400_000) })
  expect(await adviceOn(quiet.clientId)).toEqual([])
})
