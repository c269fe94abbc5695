/** The daily work of support with people, by keyboard alone. Clicks and keystrokes are counted where they matter. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { password } from '../../support/app.ts'
import { accessibilityFaults, holdsUp } from '../../support/browser.ts'
import { consoleTexts, pictures, presses, withConsole } from '../../support/console.ts'
import { isReached, pressesByKeys } from '../../support/keys.ts'
import type { Person } from '../../support/people.ts'

const { t } = consoleTexts

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
    'auditor@example.com': { name: 'Aude Auditor', role: 'auditor' },
    'mallory@example.com': { name: 'Mallory Mule' },
    'locked@example.com': { name: 'Lena Locked' },
    'leaving@example.com': { name: 'Leo Leaving' },
  },
  { config: { oidc: { rsaModulusLength: 2048 } } },
)

const userOf = async (email: string) => {
  const row = await house.app.app.core.transact((tx) => tx.knex('user').where({ email }).first('id'))
  return String(row.id)
}
const opens = async (who: string, whom: string): Promise<Person> => {
  const id = await userOf(whom)
  return house.arrives(who, `/admin/users/${id}`)
}

/** The account area and other pages for people have their own style sheet with other panels. */
const expectNoStylesOfPages = async (page: Page) => {
  const sheets = await page.evaluate<string[]>('[...document.styleSheets].map(({ href }) => String(href))')
  expect(sheets.filter((href) => /\/(more|hosted)-/.test(href))).toEqual([])
}

test('a user is found with Ctrl-K, six letters and Enter', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/sessions')
  const { page } = admin
  await admin.sees(t('people.sessions'))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).waitFor()
  await page.keyboard.type('mallor')
  await page.getByRole('option', { name: /Mallory Mule/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'palette')
  await page.keyboard.press('Enter')
  await admin.sees('Mallory Mule')
  await admin.reads('user.created')
  await pictures(page, 'user')
  await expectNoStylesOfPages(page)
  // The search also finds the id of a row.
  await page.keyboard.press('Control+k')
  await page.keyboard.type(await userOf('locked@example.com'))
  await page.getByRole('option', { name: /Lena Locked/ }).waitFor()
  await page.keyboard.press('Enter')
  await admin.sees('Lena Locked')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the console decodes a token in the browser and sends it nowhere', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/users')
  const { page } = admin
  await admin.sees(t('people.users'))
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`))
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'RS256', kid: 'key-1' })}.${part({ sub: 'u1', exp: 1_700_000_000 })}.c2lnbmF0dXJl`
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill(token)
  await page.getByText(t('console.token.expired')).waitFor()
  expect(await page.getByRole('textbox', { name: t('console.token.payload') }).inputValue()).toContain('"sub": "u1"')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'token')
  // The page may load changed data meanwhile. Such a call contains no part of the token.
  const parts = [...token.split('.'), encodeURIComponent(token), 'key-1']
  expect(asked.filter((call) => parts.some((carried) => call.includes(carried)))).toEqual([])
  await admin.leaves()
})

test('two presses end all sessions of a user, and the first press says how many sessions there are', async () => {
  await house.app.signedIn('mallory@example.com').catch(() => undefined)
  const support = await opens('support@example.com', 'mallory@example.com')
  const { page } = support
  await support.sees('Mallory Mule')
  await presses(support.page, t('people.endSessions'))
  await support.reads(t('people.sessionsEnd', { count: 1 }))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'end-sessions')
  await presses(support.page, t('people.endSessions'), 'dialog')
  await support.reads(t('people.sessionsNone'))
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('a ban requires a reason, applies at once, can be undone for ten seconds, and can be lifted later', async () => {
  const support = await opens('support@example.com', 'mallory@example.com')
  const { page } = support
  await support.sees('Mallory Mule')
  await presses(support.page, t('people.ban'))
  await presses(support.page, t('people.ban'), 'dialog')
  await support.reads(t('console.confirm.reasonMissing'))
  await page.keyboard.type('spam from three accounts')
  await pictures(page, 'ban')
  await page.keyboard.press('Enter')
  await support.reads('spam from three accounts')
  await expect.poll(() => page.locator('main').getByText(t('people.banned'), { exact: true }).count()).toBeGreaterThan(0)
  await presses(support.page, t('people.unban'))
  await page.getByRole('button', { name: t('console.undo.action') }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'undo')
  await pressesByKeys(page.getByRole('button', { name: t('console.undo.action') }))
  await support.reads(t('console.undo.undone'))
  await page.reload()
  await support.sees('Mallory Mule')
  await page
    .locator('main')
    .getByRole('button', { name: t('people.unban') })
    .waitFor()
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('a change that can still be undone is made at once when the administrator signs out or leaves', async () => {
  const { db, transact } = house.app.app.core
  const banned = { email: 'mallory@example.com' }
  for (const leave of ['sign out', 'leave'] as const) {
    await transact((tx) => tx.knex('user').where(banned).update({ banned_at: new Date() }))
    const support = await opens('support@example.com', banned.email)
    await support.sees('Mallory Mule')
    await presses(support.page, t('people.unban'))
    await support.page.getByRole('button', { name: t('console.undo.action') }).waitFor()
    if (leave === 'leave') await support.page.goto('about:blank')
    else {
      await support.page.locator('.person-button').click()
      await support.page.getByRole('menuitem', { name: t('console.person.signOut') }).click()
      await support.page.waitForURL('**/sign-in**')
    }
    await expect.poll(async () => (await db.knex('user').where(banned).first('banned_at')).banned_at).toBeNull()
    if (leave === 'leave') await support.page.goto(`${house.app.url}/sign-in`)
    await support.leaves()
  }
})

test('an administrator creates a link, and a locked-out person sets a new password with it', async () => {
  const support = await opens('support@example.com', 'locked@example.com')
  await support.sees('Lena Locked')
  await presses(support.page, t('people.reset'))
  await presses(support.page, t('people.resetSend'), 'dialog')
  await support.reads(t('people.resetSent', { email: 'locked@example.com' }))
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('a change that a colleague saved first is shown beside the typed value, and is overwritten only on request', async () => {
  const admin = await opens('admin@example.com', 'locked@example.com')
  const { page } = admin
  await admin.sees('Lena Locked')
  await presses(admin.page, t('people.edit'))
  const name = page.getByRole('dialog').getByLabel(t('people.name'))
  await name.fill('Lena Mine')
  await house.app.app.core.transact((tx) =>
    tx.knex('user').where({ email: 'locked@example.com' }).update({ name: 'Lena Theirs' }),
  )
  const { isHeld, release } = await holdsUp(page, '**/admin/events?**')
  await presses(admin.page, t('console.form.save'), 'dialog')
  await admin.reads(t('console.changed.now', { value: 'Lena Theirs' }))
  await isHeld
  // Overwriting is not offered while a part of the page still loads the present state, because a press would be lost.
  expect(await page.getByRole('button', { name: t('console.changed.overwrite') }).count()).toBe(0)
  release()
  await admin.reads(t('console.changed.text'))
  expect(await name.inputValue()).toBe('Lena Mine')
  await pictures(page, 'changed')
  await presses(admin.page, t('console.changed.overwrite'), 'dialog')
  await admin.sees('Lena Mine')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('deleting a user requires the email address and a reason, and a proof of identity in the dialog keeps both', async () => {
  const admin = await opens('admin@example.com', 'leaving@example.com')
  const { page } = admin
  await admin.sees('Leo Leaving')
  await house.app.app.core.transact((tx) => tx.knex('session').update({ proven_at: null }))
  await presses(admin.page, t('people.delete'))
  await admin.reads(t('people.deleteForever'))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('console.confirm.reason')).fill('asked for it by mail')
  await presses(admin.page, t('people.delete'), 'dialog')
  await admin.reads(t('console.confirm.typeWrong', { text: 'leaving@example.com' }))
  await page.keyboard.type('leaving@example.com')
  await pictures(page, 'delete')
  await page.keyboard.press('Enter')
  await isReached(page.getByLabel(t('field.password'), { exact: true }))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'proof')
  await expectNoStylesOfPages(page)
  await page.keyboard.type('correct horse battery staple')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: t('proof.title') }).waitFor({ state: 'detached' })
  expect(await dialog.getByLabel(t('console.confirm.reason')).inputValue()).toBe('asked for it by mail')
  await dialog.getByRole('button', { name: t('people.delete'), exact: true }).click()
  await page.getByRole('heading', { name: t('proof.title') }).waitFor()
  await isReached(page.getByLabel(t('field.password'), { exact: true }))
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await admin.sees(t('people.users'))
  await page.getByRole('link', { name: 'Leo Leaving' }).waitFor({ state: 'detached' })
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an impersonating administrator sees the impersonation and its time left in account and console, and can stop it in both', async () => {
  const admin = await opens('admin@example.com', 'locked@example.com')
  const { page } = admin
  const impersonates = async () => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await presses(admin.page, t('people.impersonate'))
    await page.getByRole('dialog').getByLabel(t('console.confirm.reason')).fill('she sees an empty page')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account')
  }
  await impersonates()
  const frame = page.getByRole('region', { name: t('impersonation.title') })
  await frame.getByText(/^Lena /).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'acting-account')
  await pressesByKeys(frame.getByRole('button', { name: t('impersonation.stop') }))
  await page.waitForURL('**/admin/users/**')
  await impersonates()
  await admin.open('/admin')
  await admin.sees(t('console.noAccess.title'))
  await admin.reads('5')
  await pictures(page, 'acting')
  await pressesByKeys(page.getByRole('button', { name: t('console.impersonation.stop') }))
  await page.waitForURL('**/admin/users/**')
  await page.getByRole('button', { name: 'Grace Hopper' }).waitFor()
  await admin.leaves()
})
