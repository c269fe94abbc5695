/** A person without their second factors in a real browser: the recovery wait, its end, and the link that stops it. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import { createI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'
import { withAuthenticator } from '../support/totp.ts'

const { pages: base, secondFactor: more } = enTexts

const en = { ...base, ...more }
const english = createI18n('en', en)
let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { secondFactor: { recoveryWaitDays: 3 } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const enrolled = async (email: string) => {
  await withAuthenticator(app, email)
  await app.verify(email)
}
const withPassword = async (email: string): Promise<Person> => {
  const self = await person(app, browser, english, '/sign-in')
  await self.fills({ [en['field.email']]: email, [en['field.password']]: password })
  await self.presses(en['signIn.submit'])
  return self
}
const toLost = async (self: Person) => {
  await self.sees(en['step.title'])
  await self.presses(en['step.other'])
  await self.presses(en['lost.link'])
  await self.sees(en['lost.title'])
}
/** The wait passes, and its last notice is sent. */
const wait = async () => {
  for (const [hours, stage] of [
    [36, 'halfway'],
    [12, 'last-day'],
    [24, 'ready'],
  ] as const) {
    app.clock.advance({ hours, minutes: 1 })
    await vi.waitFor(
      async () => {
        const rows = await app.app.core.db.knex('second_factor_recovery').where({ ends_at: null }).select('stage')
        expect(rows.filter((row) => row.stage !== stage)).toEqual([])
      },
      { timeout: 60_000, interval: 50 },
    )
  }
}

test('a person who lost every second factor waits, enters the mailed code after the password, and is signed in', async () => {
  const email = 'ann@example.com'
  await enrolled(email)
  const before = await withPassword(email)
  await toLost(before)
  await before.presses(en['lost.start'])
  await before.sees(en['lost.waitingTitle'])
  await before.leaves()
  await wait()
  const after = await withPassword(email)
  await after.sees(en['lost.readyTitle'])
  await after.presses(en['code.send'])
  const { raw } = await app.mailTo(email, 'second-factor-recovery-code')
  await after.page.getByLabel(en['code.label'], { exact: true }).fill(/^(\d{6})\s*$/m.exec(raw)?.[1] ?? '')
  await after.page.waitForURL('**/account')
  expect(after.problems()).toEqual([])
  await after.leaves()
}, 120_000)

test('a person stops their recovery wait, and the link in a notice stops it once, without a session, and leads to a new password', async () => {
  const email = 'bob@example.com'
  await enrolled(email)
  const self = await withPassword(email)
  await toLost(self)
  await self.presses(en['lost.start'])
  await self.sees(en['lost.waitingTitle'])
  const { link } = await app.mailTo(email, 'second-factor-recovery')
  const owner = await person(app, browser, english, link.replace(app.url, ''))
  await owner.sees(en['stop.title'])
  expect(owner.page.url()).not.toContain('token')
  await owner.presses(en['stop.submit'])
  await owner.sees(en['stop.doneTitle'])
  await owner.leaves()
  const again = await person(app, browser, english, link.replace(app.url, ''))
  await again.presses(en['stop.submit'])
  await again.sees(en['stop.goneTitle'])
  await again.page.getByRole('link', { name: en['stop.newPassword'] }).click()
  await again.page.waitForURL('**/forgot-password')
  await again.leaves()
  await self.presses(en['lost.stop'])
  await self.sees(en['step.overTitle'])
  await self.leaves()
}, 120_000)

test('the account page tells the owner that somebody has reported the second factors as lost, and a button there stops the recovery', async () => {
  const email = 'cat@example.com'
  const { browser: session } = await withAuthenticator(app, email)
  await app.verify(email)
  const thief = await withPassword(email)
  await toLost(thief)
  await thief.presses(en['lost.start'])
  await thief.sees(en['lost.waitingTitle'])
  await thief.leaves()
  const owner = await person(app, browser, english)
  await owner.page.context().addCookies([...session.cookies].map(([name, value]) => ({ name, value, url: app.url })))
  await owner.open('/account')
  await owner.page.getByText('reported your second factors as lost').waitFor()
  await owner.presses(en['running.stop'])
  await owner.page.getByText(en['running.stopped']).waitFor()
  await owner.page.reload()
  await owner.page.getByRole('main').waitFor()
  expect(await owner.page.getByText('reported your second factors as lost').count()).toBe(0)
  expect(owner.problems()).toEqual([])
  await owner.leaves()
}, 120_000)
