/**
 * The system and mail screens: keys, settings, API keys, backups and the outbox, for administrators who may change them and for others
 * who only look.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { arrives as arrivesBy, consoleTexts, peeks, pictures, presses } from '../../support/console.ts'
import { areQuiet, canBeFollowed, listens } from '../../support/followed-page.ts'
import { reaches } from '../../support/keys.ts'
import { person } from '../../support/people.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'

const { t } = consoleTexts

let app: TestApp
let browser: Browser
let directory = ''
let smtp: Smtp
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'console-backups-'))
  smtp = await startSmtp()
  app = await testApp({
    config: {
      ...{ smtpUrl: smtp.url, mailFrom: 'no-reply@acme.example', mail: { maxAttempts: 1 } },
      ...{ oidc: { rsaModulusLength: 2048 }, backup: { directory, withoutKeys: true, everyHours: 0 } },
    },
  })
  browser = await launchBrowser()
  for (const role of ['admin', 'auditor', 'support']) {
    const email = `${role}@example.com`
    await app.signedIn(email)
    await app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  }
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await smtp?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const arrives = (role: string, path: string) => arrivesBy(app, browser, `${role}@example.com`, path)

test('signing keys are rotated, and a leaked signing key is withdrawn after its consequences were shown', async () => {
  const admin = await arrives('admin', '/admin/signing-keys')
  const { page } = admin
  await admin.sees(t('system.signingKeys'))
  await page.getByText(t('system.key.signing')).first().waitFor()
  await presses(page, t('system.rotate'))
  await admin.reads(t('system.rotateFormer'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'rotate')
  await presses(page, t('system.rotate'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('tbody').getByText(t('system.key.next'), { exact: true }).first().waitFor()
  await pictures(page, 'signing-keys')
  await presses(page, t('system.withdraw'))
  await admin.reads(t('system.withdrawCaches', { seconds: 300 }))
  expect(await accessibilityFaults(page)).toEqual([])
  await presses(page, t('system.withdraw'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('tbody').getByText(t('system.key.next'), { exact: true }).first().waitFor({ state: 'detached' })
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a setting shows its value, default and source, can be copied as YAML, and reveals no secret', async () => {
  const admin = await arrives('admin', '/admin/settings?search=backup.directory')
  const { page } = admin
  await admin.sees(t('system.settings'))
  const peek = await peeks(page)
  expect(await peek.getByRole('textbox', { name: t('system.yaml') }).inputValue()).toBe(
    `backup:\n  directory: ${JSON.stringify(directory)}`,
  )
  await admin.open('/admin/settings?search=backup.')
  const passphrase = await peeks(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'settings')
  await passphrase.waitFor()
  await page.locator('tr', { hasText: 'backup.passphrase' }).getByText(t('system.secretUnset')).waitFor()
  await admin.open('/admin/settings?search=nothing')
  await admin.reads(t('console.table.none'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an API key is created, shown once, given a new secret and revoked by name, by keyboard alone', async () => {
  const admin = await arrives('admin', '/admin/api-keys')
  const { page } = admin
  await admin.sees(t('system.apiKeys'))
  await admin.reads(t('system.apiKeysEmpty'))
  await presses(page, t('system.createKey'))
  await presses(page, t('system.createKey'), 'dialog')
  await admin.reads(t('system.nameMissing'))
  await reaches(page.getByLabel(t('system.name'), { exact: true }))
  await page.keyboard.type('Export')
  await reaches(page.getByRole('checkbox', { name: 'users:read' }))
  await page.keyboard.press('Space')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'create-key')
  await presses(page, t('system.createKey'), 'dialog')
  const shown = page.getByRole('textbox', { name: t('system.apiKey') })
  await shown.waitFor()
  const key = await shown.inputValue()
  const asked = await fetch(`${app.url}/admin/users`, { headers: { authorization: `Bearer ${key}` } })
  expect(asked.status).toBe(200)
  expect(await accessibilityFaults(page)).toEqual([])
  await presses(page, t('system.keyKept'))
  await peeks(page)
  expect(await page.content()).not.toContain(key)
  await pictures(page, 'api-keys')
  await presses(page, t('system.rotateKey'))
  await presses(page, t('system.rotateKey'), 'dialog')
  await shown.waitFor()
  expect(await shown.inputValue()).not.toBe(key)
  await presses(page, t('system.keyKept'))
  await presses(page, t('system.revoke'))
  await presses(page, t('system.revoke'), 'dialog')
  await admin.reads(t('console.confirm.typeWrong', { text: 'Export' }))
  await page.getByLabel(t('console.confirm.type', { text: 'Export' })).fill('Export')
  await page.getByLabel(t('console.confirm.reason')).fill('no longer used')
  await presses(page, t('system.revoke'), 'dialog')
  await admin.reads(t('system.apiKeysEmpty'))
  const refused = await fetch(`${app.url}/admin/users`, { headers: { authorization: `Bearer ${key}` } })
  expect(refused.status).toBe(401)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test("an administrator can change, disable and enable an instance API key, and can only disable a person's API key", async () => {
  const { apiKeys } = app.app
  const permissions = ['users:read' as const]
  const { key } = await apiKeys.create(systemPrincipal('test'), { kind: 'instance' }, { name: 'Report', permissions })
  const own = { name: 'Own', permissions: ['organization:read' as const] }
  await apiKeys.create(systemPrincipal('test'), { kind: 'user', user: 'admin@example.com' }, own)
  const status = async (path: string) => (await fetch(app.url + path, { headers: { authorization: `Bearer ${key}` } })).status
  const admin = await arrives('admin', '/admin/api-keys?ownerKind=instance')
  const { page } = admin
  await peeks(page)
  await presses(page, t('system.editKey'))
  await reaches(page.getByLabel(t('system.name'), { exact: true }))
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Nightly report')
  await reaches(page.getByRole('checkbox', { name: 'user-sessions:read' }))
  await page.keyboard.press('Space')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'edit-key')
  await presses(page, t('common.save'), 'dialog')
  await admin.reads(t('system.keyChanged', { name: 'Report' }))
  await page.locator('tbody').getByText('Nightly report').waitFor()
  expect([await status('/admin/users'), await status('/admin/sessions')]).toEqual([200, 200])
  // A colleague takes a permission away while the form is open. Saving the form does not bring the permission back.
  const id = new URL(page.url()).searchParams.get('peek') ?? ''
  await admin.open(`/admin/api-keys/${id}`)
  await admin.sees('Nightly report')
  await presses(page, t('system.editKey'))
  await page.getByRole('dialog').waitFor()
  await apiKeys.update(systemPrincipal('test'), 'instance', id, { permissions })
  await page.getByLabel(t('system.requests')).fill('90')
  await presses(page, t('common.save'), 'dialog')
  await admin.reads(t('console.changed.text'))
  await admin.reads(t('console.changed.now', { value: 'users:read' }))
  await presses(page, t('console.changed.overwrite'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await apiKeys.find(id)).toMatchObject({ permissions, requestsPerMinute: 90, name: 'Nightly report' })
  await presses(page, t('system.disable'))
  await presses(page, t('system.disable'), 'dialog')
  await admin.reads(t('system.disabled', { name: 'Nightly report' }))
  expect(await status('/admin/users')).toBe(401)
  await presses(page, t('system.enable'))
  await presses(page, t('system.enable'), 'dialog')
  await admin.reads(t('system.enabled', { name: 'Nightly report' }))
  expect(await status('/admin/users')).toBe(200)
  await admin.open('/admin/api-keys?ownerKind=user')
  await peeks(page)
  await page.getByRole('button', { name: t('system.editNotOurs'), disabled: true }).waitFor()
  await presses(page, t('system.disable'))
  await presses(page, t('system.disable'), 'dialog')
  await page.getByRole('button', { name: t('system.enableNotOurs'), disabled: true }).waitFor()
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a backup is started, followed until it is finished, and downloaded as a file', async () => {
  const admin = await person(app, browser, consoleTexts, '/admin/backups', 'admin@example.com', canBeFollowed)
  const { page } = admin
  await admin.sees(t('system.backups'))
  await admin.reads(t('system.backupsEmpty'))
  await listens(page)
  await presses(page, t('system.makeBackup'))
  await presses(page, t('system.makeBackup'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await areQuiet(app, page)
  await page.locator('tbody').getByText(t('system.backup.made')).waitFor()
  await peeks(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'backups')
  const started = page.waitForEvent('download')
  await presses(page, t('system.download'))
  const saved = readFileSync(await (await started).path())
  expect([...saved.subarray(0, 2)]).toEqual([0x1f, 0x8b])
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the outbox shows failed mails with the reason, and two steps send a mail again', async () => {
  smtp.refuse(1, 550)
  const action = { label: 'Go on', url: 'https://auth.example.com/' }
  const content = { subject: 'Hello', heading: 'Hello Ann', paragraphs: ['A paragraph.'], action, footnote: 'A footnote.' }
  await app.app.core.transact((tx) =>
    app.app.mail.enqueue(tx, { to: { name: 'Ann', address: 'ann@example.com' }, kind: 'greeting', content }),
  )
  await vi.waitFor(() => expect(smtp.attempts()).toBeGreaterThan(0), { timeout: 60_000, interval: 50 })
  const support = await arrives('support', '/admin/mails?state=failed')
  const { page } = support
  await support.sees(t('mail.mails'))
  await support.reads('ann@example.com')
  const peek = await peeks(page)
  await peek.getByText(/550/).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'mails')
  await presses(page, t('mail.retry'))
  await support.reads(t('console.table.none'))
  await vi.waitFor(() => expect(smtp.received.flatMap(({ to }) => to)).toContain('ann@example.com'), 60_000)
  await support.open('/admin/tasks')
  await support.sees(t('console.denied.title'))
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('a failed task is deleted with a reason', async () => {
  const { core } = app.app
  const now = core.clock.now()
  const times = { due_at: now, created_at: now, expires_at: core.clock.after(3_600) }
  const row = { id: 'dead-task', kind: 'other', status: 'dead', attempts: 1, payload: '{}', ...times }
  await core.db.knex('task').insert(row)
  const admin = await arrives('admin', '/admin/tasks?status=dead')
  const { page } = admin
  await admin.sees(t('mail.tasks'))
  await peeks(page)
  await pictures(page, 'tasks')
  await presses(page, t('mail.delete'))
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByLabel(t('console.confirm.reason')).fill('its application is gone')
  await presses(page, t('mail.delete'), 'dialog')
  await admin.reads(t('console.table.none'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test("the page of a person shows the mail server's answers to the person's mails", async () => {
  const before = smtp.attempts()
  smtp.refuse(1, 550)
  const action = { label: 'Go on', url: 'https://auth.example.com/' }
  const content = { subject: 'Hello', heading: 'Hello', paragraphs: ['A paragraph.'], action, footnote: 'A footnote.' }
  await app.app.core.transact((tx) =>
    app.app.mail.enqueue(tx, { to: { name: 'Aude', address: 'auditor@example.com' }, kind: 'greeting', content }),
  )
  await vi.waitFor(() => expect(smtp.attempts()).toBeGreaterThan(before), { timeout: 60_000, interval: 50 })
  const { id } = await app.app.users.require(app.app.core.db, 'auditor@example.com')
  const support = await arrives('support', `/admin/users/${id}`)
  const panel = support.page.locator('section', {
    has: support.page.getByRole('heading', { name: t('people.mails'), exact: true }),
  })
  await panel.getByText(/550/).waitFor()
  await panel.getByText(t('people.mail.failed'), { exact: true }).waitFor()
  expect(await accessibilityFaults(support.page)).toEqual([])
  await pictures(support.page, 'user-mails')
  expect(support.problems()).toEqual([])
  await support.leaves()
})
