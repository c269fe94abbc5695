/** "Copy as CLI or API": the copied text contains everything of its dialog, and the call and the command have the same effect. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canKeyOf, keyPermissions } from '../../../src/access/key-permissions.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { environmentOf } from '../../support/binary.ts'
import { launchBrowser } from '../../support/browser.ts'
import { arrives, consoleTexts, withUsers } from '../../support/console.ts'
import { pressesByKeys } from '../../support/keys.ts'
import type { Person } from '../../support/people.ts'
import { openShell, type Shell } from '../../support/shell.ts'

const { t } = consoleTexts
const operator = systemPrincipal('test')

interface Copied {
  readonly call: string
  readonly command: string | undefined
}

let app: TestApp
let browser: Browser
let shell: Shell
/** An administrator, whose browser stays open for all tests. */
let operating: Person
beforeAll(async () => {
  app = await testApp({ config: { limits: { enabled: 'off' } } })
  browser = await launchBrowser()
  await withUsers(app, { 'admin@example.com': { name: 'Grace Hopper', role: 'admin' } })
  const admin = app.client()
  await admin.post('/sign-in/email', { email: 'admin@example.com', password })
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const permissions = keyPermissions.filter((name) => canKeyOf('instance', name))
  const { key } = await app.app.apiKeys.create(operator, { kind: 'instance' }, { name: 'copied', permissions })
  operating = await arrives(app, browser, 'admin@example.com', '/account')
  shell = await openShell({ ...environmentOf(app.database), TOKEN: key, COOKIE: cookie })
}, 120_000)
afterAll(async () => {
  await shell?.stop()
  await browser?.close()
  await app?.stop()
})

/** Opens the dialog behind the copy button, and closes it again. */
const copiedIn = async (page: Page, within: Locator): Promise<Copied> => {
  await pressesByKeys(within.locator('.show-call').first())
  const read = async (label: string) => {
    const field = page.getByRole('textbox', { name: label, exact: true })
    return (await field.count()) === 0 ? undefined : field.inputValue()
  }
  const copied = { call: (await read(t('console.call.api'))) ?? '', command: await read(t('console.call.command')) }
  await pressesByKeys(page.getByRole('button', { name: t('console.peek.close'), exact: true }).last())
  return copied
}

interface Scenario {
  /** Creates a subject. `twin` distinguishes the subject of the call from that of the command. */
  readonly subject: (twin: string) => Promise<{ readonly id: string; readonly path: string }>
  readonly table: string
  readonly key?: string
  /** Columns whose values are compared between the two subjects. */
  readonly columns: readonly string[]
  readonly opens: string
  readonly fills?: (page: Page, dialog: Locator) => Promise<void>
  /** API keys cannot have the permission for this action. */
  readonly bySession?: true
  /** Values that both texts have to contain. */
  readonly says?: readonly (string | RegExp)[]
}

const reason = 'Ticket 7: “it’s urgent”'
const addReason = (dialog: Locator) => dialog.getByLabel(t('console.confirm.reason'), { exact: true }).fill(reason)

const person = async (twin: string) => {
  const email = `${twin}@example.com`
  await app.signedIn(email, 'Ann Example')
  const { id } = await app.app.users.require(app.app.core.db, email)
  return { id, path: `/admin/users/${id}` }
}
const verified = async (twin: string) => {
  const found = await person(twin)
  await app.verify(`${twin}@example.com`)
  return found
}
const organization = async (twin: string) => {
  const { id } = await app.app.organizations.createFor(operator, { name: 'Acme', slug: twin }, undefined)
  return { id, path: `/admin/organizations/${id}` }
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'a ban with its duration and reason': {
    ...{ subject: person, table: 'user', columns: ['ban_reason', 'ban_expires_at'], opens: t('people.ban') },
    fills: async (_, dialog) => {
      await dialog.getByLabel(t('people.banFor'), { exact: true }).selectOption({ label: t('people.banFor.week') })
      await addReason(dialog)
    },
    says: [/604800|7d/],
  },
  'roles with a reason': {
    ...{ subject: verified, table: 'user', columns: ['role'], opens: t('people.setRole') },
    fills: async (_, dialog) => {
      await dialog.getByRole('checkbox', { name: /^auditor/ }).check()
      await dialog.getByRole('checkbox', { name: /^support/ }).check()
      await addReason(dialog)
    },
  },
  'a required second factor': {
    bySession: true,
    ...{ subject: person, table: 'user', columns: ['second_factor_required', 'second_factor_due'] },
    opens: t('people.factorRequire'),
    fills: (_, dialog) => addReason(dialog),
  },
  'a verified address': {
    bySession: true,
    ...{ subject: person, table: 'user', columns: ['email_verified'], opens: t('people.verify') },
    fills: (_, dialog) => addReason(dialog),
  },
  'another name': {
    ...{ subject: person, table: 'user', columns: ['name'], opens: t('people.edit') },
    fills: async (_, dialog) => {
      await dialog.getByLabel(t('people.name'), { exact: true }).fill("Ann O'Neill")
      await addReason(dialog)
    },
  },
  'a link for somebody who is locked out': {
    bySession: true,
    ...{ subject: verified, table: 'user', columns: ['email_verified'], opens: t('people.linkCreate') },
    fills: async (_, dialog) => {
      await dialog.getByLabel(t('people.linkFactors'), { exact: true }).check()
      await addReason(dialog)
    },
  },
  'the end of all sessions': {
    ...{ subject: person, table: 'session', key: 'user_id', columns: ['user_id'], opens: t('people.endSessions') },
    fills: (_, dialog) => addReason(dialog),
  },
  'the deletion of a person': {
    ...{ subject: person, table: 'user', columns: ['name'], opens: t('people.delete') },
    fills: (_, dialog) => addReason(dialog),
  },
  'the rule of an organization': {
    ...{ subject: organization, table: 'organization', columns: ['requires_second_factor'] },
    opens: t('organizations.factorRequire'),
    fills: (_, dialog) => addReason(dialog),
  },
}

/** The same call with the session of a person instead of an API key. */
const inSession = (call: string) =>
  call.replace('-H "Authorization: Bearer $TOKEN"', `-H "Cookie: $COOKIE" -H 'Origin: ${app.url}'`)

const atMinute = (value: unknown) =>
  value instanceof Date || (typeof value === 'number' && value > 1e12) ? Math.round((Number(value) - Date.now()) / 60_000) : value

const eventsOf = (id: string) => app.app.audit.list({ subject: id }, 50)

const resultOf = async ({ table, key = 'id', columns }: Scenario, id: string, before: ReadonlySet<string>) => {
  const { db } = app.app.core
  const rows: Record<string, unknown>[] = await db
    .knex(table)
    .where({ [key]: id })
    .select([...columns])
  const events = (await eventsOf(id)).filter((event) => !before.has(event.id))
  const json = JSON.stringify({
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, atMinute(value)]))),
    events: events.map(({ type, reason: why, data }) => ({ type, why, fields: Object.keys(data) })),
  })
  return JSON.parse(json.replaceAll(id, 'the subject'))
}

test.each(Object.entries(scenarios))(
  '%s has the same effect in the console, as a copied API call and as a copied command',
  async (name, scenario) => {
    const word = name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()
    const [ofCall, ofCommand] = [await scenario.subject(`${word}-a`), await scenario.subject(`${word}-b`)]
    const before = new Set([...(await eventsOf(ofCall.id)), ...(await eventsOf(ofCommand.id))].map((event) => event.id))
    const { page } = operating
    await operating.open(ofCall.path)
    await pressesByKeys(page.locator('main').getByRole('button', { name: scenario.opens, exact: true }).first())
    const dialog = page.locator('dialog[open]').first()
    await dialog.waitFor()
    await scenario.fills?.(page, dialog)
    const { call, command = '' } = await copiedIn(page, dialog)
    expect(decodeURIComponent(call)).toContain(reason)
    expect(command.replaceAll("'\\''", "'")).toContain(reason)
    for (const text of scenario.says ?? []) for (const copied of [call, command]) expect(copied).toMatch(text)
    // The command names its subject by the address or the slug. It is run for another subject than the call.
    expect(command).toContain(`${word}-a`)
    for (const line of [
      (scenario.bySession === true ? inSession(call) : call).replace('curl -s', 'curl -sS --fail-with-body'),
      command.replaceAll(`${word}-a`, `${word}-b`),
    ]) {
      const done = await shell.run(line)
      // Commands warn of a daemon that runs with another configuration, as the daemon of this test does.
      expect([done.exitCode, done.stdout], done.stderr).toEqual([0, expect.any(String)])
    }
    expect(await resultOf(scenario, ofCall.id, before)).toEqual(await resultOf(scenario, ofCommand.id, before))
  },
  60_000,
)
