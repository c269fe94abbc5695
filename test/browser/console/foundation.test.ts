/** The basics of the console: access, its language and appearance, and use by keyboard alone. */
import { expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, withConsole } from '../../support/console.ts'
import { pressesByKeys, reaches } from '../../support/keys.ts'
import { person } from '../../support/people.ts'

const { t } = consoleTexts

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
    'nobody@example.com': { name: 'Nora Nobody' },
    'mallory@example.com': { name: 'Mallory Mule' },
  },
  { config: { oidc: { rsaModulusLength: 2048 } } },
)

test('a person returns to the requested console address after the sign-in, and an administrator finds the users by typing', async () => {
  const admin = await person(house.app, house.browser, consoleTexts, '/admin/users')
  const { page } = admin
  await page.waitForURL('**/sign-in**')
  await admin.fills({ [t('field.email')]: 'admin@example.com', [t('field.password')]: password })
  await admin.presses(t('signIn.submit'))
  await page.waitForURL('**/admin/users')
  await admin.sees(t('people.users'))
  await page.getByRole('link', { name: 'Nora Nobody' }).waitFor()
  expect(await page.title()).toMatch(/^Users · /)
  await pictures(page, 'users')
  await page.keyboard.press('/')
  await page.keyboard.type('mall')
  await page.waitForURL('**/admin/users?search=mall')
  await page.getByRole('link', { name: 'Nora Nobody' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Mallory Mule' }).waitFor()
  await reaches(page.locator('h1'))
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: t('console.keys.title') }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  // From the search by keys to the first row, its preview, and its screen.
  await reaches(page.locator('h1'))
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: t('console.peek.region') }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'peek')
  await page.keyboard.press('Enter')
  await admin.sees('Mallory Mule')
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('H1')
  await pictures(page, 'user')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a browser that prefers German gets the console in German from the first byte, and a menu changes the language without a reload', async () => {
  const german = await loadI18n('de', [], ['console', 'consolePeople'])
  const admin = await person(house.app, house.browser, german, '/admin/users', 'admin@example.com')
  const { page } = admin
  await admin.sees(german.t('people.users'))
  const first = await house.app.client().request('/admin/users', { headers: { accept: 'text/html', 'accept-language': 'de' } })
  expect(first.text).toContain('<html lang="de" class="inside">')
  expect(first.text).toContain(`<title>${german.t('console.title')} · `)
  const ukrainian = await loadI18n('uk', [], ['console', 'consoleFindings', 'consolePeople'])
  await page.getByRole('button', { name: 'Grace Hopper' }).click()
  await page.getByRole('menuitemradio', { name: 'Українська' }).click()
  await page.getByRole('heading', { level: 1, name: ukrainian.t('people.users') }).waitFor()
  expect(await page.getAttribute('html', 'lang')).toBe('uk')
  await page.getByRole('columnheader', { name: ukrainian.t('people.secondFactor') }).waitFor()
  // Findings of the server and their remedies are in the same language.
  await admin.open('/admin/health')
  await page.getByText(ukrainian.t('findings.backup-missing'), { exact: true }).waitFor()
  await page.getByText(ukrainian.t('findings.weak-hashing.remedy')).waitFor()
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a person without instance permissions is told so, and which roles have some', async () => {
  const nobody = await house.arrives('nobody@example.com', '/admin')
  await nobody.sees(t('console.noAccess.title'))
  await nobody.reads('admin, auditor, and support')
  await pictures(nobody.page, 'no-access')
  expect(nobody.problems()).toEqual([])
  await nobody.leaves()
})

test('a list shows the API call with the same result, and an unknown console address says that there is no such screen', async () => {
  const support = await house.arrives('support@example.com', '/admin/users')
  const { page } = support
  await support.sees(t('people.users'))
  await page.getByLabel(t('people.filterBanned')).selectOption('false')
  await page.waitForURL('**/admin/users?banned=false')
  await support.presses(t('console.call.query'))
  const call = page.getByRole('textbox', { name: t('console.call.api') })
  expect(await call.inputValue()).toContain(`curl -s '${house.app.url}/admin/users?banned=false'`)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await support.open('/admin/nowhere')
  await support.sees(t('console.notFound.title'))
  await support.open('/admin/sessions')
  await support.sees(t('people.sessions'))
  await pictures(page, 'sessions')
  expect(support.problems()).toEqual([])
  await support.leaves()
})

test('the chosen appearance overrides the appearance of the system and survives a reload', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/users')
  const { page } = admin
  await admin.sees(t('people.users'))
  const ground = () => page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--surface').trim()")
  const light = await ground()
  await page.getByRole('button', { name: 'Grace Hopper' }).click()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'menu')
  await page.getByRole('menuitemradio', { name: t('console.theme.dark') }).click()
  expect(await ground()).not.toBe(light)
  await page.reload()
  await admin.sees(t('people.users'))
  expect(await ground()).not.toBe(light)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the navigation on a phone is a drawer that the keyboard opens and closes', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/users')
  const { page } = admin
  await page.setViewportSize({ width: 390, height: 844 })
  await pressesByKeys(page.getByRole('button', { name: t('console.openMenu') }))
  await page
    .getByRole('dialog')
    .getByRole('link', { name: t('console.screen.sessions') })
    .waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'drawer')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a browser that prefers French gets the console in French: list, command palette, keyboard help and API call', async () => {
  const french = await loadI18n('fr', [], ['console', 'consolePeople'])
  const admin = await house.arrives('admin@example.com', '/admin/users', french)
  const { page } = admin
  await admin.sees(french.t('people.users'))
  await page.getByRole('link', { name: 'Nora Nobody' }).waitFor()
  expect(await page.title()).toMatch(/^Utilisateurs · /)
  // A missing text would show its key.
  expect(await page.locator('body').innerText()).not.toMatch(/\b(console|people)\.[a-z]/i)
  await pictures(page, 'users-french')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: french.t('console.palette.label') })
  await palette.fill('mallory')
  await page.getByRole('option', { name: 'Mallory Mule' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await reaches(page.locator('h1'))
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: french.t('console.keys.title') }).waitFor()
  await page.keyboard.press('Escape')
  await admin.presses(french.t('console.call.query'))
  const call = page.getByRole('textbox', { name: french.t('console.call.api') })
  expect(await call.inputValue()).toContain(`curl -s ${house.app.url}/admin/users`)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a screen whose code does not load says so in its place, and the other screens work', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/users')
  const { page } = admin
  await admin.sees(t('people.users'))
  await page.route('**/assets/sessions-*.js', (route) => route.abort())
  await page.getByRole('link', { name: t('console.screen.sessions'), exact: true }).click()
  await page
    .getByRole('alert')
    .getByRole('heading', { name: t('console.fault.title') })
    .waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'fault')
  await page.getByRole('link', { name: t('console.screen.users'), exact: true }).click()
  await admin.sees(t('people.users'))
  await page.unroute('**/assets/sessions-*.js')
  await page.goBack()
  await page.getByRole('button', { name: t('console.fault.again') }).click()
  await admin.sees(t('people.sessions'))
  await admin.leaves()
})

test('if the console is opened at a screen whose texts do not load, the screen says so in its place, and the other screens work', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/events')
  const { page } = admin
  await page.route('**/assets/*.js', async (route) => {
    const answer = await route.fetch()
    return (await answer.text()).includes('"people.sessions":') ? route.abort() : route.fulfill({ response: answer })
  })
  await page.goto(`${house.app.url}/admin/sessions`)
  await page
    .getByRole('alert')
    .getByRole('heading', { name: t('console.fault.title') })
    .waitFor()
  await page.getByRole('link', { name: t('console.screen.users'), exact: true }).waitFor()
  await page.unroute('**/assets/*.js')
  await admin.leaves()
})
