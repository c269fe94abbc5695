/** An instance is set up without a terminal: from the set-up link to the first sign-in to an application, by mouse and by keyboard. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { authorizePath } from '../../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../../support/browser.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { areQuiet, canBeFollowed, listens } from '../../support/followed-page.ts'
import { pressesByKeys } from '../../support/keys.ts'
import { mailTo } from '../../support/mailbox.ts'
import { person } from '../../support/people.ts'
import { startSmtp } from '../../support/smtp.ts'

const i18n = await loadI18n(
  'en',
  [],
  [
    ...([
      'links',
      'userNames',
      'consent',
      'console',
      'consoleOverview',
      'consoleSettings',
      'consoleWays',
      'consoleMail',
    ] as const),
    ...(['consolePeople', 'consoleApplications', 'consoleSystem', 'consoleReasons', 'account', 'secondFactor'] as const),
  ],
)
const { t } = i18n

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

/** Presses by mouse: each is one click. */
const byMouse = (control: Locator) => control.click()

interface Hand {
  readonly press: (control: Locator) => Promise<void>
  readonly choose: (control: Locator) => Promise<void>
}
const hands: Readonly<Record<'mouse' | 'keys', Hand>> = {
  mouse: { press: byMouse, choose: byMouse },
  keys: {
    press: pressesByKeys,
    choose: async (control) => {
      await control.focus()
      await control.page().keyboard.press('Space')
    },
  },
}

/** The steps of the set-up on the first screen. */
const stepsOf = (page: Page) => page.getByRole('region', { name: /^Set up / })

/** Goes through every step of the set-up. Returns the number of presses. */
const setUp = async (app: TestApp, page: Page, hand: Hand, server: URL): Promise<number> => {
  let presses = 0
  const press = async (control: Locator) => {
    presses += 1
    await hand.press(control)
  }
  const choose = async (control: Locator) => {
    presses += 1
    await hand.choose(control)
  }
  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
  const link = (name: string) => stepsOf(page).getByRole('link', { name, exact: true })
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const save = async () => {
    await press(button(t('setting.review')))
    const dialog = page.getByRole('dialog')
    await dialog.locator('ins').first().waitFor()
    await press(button(t('setting.save'), dialog))
    await dialog.waitFor({ state: 'detached' })
  }
  const toOverview = () => press(page.getByRole('link', { name: t('console.screen.overview'), exact: true }).first())

  await field(t('field.name')).fill('Ada Admin')
  await field(t('field.email')).fill('ada@example.com')
  await field(t('field.password')).fill(password)
  await press(button(t('setup.submit')))

  await press(link(t('overview.step.brandDo')))
  await field(t('ways.brandName')).fill('Nordwind')
  await field(t('ways.brandColor')).fill('#0b5cad')
  await save()

  await toOverview()
  await press(link(t('overview.step.applicationDo')))
  await field(t('clients.name')).fill('Shop')
  await field(t('clients.redirectUris')).fill('https://rp.example/callback')
  await press(button(t('clients.create')))
  await press(page.getByRole('link', { name: t('clients.test'), exact: true }))
  await press(button(t('clients.testStart')))
  await page.waitForURL('**/consent**')
  await press(page.locator('button.button-primary').first())
  await page.getByText(t('clients.testDone')).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])

  await toOverview()
  await press(link(t('overview.step.colleagueDo')))
  await page.locator('[name=name]').fill('Grace Hopper')
  await page.locator('[name=email]').fill('grace@example.com')
  await choose(page.getByRole('checkbox', { name: /^admin / }))
  await press(button(t('people.create')))
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()

  await toOverview()
  await press(link(t('overview.step.mailDo')))
  await field(t('mail.server.host')).fill(server.hostname)
  await field(t('mail.server.encryption')).selectOption('starttls')
  await field(t('mail.server.port')).fill(server.port)
  await save()
  await press(button(t('mail.testSend')))
  await page.getByText('ada@example.com:').waitFor()

  await toOverview()
  await press(link(t('overview.step.second-factorDo')))
  await choose(page.getByRole('radio', { name: t('setting.requiredFor.administrators'), exact: true }))
  await save()

  await toOverview()
  await press(link(t('overview.step.backupDo')))
  await page.getByRole('textbox', { name: /backup\.directory$/ }).fill(temporaryDirectory())
  await choose(page.getByRole('checkbox', { name: /backup\.withoutKeys$/ }))
  await save()
  await press(button(t('system.makeBackup')))
  await press(button(t('system.makeBackup'), page.getByRole('dialog')))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await listens(page)
  await areQuiet(app, page)
  await page.getByRole('row').getByText(t('system.backup.made')).waitFor()

  await toOverview()
  await page.getByRole('region', { name: t('overview.findings') }).waitFor()
  await expect.poll(() => stepsOf(page).count()).toBe(0)
  expect((await app.app.setupSteps.list()).map(({ state }) => state)).toEqual(Array(7).fill('done'))
  return presses
}

// Other tests use the same screens by mouse, each on its own.
const chosen = Object.entries(hands).filter(([name]) => name === 'keys' || process.env['GATEHOUSE_TEST_FULL'] === '1')

test.each(chosen)(
  'an instance is set up only in the console, up to the first sign-in to its first application: by %s',
  async (_, hand) => {
    const smtp = await startSmtp()
    const app = await testApp()
    try {
      const { url } = await app.app.setup.createSetupLink(systemPrincipal('test'))
      const { pathname, search } = new URL(url)
      const admin = await person(app, browser, i18n, pathname + search, undefined, canBeFollowed)
      const presses = await setUp(app, admin.page, hand, new URL(smtp.url))
      // Each step takes one press to open, and one or two to save.
      expect(presses).toBeLessThanOrEqual(32)
      expect(admin.problems()).toEqual([])
      await mailTo(smtp, 'ada@example.com', 1)
      await admin.leaves()

      // A new person arrives from the application.
      const [{ client_id: clientId } = { client_id: '' }] = await app.app.core.db.knex('oauth_client').select('client_id')
      const path = authorizePath({ clientId, secret: undefined }, { scope: 'openid email' })
      const guest = await person(app, browser, i18n, path)
      const { page } = guest
      await guest.follows(t('signIn.signUp'))
      await guest.fills({
        [t('field.name')]: 'Gus Guest',
        [t('field.email')]: 'gus@example.com',
        [t('field.password')]: password,
      })
      await hand.press(page.getByRole('button', { name: t('signUp.submit'), exact: true }))
      await page.waitForURL('**/consent**')
      await page.getByText('Nordwind').first().waitFor()
      // The application does not listen. A redirect of the browser to it with a code is the sign-in.
      await Promise.all([
        page.waitForRequest(/^https:\/\/rp\.example\/callback\?code=/),
        hand.press(page.locator('button.button-primary').first()),
      ])
      await guest.leaves()
    } finally {
      await app.stop()
      await smtp.stop()
    }
  },
)
