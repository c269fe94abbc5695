/** "This was not me" in a real browser: the page behind the button of a notice. */
import { expect, test } from 'vitest'
import enTexts from '../../admin-ui/locales/pages/en.json' with { type: 'json' }
import { createI18n } from '../../admin-ui/shared/i18n.ts'
import { password } from '../support/app.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { accessibilityFaults } from '../support/browser.ts'
import { passkeySteps } from '../support/passkeys.ts'
import { withBrowser } from '../support/people.ts'

const { pages: base, links: more } = enTexts

const en = { ...base, ...more }
const english = createI18n('en', en)
const steps = passkeySteps(() => site.app)
const site = withBrowser()

test('the button of a "this was not me" page works once, signs everybody out, and says where the link for a new password went', async () => {
  const email = 'ann@example.com'
  const session = await site.app.signedIn(email)
  await site.app.verify(email)
  await site.app.client().post('/sign-in/email', { email, password }, { 'user-agent': 'curl/8.0' })
  const { link } = await site.app.mailTo(email, 'new-device')
  const owner = await site.person(english, link.replace(site.app.url, ''))
  await owner.sees(en['notMe.title'])
  expect(owner.page.url()).not.toContain('token')
  expect(await session.api.sessions.getSession()).not.toBeNull()
  await owner.presses(en['notMe.submit'])
  await owner.sees(en['notMe.doneTitle'])
  await owner.reads(english.t('notMe.mailed', { email }))
  expect(await session.api.sessions.getSession()).toBeNull()
  expect(owner.problems()).toEqual([])
  await owner.leaves()
  const again = await site.person(english, link.replace(site.app.url, ''))
  await again.presses(en['notMe.submit'])
  await again.sees(en['error.link.title'])
  await again.page.getByRole('link', { name: en['reset.title'] }).click()
  await again.page.waitForURL('**/forgot-password')
  await again.leaves()
}, 120_000)

test('the "this was not me" page lists what was removed with the reason, and which sign-in methods still work', async () => {
  const email = 'bea@example.com'
  const owner = await site.app.signedIn(email)
  await site.app.verify(email)
  await steps.register(owner, createAuthenticator(), 'Phone of Bea')
  site.app.clock.advance({ minutes: 1 })
  await steps.register(owner, createAuthenticator(), 'Key of a thief')
  await site.app.mails()
  const { link } = await site.app.mailTo(email, 'user-passkey-added')
  const bea = await site.person(english, link.replace(site.app.url, ''))
  await bea.presses(en['notMe.submit'])
  await bea.sees(en['notMe.doneTitle'])
  const listUnder = (title: string) =>
    bea.page.locator(`h2:text-is("${title}") + ul li`).evaluateAll((items) => items.map(({ textContent }) => textContent))
  expect(await listUnder(en['notMe.removed'])).toEqual([expect.stringContaining('Key of a thief')])
  expect(await listUnder(en['notMe.waysIn'])).toEqual([expect.stringContaining('Phone of Bea')])
  expect(await accessibilityFaults(bea.page)).toEqual([])
  await bea.leaves()
}, 120_000)
