import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { createApp } from '../../examples/relying-party/app.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { ownerOf } from '../http/oidc/tenants.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'
import { reservePort } from '../support/port.ts'

const english = await loadI18n('en', [], ['account', 'consent'])
const { t } = english

let gatehouse: TestApp
let application: Server
let applicationUrl: string
let browser: Browser
beforeAll(async () => {
  gatehouse = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  const { port, socket } = await reservePort()
  applicationUrl = `http://localhost:${port}`
  const { client, secret } = await gatehouse.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Example application',
    type: 'web',
    redirectUris: [`${applicationUrl}/callback`],
  })
  const { clientId } = client
  const app = await createApp({ issuer: gatehouse.url, clientId, clientSecret: secret ?? '', url: applicationUrl })
  application = app.listen(socket)
  await once(application, 'listening')
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  application?.close()
  application?.closeAllConnections()
  await gatehouse?.stop()
})

const begin = async ({ page, follows }: Person) => {
  await page.goto(applicationUrl)
  await follows('Sign in for an organization')
}
const row = ({ page }: Person, table: string, name: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    .getByRole('cell')
    .textContent()

test('an application receives and refreshes the claims of the organization that the person chooses', async () => {
  const owner = await ownerOf(gatehouse, 'Acme', 'Globex')
  const [acme, globex] = owner.organizations
  const ann = await person(gatehouse, browser, english)
  await begin(ann)
  await ann.sees(t('signIn.title'))
  await ann.fills({ [t('field.email')]: owner.email, [t('field.password')]: 'correct horse battery' })
  await ann.presses(t('signIn.submit'))

  // The choice of an organization is part of the consent. No claims are sent without a choice.
  await ann.sees(t('consent.title', { client: 'Example application' }))
  await ann.reads(owner.email)
  await ann.presses(t('consent.allow'))
  await ann.reads(t('consent.organizationMissing'))
  const choice = ann.page.getByLabel(t('consent.organization'))
  await expect.poll(() => choice.and(ann.page.locator(':focus')).count()).toBe(1)
  expect(await accessibilityFaults(ann.page)).toEqual([])
  await choice.selectOption({ label: t('choose.none') })
  await ann.reads(t('scope.organizations.none'))
  await choice.selectOption({ label: globex?.name ?? '' })
  await ann.reads(t('scope.organizations.detail'))
  await ann.presses(t('consent.allow'))

  await ann.reads('You are here for')
  expect(await accessibilityFaults(ann.page)).toEqual([])
  expect(await row(ann, 'Claims of the ID token', 'org_id')).toBe(globex?.id)
  await ann.follows('Ask userinfo')
  expect(await row(ann, 'Answer of the userinfo endpoint', 'org_slug')).toBe(globex?.slug)
  expect(await row(ann, 'Answer of the userinfo endpoint', 'org_roles')).toBe('["owner"]')

  // The application itself names the organization when it asks for more scopes.
  await ann.follows('Allow renewing')
  await ann.sees(t('consent.title', { client: 'Example application' }))
  await ann.reads(t('consent.actsFor', { organization: globex?.name ?? '' }))
  await ann.presses(t('consent.allow'))
  await ann.presses('Renew tokens')
  await ann.page.waitForURL('**/?renewed')
  expect(await row(ann, 'Claims of the ID token', 'org_id')).toBe(globex?.id)

  // The person chooses another organization by keyboard alone, and consents again, because the consent was for the first organization
  // only.
  await ann.presses('Sign out')
  await begin(ann)
  await ann.sees(t('choose.title'))
  const first = ann.page.getByRole('button', { name: new RegExp(acme?.name ?? '') })
  for (let i = 0; i < 8 && (await first.and(ann.page.locator(':focus')).count()) === 0; i += 1)
    await ann.page.keyboard.press('Tab')
  await ann.page.keyboard.press('Enter')
  await ann.presses(t('consent.allow'))
  await ann.reads('You are here for')
  expect(await row(ann, 'Claims of the ID token', 'org_id')).toBe(acme?.id)

  await ann.presses('Sign out')
  await begin(ann)
  await ann.page.getByRole('button', { name: new RegExp(t('choose.none')) }).click()
  await ann.page.getByTestId('email').waitFor()
  expect(await ann.page.getByText('org_id').count()).toBe(0)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('the page for choosing an organization says how to continue with another account, in another browser, and after the membership ended', async () => {
  const owner = await ownerOf(gatehouse, 'Acme', 'Globex')
  const other = await ownerOf(gatehouse)
  const [acme] = owner.organizations
  const ann = await person(gatehouse, browser, english, '/account', owner.email)
  await begin(ann)
  await ann.page.getByLabel(t('consent.organization')).selectOption({ label: t('choose.none') })
  await ann.presses(t('consent.allow'))
  await ann.page.getByTestId('email').waitFor()
  await ann.presses('Sign out')
  await begin(ann)
  await ann.sees(t('choose.title'))
  const address = ann.page.url()
  await gatehouse.app.core.db
    .knex('member')
    .where({ organization_id: acme?.id ?? '' })
    .delete()
  await ann.page.getByRole('button', { name: new RegExp(acme?.name ?? '') }).click()
  await ann.reads(t('problem.organizationNotFound'))
  await ann.presses(t('consent.notYou'))
  await ann.sees(t('signIn.title'))
  await ann.fills({ [t('field.email')]: other.email, [t('field.password')]: 'correct horse battery' })
  await ann.presses(t('signIn.submit'))
  await ann.sees(t('consent.title', { client: 'Example application' }))
  await ann.reads(t('scope.organizations.none'))
  expect(await ann.page.getByLabel(t('consent.organization')).count()).toBe(0)

  const stranger = await person(gatehouse, browser, english, address)
  await stranger.sees(t('error.restart.title'))
  expect([...ann.problems(), ...stranger.problems()]).toEqual([])
  await stranger.leaves()
  await ann.leaves()
})
