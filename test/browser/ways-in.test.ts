import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser } from '../support/browser.ts'
import { type Person, person } from '../support/people.ts'
import { codeOf } from '../support/totp.ts'

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { accounts: { newDeviceMail: false } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const i18n = await loadI18n('en', [], ['account', 'secondFactor'])
const { t } = i18n
const waysIn = '/account/linked'

/** Signs up and opens a page in the browser of a new person. */
const newcomer = async (email: string, path = waysIn): Promise<Person> => {
  await app.signedIn(email)
  return await person(app, browser, i18n, path, email)
}

/** Connects a virtual authenticator to the browser, like that of a telephone or laptop. */
const plugIn = async ({ page }: Person) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return {
    refuses: () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
    agrees: () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true }),
  }
}

const dialog = ({ page }: Person) => page.getByRole('dialog', { name: t('proof.title') })
const confirms = ({ page }: Person, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const secretOf = async ({ page }: Person) => ((await page.locator('.enrol-key').textContent()) ?? '').replaceAll(/\s/g, '')
const codeNow = (secret: string, steps = 0) => codeOf(`otpauth://totp/x?secret=${secret}`, steps)
const focused = ({ page }: Person) => page.evaluate<string>('document.activeElement.name || document.activeElement.textContent')
const faults = (someone: Person) => accessibilityFaults(someone.page)

/** Switches two-step verification on, on the page of the sign-in methods. Returns the secret of the app and the recovery codes. */
const switchesOn = async (ann: Person) => {
  await ann.presses(t('twoStep.switchOn'))
  await ann.page.getByRole('heading', { name: t('enrol.appTitle') }).waitFor()
  const secret = await secretOf(ann)
  await ann.page.getByLabel(t('enrol.code')).fill(codeNow(secret))
  await ann.page.getByRole('heading', { name: t('codes.title') }).waitFor()
  const codes = await ann.page.locator('.recovery-codes code').allTextContents()
  await ann.presses(t('codes.kept'))
  await ann.reads(t('twoStep.switchedOn'))
  return { secret, codes }
}

describe('two-step verification in the account area', () => {
  test('two-step verification takes effect after a correct code, and its recovery codes are shown once', async () => {
    const client = await app.signedIn('on@example.com')
    const ann = await person(app, browser, i18n, waysIn, 'on@example.com')
    await ann.sees(t('account.signInMethods'))
    await ann.presses(t('twoStep.switchOn'))
    await ann.page.getByRole('heading', { name: t('enrol.appTitle') }).waitFor()
    expect(await faults(ann)).toEqual([])
    expect(await client.api.twoFactor.status()).toMatchObject({ isEnabled: false })
    await ann.page.getByLabel(t('enrol.code')).fill('000000')
    await ann.reads(t('serverError.INVALID_CODE'))
    await ann.page.getByLabel(t('enrol.code')).fill(codeNow(await secretOf(ann)))
    await ann.page.getByRole('heading', { name: t('codes.title') }).waitFor()
    await expect.poll(() => focused(ann)).toBe(t('codes.title'))
    expect(await faults(ann)).toEqual([])
    const codes = await ann.page.locator('.recovery-codes code').allTextContents()
    expect(codes).toHaveLength(10)
    await ann.presses(t('codes.kept'))
    await ann.reads(t('twoStep.switchedOn'))
    await ann.reads(t('twoStep.codesLeft', { count: 10 }))
    expect(await faults(ann)).toEqual([])
    await ann.page.reload()
    await ann.reads(t('twoStep.codesLeft', { count: 10 }))
    expect(await ann.page.content()).not.toContain(codes[0])
    expect(ann.problems()).toEqual([])
    await ann.leaves()
  })

  test('a person creates new recovery codes and switches two-step verification off', async () => {
    const ann = await newcomer('off@example.com')
    const { codes } = await switchesOn(ann)
    const path = '/two-factor/status'
    const status = Promise.withResolvers<void>()
    await ann.page.route(`**${path}`, async (route) => {
      await status.promise
      await route.continue()
    })
    await ann.presses(t('twoStep.newCodesName'))
    await confirms(ann, t('twoStep.newCodes'))
    await ann.page.getByRole('heading', { name: t('codes.title') }).waitFor()
    const next = await ann.page.locator('.recovery-codes code').allTextContents()
    expect(next).toHaveLength(10)
    expect(next).not.toContain(codes[0])
    await ann.presses(t('codes.kept'))
    await ann.reads(t('twoStep.newCodesDone'))
    // The status arrives only now. The message stays, and the next action works.
    const arrived = ann.page.waitForResponse((response) => response.url().endsWith(path))
    status.resolve()
    await arrived
    await ann.reads(t('twoStep.codesLeft', { count: 10 }))
    await ann.reads(t('twoStep.newCodesDone'))
    await ann.presses(t('twoStep.switchOff'))
    await confirms(ann, t('twoStep.switchOff'))
    await ann.reads(t('twoStep.switchedOff'))
    await ann.page.getByRole('button', { name: t('twoStep.switchOn'), exact: true }).waitFor()
    await ann.leaves()
  })
})

test('replacing an authenticator app shows another key, and the old app stays valid until a code of the new app arrives', async () => {
  const ann = await newcomer('replaced@example.com')
  const { secret } = await switchesOn(ann)
  await ann.presses(t('twoStep.replaceApp'))
  await ann.page.getByRole('heading', { name: t('enrol.appTitle') }).waitFor()
  await ann.reads(t('twoStep.replaceText'))
  expect(await faults(ann)).toEqual([])
  const next = await secretOf(ann)
  expect(next).not.toBe(secret)
  await ann.page.getByLabel(t('enrol.code')).fill(codeNow(secret, 1))
  await ann.reads(t('serverError.INVALID_CODE'))
  await ann.page.getByLabel(t('enrol.code')).fill(codeNow(next))
  await ann.reads(t('twoStep.replaced'))
  await ann.reads(t('twoStep.codesLeft', { count: 10 }))
  await ann.leaves()
  const elsewhere = app.client()
  await elsewhere.post('/sign-in/email', { email: 'replaced@example.com', password })
  expect((await elsewhere.post('/two-factor/verify-totp', { code: codeNow(next, 1) })).status).toBe(200)
}, 60_000)

describe('passkeys in the account area', () => {
  test('passkeys are added, renamed and removed, and each step is confirmed by a message', async () => {
    const ann = await newcomer('keys@example.com')
    const authenticator = await plugIn(ann)
    await ann.open(waysIn)
    await ann.presses(t('passkeys.add'))
    const name =
      (await ann.page
        .locator('.row', { hasText: t('passkeys.oneDevice') })
        .locator('.row-title')
        .textContent()) ?? ''
    await ann.reads(t('passkeys.added', { name }))
    await ann.reads(t('passkeys.unused'))
    expect(await faults(ann)).toEqual([])
    await ann.presses(t('passkeys.add'))
    await ann.reads(t('passkey.exists'))
    await ann.presses(t('passkeys.renameName', { name }))
    await ann.page.getByRole('dialog').getByLabel(t('field.name')).fill('My telephone')
    expect(await faults(ann)).toEqual([])
    await ann.presses(t('common.save'))
    await ann.reads(t('passkeys.renamed', { name: 'My telephone' }))
    await ann.presses(t('passkeys.removeName', { name: 'My telephone' }))
    await confirms(ann, t('passkeys.remove'))
    await ann.reads(t('passkeys.removed', { name: 'My telephone' }))
    await authenticator.agrees()
    expect(ann.problems()).toEqual([])
    await ann.leaves()
  })
})

/** Makes the latest proof too old. */
const later = () => app.clock.advance({ hours: 25 })

const asksForAnotherAddress = async (ann: Person, newEmail: string) => {
  await ann.open('/account/email')
  await ann.fills({ [t('field.newEmail')]: newEmail })
  await ann.presses(t('email.change'))
  await dialog(ann)
    .getByRole('button', { name: t('common.cancel') })
    .waitFor()
}

describe('changes that need a recent proof', () => {
  test('a change asks for the password on the same page, and a wrong password, a cancel and the right password keep typed text', async () => {
    const ann = await newcomer('place@example.com')
    later()
    await asksForAnotherAddress(ann, 'new.place@example.com')
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill('not my password')
    await ann.presses(t('proof.submit'))
    await ann.reads(t('problem.passwordWrong'))
    expect(await faults(ann)).toEqual([])
    await ann.page.keyboard.press('Escape')
    await dialog(ann).waitFor({ state: 'detached' })
    await ann.reads(t('problem.notFresh'))
    expect(await ann.page.getByLabel(t('field.newEmail')).inputValue()).toBe('new.place@example.com')
    await expect.poll(() => focused(ann)).toBe(t('email.change'))
    await ann.page.keyboard.press('Enter')
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill(password)
    await ann.page.keyboard.press('Enter')
    await dialog(ann).waitFor({ state: 'detached' })
    await ann.reads(t('email.changed', { email: 'new.place@example.com' }))
    expect(ann.problems()).toEqual([])
    await ann.leaves()
  })

  test('a change asks people with two-step verification for a code of the authenticator app, or for a recovery code', async () => {
    const ann = await newcomer('code@example.com')
    const { secret, codes } = await switchesOn(ann)
    later()
    await asksForAnotherAddress(ann, 'new.code@example.com')
    await dialog(ann).getByLabel(t('code.label'), { exact: true }).fill('000000')
    await ann.reads(t('serverError.INVALID_CODE'))
    await dialog(ann).getByLabel(t('code.label'), { exact: true }).fill(codeNow(secret))
    // The app was added in this session, so it counts as a recent proof beside the password.
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill(password)
    await ann.presses(t('proof.submit'))
    await ann.reads(t('email.changed', { email: 'new.code@example.com' }))
    later()
    await asksForAnotherAddress(ann, 'next.code@example.com')
    expect(
      await dialog(ann)
        .getByRole('button', { name: t('field.password'), exact: true })
        .count(),
    ).toBe(0)
    await dialog(ann)
      .getByRole('button', { name: t('method.recoveryCode') })
      .click()
    await dialog(ann)
      .getByLabel(t('method.recoveryCode'))
      .fill(codes[0] ?? '')
    expect(await faults(ann)).toEqual([])
    await ann.presses(t('proof.submit'))
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill(password)
    await ann.presses(t('proof.submit'))
    await ann.reads(t('email.changed', { email: 'next.code@example.com' }))
    await ann.leaves()
  })

  test('a change asks people with a passkey for the passkey, and also for the password if the change requires it', async () => {
    const ann = await newcomer('key@example.com')
    const authenticator = await plugIn(ann)
    await ann.open(waysIn)
    await ann.presses(t('passkeys.add'))
    await ann.reads(t('passkeys.oneDevice'))
    later()
    await asksForAnotherAddress(ann, 'new.key@example.com')
    expect(await faults(ann)).toEqual([])
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill(password)
    await ann.presses(t('proof.submit'))
    await ann.reads(t('email.changed', { email: 'new.key@example.com' }))
    later()
    await ann.open(waysIn)
    await ann.page.getByRole('button', { name: /^Remove / }).click()
    await confirms(ann, t('passkeys.remove'))
    await dialog(ann)
      .getByRole('button', { name: t('method.passkey'), exact: true })
      .click()
    await ann.presses(t('passkey.use'))
    // The passkey was added in this session, so it counts as a recent proof beside the password.
    await dialog(ann).getByLabel(t('field.password'), { exact: true }).fill(password)
    await ann.presses(t('proof.submit'))
    await ann.page.getByText(t('passkeys.oneDevice')).waitFor({ state: 'detached' })
    await authenticator.agrees()
    await ann.leaves()
  })

  test('a person whose session ended signs in in another window, and then the open form is sent', async () => {
    const ann = await newcomer('over@example.com', '/account/profile')
    // A call of the page after the end of the session would open the dialog before the form is sent.
    await ann.page.waitForLoadState('networkidle')
    const elsewhere = app.client()
    await elsewhere.post('/sign-in/email', { email: 'over@example.com', password })
    await elsewhere.api.sessions.revokeOtherSessions()
    await ann.fills({ [t('field.name')]: 'Typed' })
    await ann.presses(t('common.save'))
    await ann.page.getByRole('dialog', { name: t('proof.signedOut') }).waitFor()
    expect(await faults(ann)).toEqual([])
    // The person signs in to another account by mistake: nothing is sent in its name.
    await app.signedIn('other@example.com')
    const signsIn = async (email: string) => {
      const opens = ann.page.waitForEvent('popup')
      await ann.presses(t('common.signInAgain'))
      const popup = await opens
      await popup.getByLabel(t('field.email')).fill(email)
      await popup.getByLabel(t('field.password'), { exact: true }).fill(password)
      await popup.keyboard.press('Enter')
      return popup
    }
    const wrong = await signsIn('other@example.com')
    await ann.reads(t('proof.otherAccount', { email: 'over@example.com', other: 'other@example.com' }))
    await wrong.context().clearCookies()
    await wrong.close()
    const closed = (await signsIn('over@example.com')).waitForEvent('close')
    await ann.page.getByRole('dialog').waitFor({ state: 'detached' })
    await closed
    await expect
      .poll(async () => (await app.app.core.db.knex('user').where({ email: 'over@example.com' }).first('name')).name)
      .toBe('Typed')
    expect(await ann.page.getByLabel(t('field.name'), { exact: true }).inputValue()).toBe('Typed')
    await ann.leaves()
  })

  test('a form that waits for a sign-in in another window is discarded and not sent if another account signs in or the person gives up', async () => {
    const ann = await newcomer('former@example.com', '/account/profile')
    await app.signedIn('latter@example.com')
    await ann.page.waitForLoadState('networkidle')
    const elsewhere = app.client()
    await elsewhere.post('/sign-in/email', { email: 'former@example.com', password })
    await elsewhere.api.sessions.revokeOtherSessions()
    await ann.fills({ [t('field.name')]: 'Typed' })
    await ann.presses(t('common.save'))
    await ann.page.getByRole('dialog', { name: t('proof.signedOut') }).waitFor()
    const opens = ann.page.waitForEvent('popup')
    await ann.presses(t('common.signInAgain'))
    const popup = await opens
    await popup.getByLabel(t('field.email')).fill('latter@example.com')
    await popup.getByLabel(t('field.password'), { exact: true }).fill(password)
    await popup.keyboard.press('Enter')
    await ann.reads(t('proof.otherAccount', { email: 'former@example.com', other: 'latter@example.com' }))
    await popup.close()
    const reloaded = ann.page.waitForEvent('load')
    await ann.presses(t('common.cancel'))
    await reloaded
    await expect.poll(() => ann.page.getByLabel(t('field.name'), { exact: true }).inputValue()).not.toBe('Typed')
    expect(await app.app.core.db.knex('user').where({ name: 'Typed', email: 'latter@example.com' })).toEqual([])
    await ann.leaves()
  })
})

test('a banner says by when a required second factor has to be added, and disappears once the factor is added', async () => {
  const ann = await newcomer('due@example.com')
  await app.app.core.db
    .knex('user')
    .where({ email: 'due@example.com' })
    .update({ second_factor_due: new Date(Date.now() + 3 * 86_400_000) })
  await ann.open('/account/profile')
  const banner = ann.page.getByRole('region', { name: t('twoStep.title'), exact: true })
  await banner.waitFor()
  expect(await faults(ann)).toEqual([])
  await banner.getByRole('button', { name: t('twoStep.switchOn') }).click()
  await ann.page.getByRole('heading', { name: t('enrol.appTitle') }).waitFor()
  await ann.page.getByLabel(t('enrol.code')).fill(codeNow(await secretOf(ann)))
  await ann.presses(t('codes.kept'))
  await ann.reads(t('twoStep.switchedOn'))
  await ann.open('/account/profile')
  await ann.sees(t('account.profile'))
  expect(await banner.count()).toBe(0)
  await ann.leaves()
})

test('a remembered browser is listed, and can be forgotten', async () => {
  const ann = await newcomer('browser@example.com')
  const { codes } = await switchesOn(ann)
  await ann.page.evaluate(
    `fetch('/two-factor/verify-backup-code', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: '${codes[0]}', trustDevice: true }) })`,
  )
  await ann.open(waysIn)
  const forget = ann.page.getByRole('button', { name: t('browsers.forget') })
  await forget.waitFor()
  expect(await faults(ann)).toEqual([])
  await forget.click()
  await forget.waitFor({ state: 'detached' })
  await ann.leaves()
})
