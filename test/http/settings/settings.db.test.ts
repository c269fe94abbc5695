import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configSchema } from '../../../src/composition.ts'
import { listKeys } from '../../../src/core/config-keys.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { temporaryDirectory } from '../../support/directory.ts'

const directory = temporaryDirectory()
const texts = temporaryDirectory()
const file = join(directory, 'gatehouse.yaml')
const providerSecret = join(directory, 'provider-secret')
let t: TestApp
let admin: Client
beforeAll(async () => {
  writeFileSync(
    file,
    [
      'sessions: { freshAgeSeconds: 3600, expiresInSeconds: 7200 }',
      'trustedOrigins: ["https://app.example.com"]',
      'social: { acme-eu: { clientId: acme-id, issuer: "https://id.acme.example" } }',
    ].join('\n'),
  )
  writeFileSync(providerSecret, 'geheim-of-the-provider\n')
  const env = {
    GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS: '1800',
    GATEHOUSE_SOCIAL_ACME_EU_CLIENT_SECRET_FILE: providerSecret,
    GATEHOUSE_EVENTS_SYSLOG: 'udp://ann:geheim@127.0.0.1:9',
    GATEHOUSE_SMTP_URL: 'smtp://ann:geheim@127.0.0.1:9',
  }
  t = await testApp({ file, env, config: { host: '127.0.0.1' } })
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(async () => {
  await t.stop()
})

const setting = async (key: string) => {
  const { settings } = await admin.api.settings.listSettings({ query: { search: key } })
  return settings.find((one) => one.key === key)
}

test('every key of the configuration is listed with its description', async () => {
  const { settings } = await admin.api.settings.listSettings({ query: {} })
  const known = listKeys(configSchema).filter(({ path }) => !path.includes('<NAME>'))
  expect(settings.map(({ key }) => key)).toEqual(expect.arrayContaining(known.map(({ path }) => path.join('.'))))
  expect(settings.filter(({ description }) => description === '')).toEqual([])
})

test('a setting names the file, variable or option that it comes from, and the last source applies', async () => {
  expect(await setting('sessions.expiresInSeconds')).toMatchObject({ value: 7200, source: 'file', from: file, isSet: true })
  expect(await setting('sessions.freshAgeSeconds')).toMatchObject({
    ...{ value: 1800, default: 86_400, source: 'environment', from: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS' },
  })
  expect(await setting('host')).toMatchObject({ value: '127.0.0.1', source: 'flag', from: '--host' })
  expect(await setting('logLevel')).toMatchObject({ value: 'info', default: 'info', source: 'default', from: null, isSet: false })
  expect(await setting('social.acme-eu.clientId')).toMatchObject({ value: 'acme-id', source: 'file' })
  const { settings } = await admin.api.settings.listSettings({ query: { source: 'file' } })
  expect(settings.map(({ key }) => key)).toEqual([
    'trustedOrigins',
    'sessions.expiresInSeconds',
    ...['social.acme-eu.clientId', 'social.acme-eu.issuer'],
  ])
})

test('a secret setting is shown as set or not set, and no password is shown', async () => {
  const isSet = { isSecret: true, isSet: true, value: null }
  expect(await setting('smtpUrl')).toMatchObject({ ...isSet, source: 'environment' })
  expect(await setting('social.acme-eu.clientSecret')).toMatchObject({
    ...{ ...isSet, source: 'environment', from: 'GATEHOUSE_SOCIAL_ACME_EU_CLIENT_SECRET_FILE' },
  })
  expect(await setting('databaseUrl')).toMatchObject({ ...isSet, source: 'flag' })
  expect(await setting('events.webhook.secret')).toMatchObject({ isSecret: true, isSet: false, value: null, source: 'default' })
  expect(await setting('events.syslog')).toMatchObject({ value: 'udp://ann:…@127.0.0.1:9' })
  const { text } = await admin.request('/admin/settings')
  expect(text).not.toContain('geheim')
  for (const secret of t.app.config.secret) expect(text).not.toContain(secret)
})

test("the operator's texts are listed by language, with the texts that only other languages have", async () => {
  writeFileSync(
    join(texts, 'en.yaml'),
    'pages:\n  signIn.title: Welcome back\naccount:\n  verification.subject: Welcome aboard\n',
  )
  writeFileSync(join(texts, 'de.yaml'), 'pages:\n  signIn.title: Willkommen\n')
  const other = await testApp({ config: { texts: { directory: texts } } })
  const reader = await other.signedIn('root@example.com')
  await other.app.core.transact((tx) => tx.knex('user').update({ role: 'auditor' }))
  const { directory: named, languages } = await reader.api.settings.listTexts()
  const german = languages.find(({ language }) => language === 'de')?.sections
  expect(named).toBe(texts)
  expect(languages).toHaveLength(8)
  expect(german).toContainEqual({ section: 'pages', own: ['signIn.title'], missing: [] })
  expect(german).toContainEqual({ section: 'account', own: [], missing: ['verification.subject'] })
  await other.stop()
})
