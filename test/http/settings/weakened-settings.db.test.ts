/** Lowering security by a setting requires a person with a recent proof, whatever the form of the value and of the call. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { startSmtp } from '../../support/smtp.ts'
import { startProvider } from '../../support/social/fake-provider.ts'
import { outbound } from '../../support/social/listen.ts'

let t: TestApp
let admin: Client
let key: string
beforeAll(async () => {
  t = await testApp({ config: { outbound, limits: { enabled: 'off' } } })
  admin = await signedInAs(t, 'admin')
  const made = await admin.api.adminApiKeys.adminCreateApiKey({
    body: { name: 'Terraform', permissions: ['settings:read', 'settings:update'] },
  })
  key = made.key
})
afterAll(() => t?.stop())

type Values = Readonly<Record<string, unknown>>
const send = (method: string, path: string, body: object, client = admin, headers: Record<string, string> = {}) =>
  client.request(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
const patch = (set: Values, more: object = {}) => send('PATCH', '/admin/settings', { set, ...more })
const byKey = (method: string, path: string, body: object) =>
  send(method, path, body, t.client(), { authorization: `Bearer ${key}` })

beforeEach(async () => {
  const keys = (await t.app.settings.read()).settings.map((one) => one.key)
  if (keys.length > 0) await admin.api.settings.updateSettings({ body: { unset: keys } })
})

test('removing a limit by setting null counts as lowering security, like raising the limit', async () => {
  expect(await byKey('PATCH', '/admin/settings', { set: { 'apiKeys.expiresInSeconds': null } })).toMatchObject({ status: 403 })
  const { json } = await patch({ 'apiKeys.expiresInSeconds': null }, { dryRun: true })
  expect(json['changes']).toMatchObject([{ key: 'apiKeys.expiresInSeconds', lowersSecurity: true }])
  expect(await byKey('PATCH', '/admin/settings', { set: { 'apiKeys.expiresInSeconds': 3600 } })).toMatchObject({ status: 200 })
})

test('letting users write fields of operators counts as lowering security', async () => {
  const plan = { type: 'string', writableBy: 'operator' }
  await patch({ 'users.fields': { plan } })
  const answer = await byKey('PATCH', '/admin/settings', { set: { 'users.fields': { plan: { ...plan, writableBy: 'user' } } } })
  expect(answer).toMatchObject({ status: 403 })
})

test('allowing more mails in an hour counts as lowering security, like allowing more requests', async () => {
  for (const name of ['mail.requestsPerHour', 'mail.requestsPerAskerAndHour', 'organizations.invitationsInAllPerHour']) {
    expect(await byKey('PATCH', '/admin/settings', { set: { [name]: 90_000 } })).toMatchObject({ status: 403 })
    expect(await byKey('PATCH', '/admin/settings', { set: { [name]: 1 } })).toMatchObject({ status: 200 })
  }
})

test('no API key can explore the network by trying a mail server', async () => {
  const smtp = await startSmtp()
  expect(await byKey('POST', '/admin/settings/try', { set: { smtpUrl: smtp.url } })).toMatchObject({ status: 403 })
  expect(await send('POST', '/admin/settings/try', { set: { smtpUrl: smtp.url } })).toMatchObject({ status: 200 })
  await smtp.stop()
})

test('the password of a mail server appears in no response, even if its user name is an email address', async () => {
  for (const smtpUrl of ['smtp://ann@example.com:geheim@127.0.0.1:9', 'smtp://ann:ge@heim@127.0.0.1:9']) {
    const { text } = await patch({ smtpUrl }, { force: true })
    const told = [text, (await admin.request('/admin/settings')).text, (await admin.request('/admin/settings/history')).text]
    for (const one of told) expect(one).not.toContain('heim')
  }
})

test('a picture or font of the brand that does not exist is refused at once', async () => {
  const pipe = join(mkdtempSync(join(tmpdir(), 'gatehouse-pipe-')), 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const name of ['brand.logo', 'brand.font'])
    for (const path of ['/dev/zero', pipe]) {
      const answer = await patch({ [name]: path }, { dryRun: true })
      expect(answer).toMatchObject({ status: 400, json: { code: 'SETTINGS_ARE_INVALID' } })
      expect(answer.text).toContain('is no file')
    }
})

test('requiring a second factor of another role does not lower security, and no longer requiring a factor of a role does', async () => {
  const requireOf = (roles: unknown) => byKey('PATCH', '/admin/settings', { set: { 'secondFactor.requiredFor': roles } })
  await patch({ 'secondFactor.requiredFor': ['admin'] })
  expect(await requireOf(['admin', 'support'])).toMatchObject({ status: 200 })
  expect(await requireOf(['support'])).toMatchObject({ status: 403 })
  expect(await requireOf([])).toMatchObject({ status: 403 })
  expect(await requireOf('auto')).toMatchObject({ status: 403 })
})

test('neither an API key nor an old session can send a stored client secret to another token endpoint by a trial', async () => {
  const provider = await startProvider()
  const elsewhere = await startProvider()
  await patch(
    { 'social.acme.clientId': 'client-1', 'social.acme.clientSecret': 'geheim-of-acme', 'social.acme.issuer': provider.url },
    { force: true },
  )
  const set = { 'social.acme.issuer': elsewhere.url }
  expect(await byKey('POST', '/admin/settings/try', { set })).toMatchObject({ status: 403 })
  t.clock.advance({ minutes: 11 })
  expect(await send('POST', '/admin/settings/try', { set })).toMatchObject({
    ...{ status: 403, json: { code: 'SESSION_IS_NOT_FRESH' } },
  })
  expect(await send('POST', '/admin/settings/try', { set: { 'social.acme.name': 'Acme' } })).toMatchObject({ status: 200 })
  await provider.stop()
  await elsewhere.stop()
})
