import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { mailTo } from '../support/mailbox.ts'
import { type Person, person } from '../support/people.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'

let smtp: Smtp
let app: TestApp
let browser: Browser
beforeAll(async () => {
  smtp = await startSmtp()
  app = await testApp({
    config: {
      smtpUrl: smtp.url,
      accounts: { requireEmailVerification: true, deleteUserVerification: true, newDeviceMail: false },
      oidc: { rsaModulusLength: 2048 },
    },
  })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await smtp?.stop()
})

const newPassword = 'another long battery'

// The pages here are read in Russian, because they are written in English and the other files read them in English.
const i18n = await loadI18n('ru', [], ['account', 'links'])
const { t } = i18n

describe('the pages of the account', () => {
  const email = 'ann@example.com'
  const nextEmail = 'new@example.com'
  let ann: Person
  let mails = 0

  beforeAll(async () => {
    ann = await person(app, browser, i18n, '/sign-up')
  })
  afterAll(() => ann?.leaves())

  const nextMail = async (address = email, count?: number) => {
    mails += address === email ? 1 : 0
    return mailTo(smtp, address, count ?? mails)
  }

  test('a person signs up, opens the link of the mail and signs in', async () => {
    await ann.sees(t('signUp.title'))
    await ann.fills({ [t('field.name')]: 'Ann', [t('field.email')]: email, [t('field.password')]: password })
    await ann.presses(t('signUp.submit'))
    await ann.sees(t('checkEmail.title'))
    await ann.open((await nextMail()).link)
    await ann.sees(t('confirmEmail.title'))
    await ann.presses(t('confirmEmail.submit'))
    await ann.sees(t('verified.title'))
    await ann.follows(t('common.continue'))
    await ann.sees(t('signIn.title'))
    await ann.signsInOnPage(email)
    await ann.sees(t('account.title'))
    await ann.reads(t('account.verified'))
  })

  test('each section of the account has its own address and is reached by mouse and by keyboard', async () => {
    for (const key of ['profile', 'email', 'password', 'signInMethods', 'devices'] as const) {
      await ann.follows(t(`account.${key}`))
      await ann.page.waitForURL(`**/account/${key === 'signInMethods' ? 'linked' : key}`)
      await ann.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
      await ann.sees(t(`account.${key}`))
      expect(await ann.page.evaluate('document.activeElement.tagName')).toBe('H1')
    }
    await ann.page.goBack()
    await ann.sees(t('account.signInMethods'))
    await ann.page.goForward()
    await ann.sees(t('account.devices'))
    await ann.page.reload()
    await ann.sees(t('account.devices'))
  })

  test('a person sees their sessions and ends a session of another browser', async () => {
    const elsewhere = app.client()
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' }
    await elsewhere.post('/sign-in/email', { email, password }, agent)
    await ann.open('/account/devices')
    await ann.reads(t('devices.current'))
    await ann.presses(t('devices.endName', { device: t('account.deviceText', { browser: 'Firefox', system: 'Windows' }) }))
    await ann.reads(t('devices.none'))
    expect(await elsewhere.api.sessions.getSession()).toBeNull()
    await ann.sees(t('account.devices'))
  })

  test('a person changes their name and picture', async () => {
    await ann.open('/account/profile')
    await ann.fills({ [t('field.name')]: '', [t('field.picture')]: 'no address' })
    await ann.presses(t('common.save'))
    await ann.reads(t('problem.nameMissing'))
    await ann.reads(t('problem.pictureInvalid'))
    await ann.sees(t('account.profile'))
    await ann.fills({ [t('field.name')]: 'Ann <i>B', [t('field.picture')]: 'https://example.com/ann.png' })
    await ann.presses(t('common.save'))
    await ann.reads(t('common.saved'))
    await ann.follows(t('account.overview'))
    await ann.reads('Ann <i>B')
  })

  test('a person who forgot the password sets a new one through the mailed link', async () => {
    await ann.presses(t('account.signOut'))
    await ann.sees(t('signIn.title'))
    await ann.follows(t('signIn.forgot'))
    await ann.sees(t('forgot.title'))
    await ann.fills({ [t('field.email')]: email })
    await ann.presses(t('forgot.submit'))
    await ann.sees(t('checkEmail.title'))
    const { link } = await nextMail()
    await ann.open(link)
    await ann.sees(t('reset.title'))
    expect(new URL(ann.page.url()).search).toBe('')
    await ann.page.reload()
    await ann.fills({ [t('field.newPassword')]: 'short' })
    await ann.presses(t('reset.submit'))
    await ann.reads(t('problem.passwordTooShort', { count: 8 }))
    await ann.fills({ [t('field.newPassword')]: newPassword })
    await ann.presses(t('reset.submit'))
    await ann.sees(t('reset.doneTitle'))
    await nextMail()
    await ann.open(link)
    await ann.sees(t('reset.invalidTitle'))
    await ann.signsIn(email, newPassword)
  })

  test('the page after a request for a new password looks the same for an email address without an account', async () => {
    await ann.open('/forgot-password')
    await ann.fills({ [t('field.email')]: 'nobody@example.com' })
    await ann.presses(t('forgot.submit'))
    await ann.sees(t('checkEmail.title'))
  })

  test('a person changes their password', async () => {
    await ann.open('/account/password')
    const [current, next] = [t('field.currentPassword'), t('field.newPassword')]
    await ann.fills({ [current]: 'not my password', [next]: password })
    await ann.presses(t('password.submit'))
    await ann.reads(t('problem.passwordWrong'))
    await ann.sees(t('account.password'))
    await ann.fills({ [current]: newPassword, [next]: password })
    await ann.presses(t('password.submit'))
    await ann.reads(t('password.doneOthers'))
    await nextMail()
  })

  test('a person changes their email address: the old address confirms first, then the new address', async () => {
    await ann.open('/account/email')
    await ann.fills({ [t('field.newEmail')]: email })
    await ann.presses(t('email.change'))
    await ann.reads(t('problem.emailSame'))
    await ann.fills({ [t('field.newEmail')]: nextEmail })
    await ann.presses(t('email.change'))
    const { link } = await nextMail()
    await ann.sees(t('account.email'))
    await ann.open(link)
    await ann.page.waitForURL('**/account/email?changed=1')
    await ann.reads(t('account.unverified'))
    await ann.sees(t('account.email'))
    await ann.open((await nextMail(nextEmail, 1)).link)
    await ann.page.waitForURL('**/account/email?changed=1')
    await ann.reads(t('account.verified'))
    await ann.open(link)
    await ann.sees(t('error.link.title'))
  })

  test('a person confirms an account created elsewhere with its password, or takes over an account that a stranger created with their address', async () => {
    const made = 'made@example.com'
    await app.client().post('/sign-up/email', { name: 'Made', email: made, password, callbackURL: '/verified' })
    const { link } = await mailTo(smtp, made, 1)
    const elsewhere = await person(app, browser, i18n, link)
    await elsewhere.sees(t('confirmEmail.title'))
    expect(elsewhere.page.url()).not.toContain('token=')
    await elsewhere.fills({ [t('field.password')]: 'not the password' })
    await elsewhere.presses(t('confirmEmail.submit'))
    await elsewhere.reads(t('problem.passwordWrong'))
    await elsewhere.presses(t('confirmEmail.notMine'))
    await elsewhere.sees(t('confirmEmail.claimTitle'))
    await elsewhere.presses(t('confirmEmail.usePassword'))
    await elsewhere.fills({ [t('field.password')]: password })
    await elsewhere.presses(t('confirmEmail.submit'))
    await elsewhere.sees(t('verified.title'))

    const squatted = 'squatted@example.com'
    await app.client().post('/sign-up/email', { name: 'Squatter', email: squatted, password, callbackURL: '/verified' })
    await elsewhere.open((await mailTo(smtp, squatted, 1)).link)
    await elsewhere.sees(t('confirmEmail.title'))
    await elsewhere.presses(t('confirmEmail.notMine'))
    await elsewhere.fills({ [t('field.newPassword')]: newPassword })
    await elsewhere.presses(t('confirmEmail.claimSubmit'))
    await elsewhere.sees(t('verified.title'))
    await elsewhere.signsIn(squatted, newPassword)
    await elsewhere.leaves()
  })

  test('the owner of an account takes it back through the notice sent to the former email address', async () => {
    const [old, next] = ['old@example.com', 'next@example.com']
    const thief = app.client()
    await thief.post('/sign-up/email', { name: 'Old', email: old, password })
    await thief.request((await mailTo(smtp, old, 1)).link)
    await thief.post('/sign-in/email', { email: old, password })
    await thief.post('/change-email', { newEmail: next })
    await thief.request((await mailTo(smtp, old, 2)).link)
    const { link } = await mailTo(smtp, old, 3)
    const owner = await person(app, browser, i18n, link)
    await owner.sees(t('recover.title'))
    await owner.fills({ [t('field.newPassword')]: newPassword })
    await owner.presses(t('recover.submit'))
    await owner.sees(t('recover.doneTitle'))
    await owner.open(link)
    await owner.sees(t('error.link.title'))
    await owner.signsIn(old, newPassword)
    expect(await thief.api.sessions.getSession()).toBeNull()
    await owner.leaves()
  })

  test('a person deletes their account through a mailed link', async () => {
    await ann.open('/account/delete')
    const confirm = t('delete.confirm', { email: nextEmail })
    await ann.fills({ [confirm]: email, [t('field.password')]: password })
    await ann.presses(t('delete.submit'))
    await ann.reads(t('delete.confirmWrong'))
    await ann.fills({ [confirm]: nextEmail, [t('field.password')]: password })
    await ann.presses(t('delete.submit'))
    const { link } = await nextMail(nextEmail, 2)
    await ann.sees(t('account.delete'))
    const elsewhere = await person(app, browser, i18n, link)
    await elsewhere.sees(t('error.otherBrowser.title'))
    await elsewhere.leaves()
    await ann.open(link)
    await ann.sees(t('deleted.title'))
    await ann.open('/account')
    await ann.sees(t('signIn.title'))
  })

  test('no page of the account reported an error or a policy violation', () => expect(ann.problems()).toEqual([]))
})
