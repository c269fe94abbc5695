/** Sign-in and sign-up without a script, with the address first, with user names, or without passwords. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTexts } from '../../../admin-ui/texts.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { authorizePath, register } from '../oidc/flow.ts'

const texts = readTexts()['pages']
const said = (catalogue: string, key: string) => String(texts?.['en']?.[catalogue]?.[key])

const keys = { clientId: 'id', clientSecret: 'secret' }
const inBrowser = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
const pageOf = async (t: TestApp, path: string) => (await fetch(t.url + path, { headers: inBrowser })).text()
const cardOf = (html: string) => /<div class="early">.*(?=<footer)/s.exec(html)?.[0] ?? ''
const post = async (t: TestApp, path: string, fields: Readonly<Record<string, string>>) => {
  const answer = await fetch(t.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...inBrowser, origin: t.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    refresh: answer.headers.get('refresh'),
    hasSession: answer.headers.getSetCookie().some((cookie) => cookie.startsWith('gatehouse.session=')),
    text: await answer.text(),
  }
}

describe('sign-in forms that ask for the address first', () => {
  let t: TestApp
  beforeAll(async () => {
    t = await testApp({ config: { accounts: { addressFirst: true } } })
    await t.signedIn('ann@example.com')
  })
  afterAll(() => t.stop())

  test('the first form asks only for the email address, and the next page for the password, with address and destination kept', async () => {
    const first = cardOf(await pageOf(t, '/sign-in?callbackURL=%2Faccount%2Fdevices&ui_locales=en'))
    expect(first).toContain('<form class="form" method="get">')
    expect(first).not.toContain(' name="password"')
    expect(first).toMatch(/<input[^>]* required=""[^>]* name="email"/)
    expect(first).toContain('<input type="hidden" name="callbackURL" value="/account/devices">')
    expect(first).toContain('<input type="hidden" name="ui_locales" value="en">')
    const path = '/sign-in?callbackURL=%2Faccount%2Fdevices&email=ann%40example.com'
    const second = cardOf(await pageOf(t, path))
    expect(second).toMatch(/name="email"[^>]* value="ann@example.com"/)
    expect(second).toMatch(/<input[^>]* autofocus=""[^>]* name="password"|<input[^>]* name="password"[^>]* autofocus=""/i)
    const answer = await post(t, path, { email: 'ann@example.com', password })
    expect([answer.status, answer.location, answer.hasSession]).toEqual([302, '/account/devices', true])
  })

  test('the sign-in of an application keeps its interaction from the email address to the password', async () => {
    const client = await register(t, { skipConsent: true })
    const started = await t.client().fetch(authorizePath(client))
    const path = started.headers.get('location') ?? ''
    const interaction = new URLSearchParams(path.split('?')[1]).get('interaction')
    expect(await pageOf(t, path)).toContain(`<input type="hidden" name="interaction" value="${interaction}">`)
    const answer = await post(t, `${path}&email=ann%40example.com`, { email: 'ann@example.com', password })
    expect([answer.refresh, answer.hasSession]).toEqual([`0;url=/interaction/${interaction}`, true])
  })

  test('a wrong password keeps the email address, and the error is shown at the password field', async () => {
    const wrong = await post(t, '/sign-in?email=ann%40example.com', { email: 'ann@example.com', password: 'not it at all' })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toMatch(/aria-invalid="true"[^>]* name="password"|name="password"[^>]* aria-invalid="true"/)
    expect(wrong.text).toContain('value="ann@example.com"')
  })

  test('no page contains the email address of another request, and no email address is interpreted as HTML', async () => {
    expect(await pageOf(t, '/sign-in?email=%22%3E%3Ci%3E&callbackURL=%22%3E%3Cb%3E')).not.toMatch(/"><[ib]>/)
    await pageOf(t, '/sign-in?email=mallory%40example.com&callbackURL=%2Fmallory')
    expect(await pageOf(t, '/sign-in')).not.toContain('mallory')
    expect(await pageOf(t, '/sign-in?email=ann%40example.com')).not.toContain('mallory')
  })
})

describe('sign-in forms with user names', () => {
  let t: TestApp
  beforeAll(async () => {
    t = await testApp({ config: { accounts: { userNames: { mode: 'required' } } } })
    const input = { name: 'Ann', email: 'ann@example.com', password, username: 'ann.smith' }
    expect((await t.client().post('/sign-up/email', input)).status).toBe(200)
  })
  afterAll(() => t.stop())

  test('the sign-in form accepts an email address or a user name', async () => {
    const form = cardOf(await pageOf(t, '/sign-in'))
    expect(form).toContain(`>${said('userNames', 'field.emailOrName')}</label>`)
    expect(form).toMatch(/name="email" type="text"|type="text"[^>]* name="email"/)
    for (const email of ['ann@example.com', 'Ann.Smith'])
      expect(await post(t, '/sign-in', { email, password }), email).toMatchObject({ status: 302, hasSession: true })
  })

  test('a wrong user name or password, an invalid user name and an empty field are reported at their fields', async () => {
    const wrong = await post(t, '/sign-in', { email: 'ann.smith', password: 'not it at all' })
    expect([wrong.status, wrong.hasSession]).toEqual([401, false])
    expect(wrong.text).toContain(`<span>${said('userNames', 'serverError.INVALID_USERNAME_OR_PASSWORD')}</span>`)
    expect(wrong.text).toContain('value="ann.smith"')
    const short = await post(t, '/sign-in', { email: 'a', password })
    expect([short.status, short.text.includes(said('userNames', 'serverError.USERNAME_TOO_SHORT'))]).toEqual([422, true])
    expect(short.text).toMatch(/aria-invalid="true"[^>]* name="email"|name="email"[^>]* aria-invalid="true"/)
    const empty = await post(t, '/sign-in', { email: '', password })
    expect([empty.status, empty.text.includes(said('pages', 'problem.valueMissing'))]).toEqual([400, true])
  })

  test('the sign-up form asks for a user name, and reports errors at its field', async () => {
    const form = cardOf(await pageOf(t, '/sign-up'))
    expect(form).toContain('name="username"')
    const account = () => ({ name: 'Eve', email: `eve.${randomUUID()}@example.com`, password })
    const made = await post(t, '/sign-up', { ...account(), username: 'eve.jones' })
    expect([made.status, made.location, made.hasSession]).toEqual([302, '/account', true])
    expect((await post(t, '/sign-in', { email: 'eve.jones', password })).hasSession).toBe(true)
    const taken = await post(t, '/sign-up', { ...account(), username: 'eve.jones' })
    expect([taken.hasSession, taken.text.includes(said('userNames', 'serverError.USERNAME_IS_ALREADY_TAKEN'))]).toEqual([
      false,
      true,
    ])
    expect(taken.text).toContain('value="eve.jones"')
    const missing = await post(t, '/sign-up', { ...account(), username: ' ' })
    expect([missing.status, missing.hasSession]).toEqual([400, false])
    expect(missing.text).toContain(`<span>${said('pages', 'problem.valueMissing')}</span>`)
  })
})

test('while user names are off the sign-in form refuses a user name, with an error at the field', async () => {
  const t = await testApp()
  const answer = await post(t, '/sign-in', { email: 'ann.smith', password })
  expect([answer.status, answer.text.includes(said('pages', 'problem.emailInvalid'))]).toEqual([400, true])
  expect(cardOf(await pageOf(t, '/sign-up'))).not.toContain('name="username"')
  await t.stop()
})

describe('sign-in forms without passwords', () => {
  const passwordless = (config: object) =>
    testApp({ config: { accounts: { emailPasswordEnabled: false }, passkeys: { enabled: false }, ...config } })

  test('without passwords the pages for sign-in and sign-up have the buttons of providers and a link to the sign-in by mail', async () => {
    const t = await passwordless({
      social: { github: keys, gitlab: keys, discord: keys },
      mailSignIn: { enabled: true, signUp: true },
    })
    const card = cardOf(await pageOf(t, '/sign-in?callbackURL=%2Faccount%2Fdevices'))
    expect(card).not.toContain('name="password"')
    expect(card).not.toContain('name="email"')
    expect(card).not.toContain('social-many')
    expect([...card.matchAll(/type="submit" value="(\w+)"/g)].map(([, id]) => id)).toHaveLength(3)
    expect(card.indexOf('name="provider"')).toBeLessThan(card.indexOf('/mail-sign-in'))
    const left = await post(t, '/sign-in?callbackURL=%2Faccount%2Fdevices', { provider: 'github' })
    expect(left.refresh).toMatch(/^0;url=https:\/\/github\.com\//)
    const unknown = await post(t, '/sign-in', { provider: 'nobody' })
    expect([unknown.status, unknown.text.includes(said('pages', 'problem.providerOff'))]).toEqual([404, true])
    const signUp = cardOf(await pageOf(t, '/sign-up'))
    expect(signUp).toContain('name="provider"')
    expect(signUp).toContain(said('pages', 'signUp.haveAccount'))
    await t.stop()
  })

  test('a sign-in page without any sign-in method says that there is none', async () => {
    const t = await passwordless({})
    expect(cardOf(await pageOf(t, '/sign-in'))).toContain(said('pages', 'signIn.noWay'))
    await t.stop()
  })

  test('the sign-in form has no link to a password reset if resets are off', async () => {
    const t = await testApp({ config: { accounts: { passwordResetEnabled: false } } })
    const card = cardOf(await pageOf(t, '/sign-in'))
    expect(card).toContain('name="password"')
    expect(card).not.toContain('/forgot-password')
    await t.stop()
  })
})

describe('forms of the sign-in by mail', () => {
  const path = '/mail-sign-in?callbackURL=%2Faccount%2Fdevices'
  let t: TestApp
  beforeAll(async () => {
    t = await testApp({ config: { accounts: { emailPasswordEnabled: false }, mailSignIn: { enabled: true, signUp: true } } })
  })
  afterAll(() => t.stop())

  /** Posts of one browser, which keeps its cookies. */
  const browserOf = () => {
    const cookies = new Map<string, string>()
    return async (to: string, fields: Readonly<Record<string, string>>, origin = t.url) => {
      const answer = await fetch(t.url + to, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          ...{ ...inBrowser, origin, 'content-type': 'application/x-www-form-urlencoded' },
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
        body: new URLSearchParams(fields).toString(),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        cookies.set(name, value)
      }
      return { status: answer.status, location: answer.headers.get('location'), text: await answer.text(), cookies }
    }
  }
  const codeOf = async (email: string) => /\b\d{6}\b/.exec((await t.mailTo(email, 'sign-in')).raw)?.[0] ?? ''

  test('the sign-in form mails a code, the next form accepts the code, and the person arrives at the requested page', async () => {
    const post = browserOf()
    const email = `eve.${randomUUID()}@example.com`
    expect(cardOf(await pageOf(t, path))).toContain('name="email"')
    const asked = await post(path, { email })
    expect([asked.status, asked.location]).toEqual([
      302,
      `/mail-sign-in?${new URLSearchParams({ email, sent: '1', callbackURL: '/account/devices' })}`,
    ])
    const next = asked.location ?? ''
    const card = cardOf(await pageOf(t, next))
    expect(card).toContain('name="code"')
    expect(card).toContain(`If you can sign in with ${email}, a mail is on its way.`)
    const wrong = await post(next, { email, code: '000000' })
    expect(wrong.text).toContain(`<span>${said('secondFactor', 'serverError.INVALID_OTP')}</span>`)
    const missing = await post(next, { email, code: '' })
    expect([missing.status, missing.text.includes(said('secondFactor', 'code.missing'))]).toEqual([400, true])
    const signedIn = await post(next, { email, code: await codeOf(email) })
    expect([signedIn.status, signedIn.location, signedIn.cookies.has('gatehouse.session')]).toEqual([
      302,
      '/account/devices',
      true,
    ])
  })

  test('a mailed code works only in the browser that requested it, and another origin cannot request a code', async () => {
    const email = `eve.${randomUUID()}@example.com`
    await browserOf()(path, { email })
    const other = await browserOf()(path, { email, code: await codeOf(email) })
    expect([other.status, other.cookies.has('gatehouse.session')]).toEqual([400, false])
    expect((await browserOf()(path, { email }, 'https://evil.example')).status).toBe(403)
  })

  test('neither the mailed link nor the code redirects to a foreign address', async () => {
    const post = browserOf()
    const email = `eve.${randomUUID()}@example.com`
    await post(path, { email })
    const code = await codeOf(email)
    for (const url of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      const elsewhere = `/mail-sign-in?${new URLSearchParams({ callbackURL: url })}`
      for (const fields of [{ email }, { email, code }]) {
        const answer = await post(elsewhere, fields)
        expect([answer.status >= 400, answer.location, answer.cookies.has('gatehouse.session')]).toEqual([true, null, false])
      }
    }
    expect((await post(path, { email, code })).location).toBe('/account/devices')
  })

  test('an invalid email address is reported at its field', async () => {
    const answer = await browserOf()(path, { email: 'eve' })
    expect([answer.status, answer.text.includes(said('pages', 'problem.emailInvalid'))]).toEqual([400, true])
  })
})
