/** Webhook endpoints that administrators add, rotate and remove by the API. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const path = '/admin/billing/webhook-endpoints'
const secret = 'whsec_Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe'
const remove = (to: string) => admin.request(to, { method: 'DELETE' })
const secretsOf = async (name: string) =>
  (await admin.api.billingAdmin.webhookEndpoints()).endpoints.find((endpoint) => endpoint.name === name)?.secrets

test('a webhook endpoint gets a secret that is shown once, can get more secrets, and can lose all secrets but the newest', async () => {
  const made = await admin.post(path, { name: 'polar-eu' })
  expect(made).toMatchObject({
    ...{ status: 200, json: { name: 'polar-eu', url: `${t.url}/webhooks/polar-eu`, secret: expect.stringMatching(/^whsec_/) } },
  })
  const given = await admin.post(`${path}/polar-eu/secrets`, { secret })
  expect(given.json).toEqual({ name: 'polar-eu', url: `${t.url}/webhooks/polar-eu`, secret: null })
  expect(await secretsOf('polar-eu')).toBe(2)
  expect((await remove(`${path}/polar-eu/secrets`)).json).toEqual({ name: 'polar-eu' })
  expect(await secretsOf('polar-eu')).toBe(1)
  expect((await remove(`${path}/polar-eu`)).json).toEqual({ name: 'polar-eu' })
  expect(await secretsOf('polar-eu')).toBeUndefined()
  const { id } = await t.app.users.require(t.app.core.db, 'admin@staff.example')
  for (const type of ['endpoint.created', 'endpoint.keys_changed', 'endpoint.deleted'])
    expect((await t.app.audit.list({ type }, 1))[0]).toMatchObject({ actorId: id, subjectId: 'polar-eu' })
})

test('a webhook endpoint refuses weak secrets, existing names, unknown names and too many secrets', async () => {
  await admin.post(path, { name: 'full', secret })
  const refused = async (answer: Promise<{ readonly status: number; readonly json: Record<string, unknown> }>) => {
    const { status, json } = await answer
    return [status, json['code']]
  }
  expect(await refused(admin.post(path, { name: 'full' }))).toEqual([400, 'WEBHOOK_ENDPOINT_ALREADY_EXISTS'])
  expect(await refused(admin.post(path, { name: 'Not a name' }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(await refused(admin.post(path, { name: 'weak', secret: 'short' }))).toEqual([400, 'SECRET_TOO_SHORT'])
  expect(await refused(admin.post(path, { name: 'weak', secret: '' }))).toEqual([400, 'SECRET_CANT_BE_EMPTY'])
  for (const to of [`${path}/none`, `${path}/none/secrets`])
    expect(await refused(remove(to))).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
  expect(await refused(admin.post(`${path}/none/secrets`, {}))).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
  for (let count = 1; count < 10; count += 1) await admin.post(`${path}/full/secrets`, {})
  expect(await refused(admin.post(`${path}/full/secrets`, {}))).toEqual([400, 'TOO_MANY_WEBHOOK_SECRETS'])
})
