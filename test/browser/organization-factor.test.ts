/** The switch with which an organization requires two factors of its members, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { create, joined } from '../http/organizations/people.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'
import { codeOf, withAuthenticator } from '../support/totp.ts'

const i18n = await loadI18n('en', [], ['account', 'secondFactor', 'organizations'])
const { t } = i18n
let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { accounts: { newDeviceMail: false } } })
  app.clock.hold()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const settings = '/account/organizations/acme/settings'
const confirms = ({ page }: Person, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

test('an owner requires two factors of all members, members read why they cannot continue, and the owner lifts the requirement', async () => {
  const { browser: owner, totpURI } = await withAuthenticator(app, 'ann@example.com')
  await app.verify('ann@example.com')
  const organizationId = await create(owner, 'acme')
  await joined(app, organizationId, 'bob@example.com', 'member')
  app.clock.advance({ seconds: 90 })
  const ann = await person(app, browser, i18n)
  await ann.fills({ [t('field.email')]: 'ann@example.com', [t('field.password')]: password })
  await ann.presses(t('signIn.submit'))
  await ann.page.getByLabel(t('code.label'), { exact: true }).fill(codeOf(totpURI))
  await ann.page.waitForURL('**/account')
  await ann.open(settings)
  await ann.presses(t('org.factorRequire'))
  expect(await accessibilityFaults(ann.page)).toEqual([])
  await confirms(ann, t('org.factorRequire'))
  await ann.reads(t('org.factorOn'))
  await ann.page.getByText(t('org.factorIsOn'), { exact: true }).waitFor()
  expect(await accessibilityFaults(ann.page)).toEqual([])

  const bob = await person(app, browser, i18n, '/account/organizations/acme', 'bob@example.com')
  await bob.page.getByRole('dialog').getByText(t('proof.enrol')).waitFor()
  await bob.page.keyboard.press('Escape')
  await bob.sees(t('org.locked', { organization: 'acme' }))

  await bob.page.getByText(t('org.lockedSetUp', { organization: 'acme' })).waitFor()
  expect(await accessibilityFaults(bob.page)).toEqual([])
  await bob.follows(t('twoStep.switchOn'))
  const key = bob.page.locator('.enrol-key')
  await key.waitFor()
  const secret = ((await key.textContent()) ?? '').replaceAll(/\s/g, '')
  await bob.page.getByLabel(t('enrol.code'), { exact: true }).fill(codeOf(`otpauth://totp/x?secret=${secret}`))
  await bob.page.getByRole('heading', { name: t('codes.title') }).waitFor()
  await bob.presses(t('codes.kept'))
  await bob.page.waitForURL('**/account/organizations/acme')
  await bob.page.getByText(t('org.details')).first().waitFor()

  await ann.presses(t('org.factorLift'))
  await ann.reads(t('org.factorOff'))
  expect(ann.problems()).toEqual([])
  await ann.leaves()
  await bob.leaves()
})
