/** Bulk actions on rows of a list: selected and changed by keyboard alone, with a report of failures. */
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { testApp } from '../../support/app.ts'
import { accessibilityFaults, holdsUp } from '../../support/browser.ts'
import { arrives, consoleTexts, pictures, presses, settles, withConsole, withUsers } from '../../support/console.ts'
import { pressesByKeys, reaches } from '../../support/keys.ts'
import { type Person, userColumns } from '../../support/people.ts'
import { fill } from '../../support/plans.ts'

const { t } = consoleTexts

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'auditor@example.com': { name: 'Aude Auditor', role: 'auditor' },
  'spam1@spam.example': { name: 'Spam One' },
  'spam2@spam.example': { name: 'Spam Two' },
  'spam3@spam.example': { name: 'Spam Three' },
  'gone1@gone.example': { name: 'Gone One' },
  'gone2@gone.example': { name: 'Gone Two' },
})

const users = () => house.app.app.core.transact((tx) => tx.knex('user').select().orderBy('email'))
const bannedNow = async () => (await users()).filter((row) => row.banned_at !== null).map(({ email }) => email)

/** Opens a list and waits for its rows. No row has the focus then. */
const opens = async (who: string, path: string, title: string): Promise<Person> => {
  const someone = await house.arrives(who, path)
  await someone.sees(title)
  await settles(someone.page)
  return someone
}
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: t('console.table.choose', { name }) })
/** Presses an action on the selected rows, in the bar or in the menu of the bar. */
const does = async (page: Page, name: string) => {
  const bar = page.getByRole('region', { name: t('lists.actions') })
  await bar.getByRole('button').first().waitFor()
  if ((await bar.getByRole('button', { name, exact: true }).count()) > 0) return presses(page, name)
  await pressesByKeys(bar.getByRole('button', { name: t('lists.moreActions') }))
  await page.getByRole('menuitem', { name, exact: true }).focus()
  await page.keyboard.press('Enter')
}
const report = (page: Page) => page.getByRole('dialog').getByRole('status').first()

test('an administrator selects people with x and bans them by keyboard alone, and a report says who was banned', async () => {
  const admin = await opens('admin@example.com', '/admin/users?sort=name&order=asc', t('people.users'))
  const { page } = admin
  await box(page, 'Spam One').focus()
  // A key acts on the focused row, else on the row that j and k have reached.
  for (const key of ['x', 'j', 'x']) await page.keyboard.press(key)
  await admin.reads(t('console.table.chosen', { count: 2 }))
  expect(await box(page, 'Spam One').isChecked()).toBe(true)
  await page.getByRole('button', { name: t('people.ban'), exact: true }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'bulk-bar')
  await page.keyboard.press('a')
  expect(await page.locator(':focus').innerText()).toBe(t('people.ban'))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: t('lists.title', { action: t('people.ban'), count: 2 }) })
  await dialog.getByText('Spam One and Spam Three').waitFor()
  await dialog.getByLabel(t('people.banFor')).selectOption('86400')
  // The dialog shows one call and one command for each selected person.
  await presses(page, t('console.call.show'), 'dialog')
  const call = page.getByRole('textbox', { name: t('console.call.api') })
  expect((await call.inputValue()).match(/curl/g)).toHaveLength(2)
  expect(await page.getByRole('textbox', { name: t('console.call.command') }).inputValue()).toBe(
    'gatehouse ban-user --user spam1@spam.example --for 1d\ngatehouse ban-user --user spam3@spam.example --for 1d',
  )
  await pictures(page, 'bulk-calls')
  await page.keyboard.press('Escape')
  await pictures(page, 'bulk-dialog')
  expect(await accessibilityFaults(page)).toEqual([])
  await reaches(dialog.getByLabel(t('console.confirm.reason')))
  await page.keyboard.type('sends advertisements')
  await page.keyboard.press('Enter')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 2 })} ${t('lists.failed', { count: 0 })}`)
  expect(await accessibilityFaults(page)).toEqual([])
  await presses(page, t('console.peek.close'), 'dialog')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await bannedNow()).toEqual(['spam1@spam.example', 'spam3@spam.example'])
  const [event] = await house.app.app.core.transact((tx) => tx.knex('event').where({ type: 'user.banned' }).select())
  expect(JSON.stringify(event)).toContain('sends advertisements')
  // Rows that are done are deselected.
  await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(0)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a bulk ban skips people who are banned already and says so, and one more dialog lifts all bans', async () => {
  const admin = await opens('admin@example.com', '/admin/users?search=spam', t('people.users'))
  const { page } = admin
  await reaches(page.getByRole('checkbox', { name: t('console.table.chooseAll') }))
  await page.keyboard.press('Space')
  await admin.reads(t('console.table.chosen', { count: 3 }))
  await presses(page, t('people.ban'))
  const dialog = page.getByRole('dialog')
  await dialog.getByText(t('lists.leftOut', { count: 2, why: t('lists.alreadyBanned') })).waitFor()
  await page.keyboard.press('Escape')
  await presses(page, t('people.unban'))
  await dialog.getByText(t('lists.leftOut', { count: 1, why: t('lists.notBanned') })).waitFor()
  await presses(page, t('people.unban'), 'dialog')
  await report(page)
    .getByText(t('lists.done', { count: 2 }))
    .waitFor()
  expect(await bannedNow()).toEqual([])
  await admin.leaves()
})

test('a person deleted during a bulk ban does not stop the rest: the report names the failure and offers to try again', async () => {
  const admin = await opens('admin@example.com', '/admin/users?search=spam', t('people.users'))
  const { page } = admin
  for (const name of ['Spam One', 'Spam Three', 'Spam Two']) await box(page, name).check()
  await presses(page, t('people.ban'))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('console.confirm.reason')).fill('advertisements')
  const two = (await users()).find(({ email }) => email === 'spam2@spam.example')
  await house.app.app.core.transact((tx) => tx.knex('user').where({ id: two?.id }).delete())
  await presses(page, t('people.ban'), 'dialog')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 2 })} ${t('lists.failed', { count: 1 })}`)
  const failed = dialog.getByRole('listitem').filter({ hasText: 'Spam Two' })
  expect(await failed.innerText()).toContain('User not found')
  expect(await bannedNow()).toEqual(['spam1@spam.example', 'spam3@spam.example'])
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'bulk-report')
  // The report can be copied as text, with the id of each failed request for the log.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await presses(page, t('lists.copy'), 'dialog')
  await dialog.getByRole('button', { name: t('console.copied') }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
    new RegExp(`^Ban: 3 rows\\. 2 done\\. 1 failed\\.\nSpam Two\t${two?.id}\tUser not found\t\\S+$`),
  )
  // The deleted person is back, as from a backup. The second try is for this person alone.
  await house.app.app.core.transact((tx) => tx.knex('user').insert(two))
  await presses(page, t('lists.again'), 'dialog')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 3 })} ${t('lists.failed', { count: 0 })}`)
  expect(await bannedNow()).toEqual(['spam1@spam.example', 'spam2@spam.example', 'spam3@spam.example'])
  const events = await house.app.app.core.transact((tx) => tx.knex('event').where({ type: 'user.banned' }).select('subject_id'))
  expect(events.filter(({ subject_id }) => subject_id === two?.id)).toHaveLength(1)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a bulk action goes on when its dialog is closed and another screen is opened, and can be stopped and resumed', async () => {
  await withUsers(
    house.app,
    Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`many${at}@many.example`, { name: `Many ${at}` }])),
  )
  const admin = await opens('admin@example.com', '/admin/users?search=many', t('people.users'))
  const { page } = admin
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  const { isHeld, release } = await holdsUp(page, '**/admin/ban-user')
  await presses(page, t('people.ban'))
  await page.getByRole('dialog').getByLabel(t('console.confirm.reason')).fill('many')
  await presses(page, t('people.ban'), 'dialog')
  await isHeld
  await pictures(page, 'bulk-running')
  await presses(page, t('lists.stop'), 'dialog')
  await presses(page, t('console.peek.close'), 'dialog')
  await page.getByRole('link', { name: t('console.screen.sessions') }).click()
  await admin.sees(t('people.sessions'))
  const title = t('lists.title', { action: t('people.ban'), count: 8 })
  const corner = page.getByRole('region', { name: title })
  await pictures(page, 'bulk-corner')
  // Four calls were under way.
  release()
  await corner.getByText(t('lists.left', { count: 4 })).waitFor()
  expect((await bannedNow()).filter((email) => email.startsWith('many'))).toHaveLength(4)
  expect(await accessibilityFaults(page)).toEqual([])
  await pressesByKeys(corner.getByRole('button', { name: t('lists.show') }))
  await presses(page, t('lists.goOn'), 'dialog')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 8 })} ${t('lists.failed', { count: 0 })}`)
  expect((await bannedNow()).filter((email) => email.startsWith('many'))).toHaveLength(8)
  await presses(page, t('console.peek.close'), 'dialog')
  await corner.waitFor({ state: 'detached' })
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a bulk deletion of people requires typing their number, a reason, and one proof for all of them', async () => {
  const admin = await opens('admin@example.com', '/admin/users?search=gone', t('people.users'))
  const { page } = admin
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  await house.app.app.core.transact((tx) => tx.knex('session').update({ proven_at: null }))
  await does(page, t('people.delete'))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('console.confirm.reason')).fill('left the company')
  await presses(page, t('people.delete'), 'dialog')
  await admin.reads(t('console.confirm.typeWrong', { text: '2' }))
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  // The proof was cancelled: nothing was done, and all rows remain to be done.
  const proof = page.getByRole('heading', { name: t('proof.title') })
  await proof.waitFor()
  await page.keyboard.press('Escape')
  await report(page)
    .getByText(t('lists.left', { count: 2 }))
    .waitFor()
  expect((await users()).filter(({ email }) => email.endsWith('gone.example'))).toHaveLength(2)
  await presses(page, t('lists.goOn'), 'dialog')
  await proof.waitFor()
  await page.getByLabel(t('field.password'), { exact: true }).fill('correct horse battery')
  await page.keyboard.press('Enter')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 2 })} ${t('lists.failed', { count: 0 })}`)
  expect((await users()).filter(({ email }) => email.endsWith('gone.example'))).toEqual([])
  await admin.leaves()
})

test("the actions of the bulk bar fit at every width or move into the bar's menu, and nothing scrolls sideways", async () => {
  const admin = await opens('admin@example.com', '/admin/users?search=spam', t('people.users'))
  const { page } = admin
  const bar = page.getByRole('region', { name: t('lists.actions') })
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await bar.waitFor()
  const heights: number[] = []
  for (const [width, text] of [390, 640, 768, 1024, 1280, 1600].flatMap((one) => [[one, 100] as const, [one, 150] as const])) {
    await page.setViewportSize({ width, height: 800 })
    // The text of the bar grows while it is open.
    await page.evaluate(`document.documentElement.style.fontSize = '${text}%'`)
    const more = bar.getByRole('button', { name: t('lists.moreActions') })
    await expect.poll(() => bar.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
    const ends = await bar.evaluate((one) =>
      [...one.children].map((part) => part.getBoundingClientRect().right - one.getBoundingClientRect().right),
    )
    expect(Math.max(...ends), `at ${width} and ${text} %`).toBeLessThanOrEqual(1)
    heights.push((((await bar.boundingBox())?.height ?? 0) * 100) / text)
    // While the bar moves actions between itself and its menu, an action may be seen in neither of them.
    await vi.waitFor(
      async () => {
        const names = await bar.getByRole('button').allInnerTexts()
        if ((await more.count()) > 0) {
          await more.click({ timeout: 5_000 })
          await page.locator('[role=menuitem]:focus').waitFor({ timeout: 5_000 })
          names.push(...(await page.getByRole('menuitem').allInnerTexts()))
          expect(await accessibilityFaults(page)).toEqual([])
          // Escape closes the menu and keeps the rows selected.
          await page.keyboard.press('Escape')
        }
        for (const name of [t('people.ban'), t('people.endSessions'), t('people.delete')])
          expect(
            names.some((text) => text.startsWith(name)),
            `${name} at ${width} and ${text} %`,
          ).toBe(true)
      },
      { timeout: 60_000 },
    )
  }
  expect(Math.max(...heights)).toBeLessThanOrEqual(44)
  await pictures(page, 'bulk-fitting')
  await admin.leaves()
})

test('sessions are ended in bulk, but never the session of the administrator who ends them', async () => {
  await house.app.signedIn('away1@example.com', 'Away One')
  await house.app.signedIn('away2@example.com', 'Away Two')
  const admin = await opens('admin@example.com', '/admin/sessions', t('people.sessions'))
  const { page } = admin
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  await presses(page, t('people.endSession'))
  const dialog = page.getByRole('dialog')
  await dialog.getByText(t('lists.ownSession')).waitFor()
  await presses(page, t('people.endSession'), 'dialog')
  await report(page)
    .getByText(t('lists.failed', { count: 0 }))
    .waitFor()
  const left = await house.app.app.core.transact((tx) =>
    tx.knex('session').join('user', 'user.id', 'session.user_id').distinct('user.email'),
  )
  expect(left).toEqual([{ email: 'admin@example.com' }])
  await admin.leaves()
})

test('failed mails are sent again in bulk, and other selected mails are left out', async () => {
  const { core } = house.app.app
  const times = { due_at: core.clock.now(), created_at: core.clock.now(), expires_at: core.clock.after(3_600) }
  const details = JSON.stringify({ to: 'ann@example.com', kind: 'notice', requester: null })
  for (const id of ['mail-one', 'mail-two'])
    await core.db.knex('task').insert({
      ...{ id, kind: 'mail.send', status: 'dead', attempts: 1, payload: '{}', label: 'notice ann@example.com', details },
      ...times,
    })
  const admin = await opens('admin@example.com', '/admin/mails?state=failed', t('mail.mails'))
  const { page } = admin
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  await presses(page, t('mail.retry'))
  await presses(page, t('mail.retry'), 'dialog')
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 2 })} ${t('lists.failed', { count: 0 })}`)
  await admin.leaves()
})

test('bulk actions without the needed permission are disabled and name the roles that have the permission', async () => {
  const auditor = await opens('auditor@example.com', '/admin/users?search=grace', t('people.users'))
  const { page } = auditor
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const ban = page.getByRole('button', { name: new RegExp(`^${t('people.ban')}`) })
  expect(await ban.getAttribute('aria-disabled')).toBe('true')
  expect(await ban.textContent()).toContain('admin and support')
  await ban.focus()
  await page.getByRole('tooltip').waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'bulk-denied')
  await page.keyboard.press('v')
  await page.getByRole('menuitem', { name: t('lists.saveView') }).waitFor()
  await pictures(page, 'bulk-view-menu')
  await page.keyboard.press('Escape')
  await reaches(page.locator('h1'))
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(0)
  await auditor.leaves()
})

test('a bulk action waits when the server has received too many calls, and no row fails', async () => {
  const strict = await testApp({ config: { limits: { enabled: 'on', general: { max: 100, windowSeconds: 20 } } } })
  await withUsers(strict, { 'admin@example.com': { name: 'Grace Hopper', role: 'admin' } })
  await fill(strict, 'user', 6, userColumns('busy'))
  const admin = await arrives(strict, house.browser, 'admin@example.com', '/admin/users')
  const { page } = admin
  await page.clock.install()
  await page.reload()
  await settles(page)
  // The window of the limit must not end while the calls arrive that use it up.
  strict.clock.hold()
  await page.getByRole('checkbox', { name: t('console.table.chooseAll') }).check()
  let refused = 0
  page.on('response', (response) => {
    if (response.status() === 429 && response.url().endsWith('/admin/revoke-user-sessions')) refused += 1
  })
  await does(page, t('people.endSessions'))
  // Another page at the same IP address used up the limit a moment before.
  await page.evaluate(`(async () => {
    await Promise.all(Array.from({ length: 100 }, () => fetch('/get-session')))
    document.querySelector('dialog[open] [type=submit]').click()
  })()`)
  await expect.poll(() => refused).toBeGreaterThan(0)
  // The server's time window ends, and so does the wait of the page.
  strict.clock.advance({ seconds: 20 })
  await page.clock.fastForward(20_000)
  await expect.poll(() => report(page).innerText()).toBe(`${t('lists.done', { count: 6 })} ${t('lists.failed', { count: 0 })}`)
  await admin.leaves()
  await strict.stop()
})
