/** Applications in the console: registration up to the first sign-in, rotation of a secret without an outage, and consents. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { authorizePath, codeFor, postForm, redeem, redirectUri, register } from '../../http/oidc/flow.ts'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { arrives as arrivesBy, consoleTexts, pictures, withConsole } from '../../support/console.ts'
import { canBeFollowed, passesTimeUntil } from '../../support/followed-page.ts'
import { pressesByKeys } from '../../support/keys.ts'
import { person } from '../../support/people.ts'

const { t } = consoleTexts

const house = withConsole({}, { config: { oidc: { rsaModulusLength: 2048 } } })
beforeAll(async () => {
  for (const [email, name, role] of [
    ['admin@example.com', 'Grace Hopper', 'admin'],
    ['auditor@example.com', 'Ada Auditor', 'auditor'],
    ['support@example.com', 'Sam Support', 'support'],
    ['first@example.com', 'Fiona First', 'user'],
  ] as const) {
    await house.app.signedIn(email)
    await house.app.app.core.transact((tx) => tx.knex('user').where({ email }).update({ name, role }))
  }
})

const arrives = (email: string, path: string) => arrivesBy(house.app, house.browser, email, path)

/** Moves the focus to a control by keys and presses a key there. `steps` counts what a person would call clicks. */
const keyboard = (page: Page) => {
  let steps = 0
  const press = async (name: string, within: Pick<Page, 'getByRole'> = page) => {
    await pressesByKeys(within.getByRole('button', { name, exact: true }))
    steps += 1
  }
  return { press, steps: () => steps }
}

const dialog = (page: Page) => page.getByRole('dialog').first()

test("an administrator registers an application by keyboard alone, and the application's page shows the first sign-in", async () => {
  const admin = await person(house.app, house.browser, consoleTexts, '/admin/clients', 'admin@example.com', canBeFollowed)
  const { page } = admin
  await admin.sees(t('clients.title'))
  await admin.reads(t('clients.empty'))
  await pictures(page, 'empty')
  const { press } = keyboard(page)
  await press(t('clients.new'))
  await admin.sees(t('clients.new'))
  // The focus starts on the heading. The choice, the name and the addresses are the next stops.
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('radio', { name: t('clients.framework.server') }).isChecked()).toBe(true)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Shop')
  await page.keyboard.press('Tab')
  await page.keyboard.type('https://*.rp.example/callback')
  await page.keyboard.press('Tab')
  await admin.reads(t('clients.address.wildcard'))
  // PKCE already has the right value. The next stop is the button.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement?.name')).toBe('redirectUris')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'new')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(redirectUri)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await admin.sees(t('clients.created', { name: 'Shop' }))
  const fieldOf = (label: string) => page.getByRole('textbox', { name: label, exact: true }).inputValue()
  const application = { clientId: await fieldOf(t('clients.id')), secret: await fieldOf(t('clients.secret')) }
  expect(await fieldOf(t('clients.issuer'))).toBe(house.app.url)
  expect(await fieldOf(t('clients.env'))).toContain(`OIDC_CLIENT_SECRET=${application.secret}`)
  await admin.reads(t('clients.firstWaiting'))
  await pictures(page, 'created')
  // A wrong secret is shown beside a button, and no spinner turns beside the error.
  const first = house.app.client()
  await page.locator('.waiting-spinner').waitFor()
  await redeem(house.app, { ...application, secret: 'mistyped' }, 'x')
  const refusals = page.getByRole('region', { name: t('clients.refusals') })
  const renew = refusals.getByRole('button', { name: t('clients.secretNew'), exact: true })
  await passesTimeUntil(page, () => renew.isVisible())
  await pressesByKeys(renew)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('common.cancel'), exact: true })
    .click()
  expect(await page.locator('.waiting-spinner').count()).toBe(0)
  // The client id and secret that the page shows sign somebody in.
  await first.post('/sign-in/email', { email: 'first@example.com', password })
  const tokens = await redeem(house.app, application, await codeFor(first, application, { scope: 'openid email' }))
  expect(tokens.status).toBe(200)
  await passesTimeUntil(page, () => page.getByRole('link', { name: 'Fiona First' }).isVisible())
  await pictures(page, 'first')
  await pressesByKeys(page.getByRole('link', { name: t('clients.toApplication') }))
  await admin.sees('Shop')
  expect(page.url()).toBe(`${house.app.url}/admin/clients/${application.clientId}`)
  expect(await page.content()).not.toContain(application.secret)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the console shows the claims of a person for an application before a sign-in, and says when no such person exists', async () => {
  const application = await register(house.app, { name: 'Intranet' })
  const admin = await arrives('admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  await admin.sees('Intranet')
  const panel = page.getByRole('region', { name: t('clients.claims') })
  await panel.getByLabel(t('clients.claimsUser'), { exact: true }).fill('first@example')
  await page.keyboard.press('Enter')
  await panel.getByRole('alert').waitFor()
  await panel.getByLabel(t('clients.claimsUser'), { exact: true }).fill('first@example.com')
  await page.keyboard.press('Enter')
  await panel.getByText('"first@example.com"', { exact: true }).waitFor()
  expect(await panel.getByLabel(t('clients.claimsJson'), { exact: true }).inputValue()).toContain('"email": "first@example.com"')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'claims')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a client secret is rotated in four steps without an outage: both secrets are valid until the old secret is revoked', async () => {
  const application = await register(house.app, { name: 'Portal' })
  const counts = async (secret: string | undefined) => {
    const answer = await postForm(house.app, { ...application, secret }, '/oauth2/introspect', { token: 'none' })
    return answer.status === 200
  }
  const admin = await arrives('admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  await admin.sees('Portal')
  const { press, steps } = keyboard(page)
  await press(t('clients.secretNew'))
  await dialog(page).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'rotate')
  await press(t('clients.secretMake'), dialog(page))
  const field = page.getByRole('textbox', { name: t('clients.secret'), exact: true })
  const next = await field.inputValue()
  expect([await counts(application.secret), await counts(next)]).toEqual([true, true])
  // A third secret has to wait, and the button says why.
  await admin.reads(t('clients.secretBlocked'))
  await pictures(page, 'rotated')
  const old = page
    .getByRole('listitem')
    .filter({ hasText: t('clients.secretState.ending') })
    .first()
  const button = old.getByRole('button')
  await pressesByKeys(button)
  await press(t('clients.secretRevoke'), dialog(page))
  await dialog(page).waitFor({ state: 'detached' })
  expect([await counts(application.secret), await counts(next)]).toEqual([false, true])
  expect(steps() + 1).toBeLessThanOrEqual(4)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator neither overwrites redirect addresses that a colleague just changed nor loses typed text', async () => {
  const application = await register(house.app, { name: 'Desk' })
  const { clientId } = application
  const admin = await arrives('admin@example.com', `/admin/clients/${clientId}`)
  const { page } = admin
  const { press } = keyboard(page)
  await admin.sees('Desk')
  const other = house.app.client()
  await other.post('/sign-in/email', { email: 'admin@example.com', password })
  const stored = async () => (await other.request(`/admin/clients/${clientId}`)).text
  const edit = `${t('clients.edit')} ${t('clients.addresses')}`
  const field = () => dialog(page).getByRole('textbox', { name: t('clients.redirectUris') })
  for (const address of ['https://rp.example/one', 'https://rp.example/two']) {
    await press(edit)
    await field().fill(address)
    await press(t('console.form.save'), dialog(page))
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText(address).waitFor()
  }
  await press(edit)
  await field().fill('https://rp.example/mine')
  await other.api.applications.updateApplication({ params: { clientId }, body: { redirectUris: ['https://rp.example/theirs'] } })
  await press(t('console.form.save'), dialog(page))
  await admin.reads(t('console.changed.text'))
  expect(await field().inputValue()).toBe('https://rp.example/mine')
  expect(await stored()).toContain('theirs')
  await pictures(page, 'changed')
  await press(t('console.changed.overwrite'), dialog(page))
  await dialog(page).waitFor({ state: 'detached' })
  expect(await stored()).toContain('mine')
  await pictures(page, 'application')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('an administrator switches an application off, ends a consent, and deletes the application after typing its name and a reason', async () => {
  const application = await register(house.app, { name: 'Kiosk' })
  const first = house.app.client()
  await first.post('/sign-in/email', { email: 'first@example.com', password })
  await redeem(house.app, application, await codeFor(first, application))
  const admin = await arrives('admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  const { press } = keyboard(page)
  await admin.sees('Kiosk')
  await press(t('clients.disable'))
  await press(t('clients.disable'), dialog(page))
  await admin.reads(t('clients.disabledNotice'))
  await press(t('clients.remove'))
  await press(t('clients.remove'), dialog(page))
  await admin.reads(t('clients.peopleNone'))
  await press(t('clients.delete'))
  await dialog(page).waitFor()
  await press(t('clients.delete'), dialog(page))
  await admin.reads(t('console.confirm.typeWrong', { text: 'Kiosk' }))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'delete')
  await dialog(page)
    .getByLabel(t('console.confirm.type', { text: 'Kiosk' }))
    .fill('Kiosk')
  await dialog(page).getByLabel(t('console.confirm.reason')).fill('Closed')
  await press(t('clients.delete'), dialog(page))
  await page.waitForURL('**/admin/clients')
  await admin.sees(t('clients.title'))
  await page.getByRole('link', { name: 'Shop' }).waitFor()
  expect(await page.getByRole('link', { name: 'Kiosk' }).count()).toBe(0)
  await pictures(page, 'list')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a console list that cannot be loaded says so and offers to try again', async () => {
  const admin = await arrives('admin@example.com', '/admin/users')
  const { page } = admin
  await admin.sees(t('people.users'))
  // Without the stream of events nothing else reloads the list.
  await page.route('**/admin/events/stream', (route) => route.abort())
  await page.reload()
  await admin.sees(t('people.users'))
  await page.route('**/admin/clients*', (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({
          status: 500,
          contentType: 'application/json',
          body: '{"code":"INTERNAL_SERVER_ERROR","message":"Broken"}',
        })
      : route.continue(),
  )
  await page.getByRole('link', { name: t('console.group.applications') }).click()
  await admin.reads(t('console.failure.title'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'failure')
  await page.unroute('**/admin/clients*')
  await admin.presses(t('console.failure.again'))
  await page.getByRole('link', { name: 'Shop' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('des')
  await page.getByRole('link', { name: 'Shop' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Desk' }).waitFor()
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the page of a new application shows why its requests are refused, and a button beside the reason fixes the cause', async () => {
  const application = await register(house.app, { name: 'Kiosk', pkce: 'required' })
  const person = await house.app.signedIn('kiosk@example.com')
  const plain = { code_challenge: undefined, code_challenge_method: undefined }
  await person.request(authorizePath(application, plain))
  const admin = await arrives('admin@example.com', `/admin/clients/${application.clientId}`)
  const { page } = admin
  await admin.sees('Kiosk')
  const panel = page.getByRole('region', { name: t('clients.refusals') })
  await panel.getByText(t('reasons.pkce')).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await person.request(authorizePath(application, { redirect_uri: 'https://kiosk.example/other' }))
  await page.reload()
  await panel.getByText('https://kiosk.example/other').waitFor()
  await pressesByKeys(panel.getByRole('button', { name: `${t('clients.edit')} · ${t('clients.addresses')}`, exact: true }))
  await page.getByRole('dialog', { name: t('clients.editAddresses', { name: 'Kiosk' }) }).waitFor()
  await page.keyboard.press('Escape')
  await pressesByKeys(panel.getByRole('button', { name: t('clients.remedyPkce'), exact: true }))
  await panel.getByRole('button', { name: t('clients.remedyPkce'), exact: true }).waitFor({ state: 'detached' })
  await codeFor(person, application, plain)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
