import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import { createI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { drawnByScript, launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

const { pages: en, links: enLinks } = enTexts

let on: TestApp
let off: TestApp
let browser: Browser
const english = createI18n('en', en)
const account = { Name: 'Ann', [en['field.email']]: 'ann@example.com', [en['field.password']]: password }

beforeAll(async () => {
  // Difficult enough for the page to show the progress, and easy enough for a busy machine.
  on = await testApp({ config: { limits: { proofOfWork: { for: ['sign-up', 'reset'], difficulty: 17 } } } })
  off = await testApp()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await on?.stop()
  await off?.stop()
})

test('the sign-up page solves a required proof of work, shows the progress, and creates the account', async () => {
  const ann = await person(on, browser, english, '/sign-up')
  await ann.sees(en['signUp.title'])
  await drawnByScript(ann.page)
  await ann.fills(account)
  // Records everything that the hidden line for screen readers says.
  await ann.page.evaluate(`
    window.said = []
    const tell = () => window.said.push(...[...document.querySelectorAll('[role=status]')].map((one) => one.textContent))
    new MutationObserver(tell).observe(document.body, { subtree: true, childList: true, characterData: true })
    addEventListener('beforeunload', () => sessionStorage.setItem('said', JSON.stringify(window.said)))
  `)
  await ann.presses(en['signUp.submit'])
  await ann.page.waitForURL('**/account')
  expect(await ann.page.evaluate("sessionStorage.getItem('said')")).toContain('Security check: 0%')
  expect(ann.problems()).toEqual([])
  await ann.leaves()
}, 60_000)

test('the page for a forgotten password solves a required proof of work', async () => {
  const ann = await person(on, browser, english, '/forgot-password')
  await ann.sees(enLinks['forgot.title'])
  await ann.fills({ [en['field.email']]: 'ann@example.com' })
  await ann.presses(enLinks['forgot.submit'])
  await ann.page.getByRole('heading', { level: 1, name: en['checkEmail.title'] }).waitFor()
  await on.mailTo('ann@example.com', 'reset-password')
  expect(ann.problems()).toEqual([])
  await ann.leaves()
}, 60_000)

test('leaving the sign-up page stops its proof of work, and no account is created', async () => {
  const hard = await on.node({ limits: { proofOfWork: { for: ['sign-up'], difficulty: 26 } } })
  const eve = await person(hard, browser, english, '/sign-up')
  await drawnByScript(eve.page)
  await eve.fills({ ...account, [en['field.email']]: 'eve@example.com' })
  await eve.presses(en['signUp.submit'])
  await eve.page.getByText('Security check').first().waitFor({ state: 'attached' })
  await expect.poll(() => eve.page.workers().length).toBe(1)
  await eve.open('/sign-in')
  await eve.sees(en['signIn.title'])
  expect(eve.page.workers()).toHaveLength(0)
  expect(await on.app.users.find(on.app.core.db, 'eve@example.com')).toBeUndefined()
  await eve.leaves()
  await hard.stop()
}, 60_000)

test('the sign-up page loads no code for a proof of work if none is required', async () => {
  const bob = await person(off, browser, english, '/sign-up')
  const files: string[] = []
  bob.page.on('request', (request) => void files.push(request.url()))
  await bob.fills({ ...account, [en['field.email']]: 'bob@example.com' })
  await bob.presses(en['signUp.submit'])
  await bob.page.waitForURL('**/account')
  expect(files.filter((file) => /proof-of-work|worker|solve/.test(file))).toEqual([])
  await bob.leaves()
}, 60_000)
