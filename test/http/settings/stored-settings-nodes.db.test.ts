/** Settings in the database: who may change them, which source applies, and how every node follows them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { startSmtp } from '../../support/smtp.ts'
import { startProvider } from '../../support/social/fake-provider.ts'
import { outbound } from '../../support/social/listen.ts'

let t: TestApp
let other: TestApp
let admin: Client
const lines: string[] = []
beforeAll(async () => {
  t = await testApp({
    env: { GATEHOUSE_SESSIONS_UPDATE_AGE_SECONDS: '3600' },
    config: { outbound, limits: { enabled: 'off' } },
    onLog: (line) => void lines.push(line),
  })
  // Documents are cached for an hour, which contradicts a shorter overlap of keys.
  other = await t.node({ oidc: { documentCacheSeconds: 3600 } })
  admin = await signedInAs(t, 'admin')
})
afterAll(async () => {
  await other?.stop()
  await t?.stop()
})

type Values = Readonly<Record<string, unknown>>
const settingsOf = (client = admin) => client.api.settings.listSettings({ query: {} })
const setting = async (key: string) => (await settingsOf()).settings.find((one) => one.key === key)
const patch = (set: Values, more: object = {}, client = admin, headers: Record<string, string> = {}) =>
  client.request('/admin/settings', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ set, ...more }),
  })
const stored = async () => Object.fromEntries((await t.app.settings.read()).settings.map(({ key, value }) => [key, value]))
const newest = async () => (await settingsOf()).version
const signUp = (app: TestApp, email: string, given: string) =>
  app.client().post('/sign-up/email', { email, name: 'Ann', password: given }, { origin: t.url })
/** A long timeout, because a busy machine is slower than a node. */
const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 25 })

beforeEach(async () => {
  const keys = Object.keys(await stored())
  if (keys.length > 0) await admin.api.settings.updateSettings({ body: { unset: keys } })
})

testOnBoth('a setting stored by one node applies on this node at once, and soon on another node', async () => {
  const { isApplied, changes } = await admin.api.settings.updateSettings({ body: { set: { 'password.minLength': 20 } } })
  expect({ isApplied, changes }).toEqual({
    isApplied: true,
    changes: [
      {
        ...{ key: 'password.minLength', isSecret: false, before: null, after: 20 },
        ...{ wasStored: false, isStored: true, lowersSecurity: false },
      },
    ],
  })
  expect(await signUp(t, 'short@example.com', 'a long enough one')).toMatchObject({ status: 400 })
  await soon(async () => expect(await signUp(other, 'short@example.com', 'a long enough one')).toMatchObject({ status: 400 }))
  expect(await setting('password.minLength')).toMatchObject({
    ...{ value: 20, default: 8, source: 'database', isLocked: false, isRuntime: true },
    stored: { value: 20, changedBy: { kind: 'user' } },
  })
})

/** A node polls every 1 to 1.5 s (`core/jobs.ts`), however fast its machine is. */
testOnBoth('another node reads a stored setting by its second poll at the latest, and applies the setting', async () => {
  const sent: string[] = []
  const { knex } = other.app.core.db
  const note = ({ sql }: { sql: string }) => void sent.push(sql)
  knex.on('query', note)
  await patch({ 'brand.name': 'Acme' })
  await soon(async () => expect(other.app.brand.current().name).toBe('Acme'))
  knex.off('query', note)
  const read = sent.findIndex((sql) => /from "?setting/.test(sql) && !/ as w\d/.test(sql))
  expect(read).toBeGreaterThanOrEqual(0)
  expect(sent.slice(0, read).filter((sql) => / as w\d/.test(sql)).length).toBeLessThanOrEqual(2)
})

test('a setting of the file, the environment or an option is locked, names its source, and cannot be stored', async () => {
  expect(await setting('sessions.updateAgeSeconds')).toMatchObject({
    ...{ isLocked: true, source: 'environment', from: 'GATEHOUSE_SESSIONS_UPDATE_AGE_SECONDS', value: 3600 },
  })
  const refused = await patch({ 'sessions.updateAgeSeconds': 60, 'brand.name': 'Acme' })
  expect(refused).toMatchObject({ status: 409, json: { code: 'SETTING_IS_LOCKED' } })
  expect(refused.json['message']).toContain('GATEHOUSE_SESSIONS_UPDATE_AGE_SECONDS')
  expect(await stored()).toEqual({})
  expect(await patch({ port: 4000 })).toMatchObject({ status: 400, json: { code: 'SETTING_NEEDS_A_RESTART' } })
  expect(await setting('port')).toMatchObject({ isRuntime: false })
  expect(await patch({ 'brand.nam': 'Acme' })).toMatchObject({ status: 400, json: { code: 'SETTING_NOT_FOUND' } })
  expect(await patch({ 'social.__proto__.clientId': 'x' })).toMatchObject({ status: 400 })
})

test('a change of settings is validated as a whole with the messages of the start, and stored completely or not at all', async () => {
  const refused = await patch({ 'oidc.keyOverlapSeconds': 60, 'brand.name': 'Acme', 'brand.color': 'green' })
  expect(refused).toMatchObject({ status: 400, json: { code: 'SETTINGS_ARE_INVALID' } })
  expect(refused.json['issues']).toContainEqual({ path: 'brand.color', message: 'a colour such as #0d5c4c (is "green")' })
  const contradiction = await patch({ 'oidc.keyOverlapSeconds': 60 })
  expect(contradiction.text).toContain('keyOverlapSeconds must not be shorter than documentCacheSeconds')
  const unreadable = await patch({ 'brand.logo': '/nowhere/logo.png' })
  expect(unreadable).toMatchObject({ status: 400, json: { code: 'SETTINGS_ARE_INVALID' } })
  expect(await stored()).toEqual({})
})

test('a dry run of settings shows the difference and changes nothing', async () => {
  const before = await newest()
  const { isApplied, version, changes } = await admin.api.settings.updateSettings({
    body: { set: { 'brand.name': 'Acme', smtpUrl: 'smtp://ann:geheim@127.0.0.1:9' }, dryRun: true },
  })
  expect({ isApplied, version }).toEqual({ isApplied: false, version: before })
  expect(changes.map(({ key, after }) => [key, after])).toEqual([
    ['brand.name', 'Acme'],
    ['smtpUrl', 'smtp://ann:…@127.0.0.1:9'],
  ])
  expect(await stored()).toEqual({})
})

testOnBoth(
  'if two administrators change the same version of the settings, the second is told that the version is outdated',
  async () => {
    const list = await admin.request('/admin/settings')
    const etag = list.headers.get('etag') ?? ''
    const answers = await Promise.all(
      ['Acme', 'Bravo'].map((name) => patch({ 'brand.name': name }, {}, admin, { 'if-match': etag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(await stored()).toEqual({ 'brand.name': ['Acme', 'Bravo'][winner] })
  },
)

testOnBoth('simultaneous changes of different settings are all stored, each as a version of its own', async () => {
  const before = await newest()
  const changes = { 'brand.name': 'Acme', 'brand.color': '#0d5c4c', 'mail.keepSentDays': 3 }
  const answers = await Promise.all(Object.entries(changes).map(([key, value]) => patch({ [key]: value })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await stored()).toEqual(changes)
  expect(await newest()).toBe(before + 3)
})

test('the history of settings names who changed what, and a revert restores an earlier version as a new change', async () => {
  await patch({ 'brand.name': 'Acme' })
  const first = await newest()
  await patch({ 'brand.name': 'Bravo', 'brand.color': '#0d5c4c' })
  const { changes } = await admin.api.settings.revertSettings({ body: { version: first } })
  expect(changes.map(({ key, before, after }) => [key, before, after])).toEqual([
    ['brand.color', '#0d5c4c', null],
    ['brand.name', 'Bravo', 'Acme'],
  ])
  expect(await stored()).toEqual({ 'brand.name': 'Acme' })
  const page = await admin.api.settings.listSettingsVersions({ query: { limit: 2 } })
  expect(page.versions.map(({ version, revertedTo }) => [version, revertedTo])).toEqual([
    [first + 2, first],
    [first + 1, null],
  ])
  const next = await admin.api.settings.listSettingsVersions({ query: { limit: 1, after: page.next ?? '' } })
  expect(next.versions).toMatchObject([
    { version: first, changedBy: { kind: 'user', name: 'admin' }, changes: [{ before: null, after: 'Acme' }] },
  ])
  const unknown = admin.api.settings.revertSettings({ body: { version: 999_999 } })
  await expect(unknown).rejects.toMatchObject({ code: 'SETTINGS_VERSION_NOT_FOUND' })
})

test('a secret setting is stored sealed, and appears in no response, event or log line', async () => {
  const secret = 'smtp://ann:geheim-of-ann@127.0.0.1:9'
  const webhook = `whsec_${Buffer.from('geheim-of-the-webhook-0000').toString('base64')}`
  await patch({ smtpUrl: secret, 'billing.secrets': [webhook] }, { force: true })
  await patch({ smtpUrl: `${secret}9`, 'billing.secrets': [`${webhook}`] }, { force: true })
  expect((await t.app.settings.read()).settings.find(({ key }) => key === 'smtpUrl')?.value).toBe(`${secret}9`)
  const { text } = await admin.request('/admin/settings')
  const history = await admin.request('/admin/settings/history')
  const rows = [await t.app.core.db.knex('setting_change').select('*'), await t.app.core.db.knex('event').select('*')]
  for (const told of [text, history.text, JSON.stringify(rows), lines.join('\n')]) {
    expect(told).not.toContain('geheim')
    expect(told).not.toContain(webhook.slice(6))
  }
  expect(history.text).toContain('smtp://ann:…@127.0.0.1:9')
  expect(await setting('billing.secrets')).toMatchObject({
    value: null,
    isSecret: true,
    stored: { value: `…${webhook.slice(-4)}` },
  })
  const [event] = await t.app.core.db.knex('event').where({ type: 'settings.changed' }).orderBy('position', 'desc').select('data')
  expect(JSON.parse(event?.data)).toMatchObject({ isForced: true, changes: [{ key: 'smtpUrl' }] })
})

test('an API key changes only settings that do not lower security, and a change needs the permission', async () => {
  const { key } = await admin.api.adminApiKeys.adminCreateApiKey({
    body: { name: 'Terraform', permissions: ['settings:read', 'settings:update'] },
  })
  const send = (set: Values) => patch(set, {}, t.client(), { authorization: `Bearer ${key}` })
  expect(await send({ 'password.minLength': 12 })).toMatchObject({ status: 200 })
  expect(await send({ 'password.minLength': 9 })).toMatchObject({ status: 403 })
  const body = JSON.stringify({ set: { 'social.acme.issuer': 'https://thief.example' } })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  expect(await t.client().request('/admin/settings/try', { method: 'POST', headers, body })).toMatchObject({ status: 403 })
  const auditor = await signedInAs(t, 'auditor')
  expect(await patch({ 'brand.name': 'Acme' }, {}, auditor)).toMatchObject({ status: 403 })
  expect(await auditor.request('/admin/settings/history')).toMatchObject({ status: 200 })
})

test('an administrator cannot give a configured role more permissions than they have', async () => {
  const role = { permissions: ['settings:read', 'settings:update'] }
  expect(await patch({ 'access.roles': { operator: role } })).toMatchObject({ status: 200 })
  const operator = await signedInAs(t, 'operator')
  const wider = { operator: { permissions: [...role.permissions, 'users:set-password'] } }
  expect(await patch({ 'access.roles': wider }, {}, operator)).toMatchObject({ status: 403 })
  expect(
    await patch({ 'access.roles': { ...{ operator: role }, reader: { permissions: ['settings:read'] } } }, {}, operator),
  ).toMatchObject({
    status: 200,
  })
  expect(await patch({ 'access.roles': wider })).toMatchObject({ status: 200 })
})

test('a new mail server is tried before it is saved, and saved in spite of a failure on request', async () => {
  const smtp = await startSmtp()
  const refused = await patch({ smtpUrl: 'smtp://127.0.0.1:9' })
  expect(refused).toMatchObject({ status: 409, json: { code: 'SETTING_DOES_NOT_WORK' } })
  expect(refused.text).toContain('ECONNREFUSED')
  const { trials } = await admin.api.settings.trySettings({ body: { set: { smtpUrl: smtp.url } } })
  expect(trials).toMatchObject([{ kind: 'mail-server', hasPassed: true }])
  expect(await stored()).toEqual({})
  expect(await patch({ smtpUrl: smtp.url })).toMatchObject({ status: 200 })
  expect(await t.app.mail.sendTest('ann@example.com')).toMatchObject({ accepted: true })
  expect(await patch({ smtpUrl: 'smtp://127.0.0.1:9' }, { force: true })).toMatchObject({
    ...{ status: 200, json: { isApplied: true, trials: [{ hasPassed: false }] } },
  })
  await smtp.stop()
})

test('a new provider is tried before it is saved, is offered at once, and can be switched off', async () => {
  const provider = await startProvider()
  const section = (issuer: string) => ({
    'social.acme.clientId': 'client-1',
    'social.acme.clientSecret': 'geheim-of-acme',
    'social.acme.issuer': issuer,
  })
  const { trials } = await admin.api.settings.trySettings({ body: { set: section('http://127.0.0.1:9') } })
  expect(trials).toMatchObject([{ kind: 'provider', subject: 'acme', hasPassed: false }])
  expect(await patch(section('http://127.0.0.1:9'))).toMatchObject({ status: 409 })
  expect(await patch(section(provider.url), { force: true })).toMatchObject({ status: 200 })
  const offered = async () => t.app.social.listProviders().map(({ id }) => id)
  expect(await offered()).toEqual(['acme'])
  expect(await patch({ 'social.acme.enabled': false })).toMatchObject({ status: 200 })
  expect(await offered()).toEqual([])
  await provider.stop()
})

test('a policy that changes during a sign-in decides the next step of the sign-in', async () => {
  const email = 'waits@example.com'
  await t.signedIn(email)
  const browser = t.client()
  const first = await browser.post('/sign-in/email', { email, password: 'a wrong one' })
  expect(first.status).toBe(401)
  await patch({ 'accounts.requireEmailVerification': true })
  const second = await browser.post('/sign-in/email', { email, password: 'correct horse battery' })
  expect(second).toMatchObject({ status: 403, json: { code: 'EMAIL_NOT_VERIFIED' } })
})

testOnBoth('a node that cannot apply a change keeps its former settings, and reports it', async () => {
  await patch({ 'brand.name': 'Acme' })
  await soon(async () => expect(other.app.brand.current().name).toBe('Acme'))
  // The change contradicts the configuration of this one node.
  await patch({ 'oidc.keyOverlapSeconds': 600, 'brand.name': 'Bravo' })
  expect(t.app.brand.current().name).toBe('Bravo')
  await vi.waitFor(async () => expect(other.app.settingsState().problem).toContain('keyOverlapSeconds'), { timeout: 60_000 })
  expect(other.app.brand.current().name).toBe('Acme')
  expect(await other.client().request('/ok')).toMatchObject({ status: 200 })
  await vi.waitFor(
    async () => {
      const findings = (await t.app.diagnosis.run()).filter(({ check }) => check === 'settings')
      expect(findings).toMatchObject([{ severity: 'warning', message: expect.stringContaining('keyOverlapSeconds') }])
    },
    { timeout: 60_000, interval: 100 },
  )
  await patch({}, { unset: ['oidc.keyOverlapSeconds'] })
  await soon(async () => expect(other.app.brand.current().name).toBe('Bravo'))
  expect(other.app.settingsState().problem).toBeUndefined()
})

testOnBoth('no request is lost or refused while settings change', async () => {
  let isOver = false
  const statuses: number[] = []
  const reader = async () => {
    while (!isOver) statuses.push((await admin.request('/get-session')).status)
  }
  const readers = Promise.all(Array.from({ length: 4 }, reader))
  for (let round = 0; round < 6; round += 1) await patch({ 'brand.name': `Acme ${round}` })
  isOver = true
  await readers
  expect(statuses.length).toBeGreaterThan(20)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})

testOnBoth(
  'after twelve changes no features, connections or timers of former settings are left',
  {
    timeout: 120_000,
  },
  async () => {
    setFlagsFromString('--expose_gc')
    const collect = runInNewContext('gc') as () => void
    const former: WeakRef<object>[] = []
    const open = () => process.getActiveResourcesInfo().length
    const before = open()
    for (let round = 0; round < 12; round += 1) {
      former.push(new WeakRef(t.app))
      await patch({ 'mail.keepSentDays': 1 + round })
    }
    await vi.waitFor(
      () => {
        collect()
        expect(former.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(2)
        expect(open()).toBeLessThanOrEqual(before + 6)
        expect(t.app.database.pool().waiting).toBe(0)
      },
      { timeout: 60_000, interval: 500 },
    )
  },
)

test('a change of settings that lowers security needs a recent proof, and a change that raises security does not', async () => {
  await patch({ 'password.minLength': 12 })
  t.clock.advance({ minutes: 11 })
  expect(await patch({ 'password.minLength': 14 })).toMatchObject({ status: 200 })
  expect(await patch({ 'password.minLength': 9 })).toMatchObject({ status: 403, json: { code: 'SESSION_IS_NOT_FRESH' } })
  expect(await patch({}, { unset: ['password.minLength'] })).toMatchObject({ status: 403 })
  // Previewing a change that lowers security needs no proof.
  expect(await patch({ 'password.minLength': 9 }, { dryRun: true })).toMatchObject({ status: 200 })
  expect(await stored()).toEqual({ 'password.minLength': 14 })
})
