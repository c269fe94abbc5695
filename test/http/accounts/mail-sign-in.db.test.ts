import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { statementsOf } from '../../support/statements.ts'

let t: TestApp
/** An instance on which a sign-in by mail creates no account. */
let closed: TestApp
beforeAll(async () => {
  t = await testApp({ config: { mailSignIn: { enabled: true, signUp: true } } })
  // The instances are separate, because a second node would share the tasks of the first.
  closed = await testApp({ config: { mailSignIn: { enabled: true } } })
})
afterAll(async () => {
  await closed.stop()
  await t.stop()
})

interface Asked {
  readonly browser: Client
  readonly code: string
  /** Path and query of a link. */
  readonly link: string
}

const readMail = async (email: string, app = t): Promise<Omit<Asked, 'browser'>> => {
  // An earlier mail may already be in the mailbox, so this waits for one more.
  await app.mails()
  const { raw, link } = await app.mailTo(email, 'sign-in')
  const { pathname, search } = new URL(link)
  return { code: /^(\d{6})\s*$/m.exec(raw)?.[1] ?? '', link: `${pathname}${search}` }
}

/** Requests a mail in a browser and reads the mail. */
const ask = async (typed: string, browser = t.client(), body: Record<string, unknown> = {}): Promise<Asked> => {
  const email = typed.toLowerCase()
  const before = (await t.mailKinds(email)).length
  const answer = await browser.post('/sign-in/magic-link', { email: typed, ...body })
  expect([answer.status, answer.json]).toEqual([200, { status: true }])
  expect(await t.mailKinds(email)).toHaveLength(before + 1)
  return { browser, ...(await readMail(email)) }
}

const withCode = (browser: Client, email: string, otp: string, more: Record<string, unknown> = {}) =>
  browser.post('/sign-in/email-otp', { email, otp, ...more })
const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const errorIn = (location: string | null) => new URL(location ?? '', t.url).searchParams.get('error')

/** Creates a user with a verified address, whose browser is not known to the tests. */
const verified = async (email: string, app = t) => {
  await app.signedIn(email)
  await app.verify(email)
}

describeOnBoth('signing in by mail', () => {
  test('the mailed code signs in once, and only in the browser that asked for the code', async () => {
    await verified('code@example.com')
    const { browser, code } = await ask('Code@example.com')
    const elsewhere = await withCode(t.client(), 'code@example.com', code)
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([400, 'INVALID_OTP'])
    const answer = await withCode(browser, 'code@example.com', code)
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { token: expect.any(String), user: { email: 'code@example.com', emailVerified: true } },
    ])
    expect(await userOf(browser)).toMatchObject({ email: 'code@example.com' })
    expect((await withCode(browser, 'code@example.com', code)).json['code']).toBe('INVALID_OTP')
  })

  test('the mailed link signs in once, and only in the browser that asked for the link', async () => {
    await verified('link@example.com')
    const { browser, link } = await ask('link@example.com', t.client(), { callbackURL: '/account' })
    const other = t.client()
    const elsewhere = await other.request(link)
    expect([elsewhere.status, errorIn(elsewhere.location)]).toEqual([302, 'OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED'])
    expect(await userOf(other)).toBeUndefined()
    const answer = await browser.request(link)
    expect([answer.status, answer.location]).toEqual([302, '/account'])
    expect(await userOf(browser)).toMatchObject({ email: 'link@example.com' })
    expect(errorIn((await browser.request(link)).location)).toBe('INVALID_TOKEN')
  })

  test('a program that opens a mailed sign-in link without a callback gets JSON', async () => {
    await verified('json@example.com')
    const { browser, link } = await ask('json@example.com')
    const path = `/magic-link/verify?token=${new URL(link, t.url).searchParams.get('token')}`
    const elsewhere = await t.client().request(path)
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED'])
    const answer = await browser.request(path)
    expect(answer.json).toMatchObject({
      token: expect.any(String),
      session: { token: expect.any(String) },
      user: { email: 'json@example.com' },
    })
    const again = await browser.request(path)
    expect([again.status, again.json['code']]).toEqual([401, 'INVALID_TOKEN'])
  })

  testOnBoth(
    'a request for a sign-in by mail gives one sign-in, even when its link and code are used at the same time',
    async () => {
      await verified('race@example.com')
      const { browser, code, link } = await ask('race@example.com')
      const answers = await Promise.all([
        ...[1, 2].map(async () => (await withCode(browser, 'race@example.com', code)).status === 200),
        ...[1, 2].map(async () => errorIn((await browser.request(link)).location) === null),
      ])
      expect(answers.filter((won) => won)).toHaveLength(1)
      expect(await t.app.core.db.knex('mail_sign_in').where({ email: 'race@example.com' })).toEqual([])
    },
  )

  test('three wrong codes invalidate the mailed code and the link of the same mail', async () => {
    await verified('guess@example.com')
    const { browser, code, link } = await ask('guess@example.com')
    for (let n = 0; n < 3; n += 1)
      expect((await withCode(browser, 'guess@example.com', wrong(code))).json['code']).toBe('INVALID_OTP')
    const ended = await withCode(browser, 'guess@example.com', code)
    expect([ended.status, ended.json['code']]).toEqual([403, 'TOO_MANY_ATTEMPTS'])
    expect(errorIn((await browser.request(link)).location)).toBe('INVALID_TOKEN')
  })

  testOnBoth('of many simultaneous wrong codes only three are checked', async () => {
    await verified('parallel@example.com')
    const { browser, code } = await ask('parallel@example.com')
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => withCode(browser, 'parallel@example.com', wrong(code))))
    expect(answers.filter(({ json }) => json['code'] === 'INVALID_OTP').length).toBeLessThanOrEqual(3)
    expect((await withCode(browser, 'parallel@example.com', code)).status).not.toBe(200)
  })

  test('a mailed code and link expire after ten minutes', async () => {
    await verified('late@example.com')
    const { browser, code, link } = await ask('late@example.com')
    t.clock.advance({ minutes: 11 })
    const answer = await withCode(browser, 'late@example.com', code)
    expect([answer.status, answer.json['code']]).toEqual([400, 'OTP_EXPIRED'])
    expect(errorIn((await browser.request(link)).location)).toBe('INVALID_TOKEN')
  })

  test('a new request from the same browser invalidates the earlier sign-in mail, and a request from another browser does not', async () => {
    await verified('again@example.com')
    const browser = t.client()
    const first = await ask('again@example.com', browser)
    const second = await ask('again@example.com', browser)
    await ask('again@example.com')
    expect(errorIn((await browser.request(first.link)).location)).toBe('INVALID_TOKEN')
    expect((await withCode(browser, 'again@example.com', second.code)).status).toBe(200)
  })

  test('a new password, a changed email address and a ban each invalidate a mailed sign-in code', async () => {
    const owner = await t.signedIn('ends@example.com')
    await t.verify('ends@example.com')
    const changed = await ask('ends@example.com')
    await owner.api.passwords.changePassword({ body: { currentPassword: password, newPassword: `${password} 2` } })
    expect((await withCode(changed.browser, 'ends@example.com', changed.code)).json['code']).toBe('INVALID_OTP')

    const moved = await ask('ends@example.com')
    const { knex } = t.app.core.db
    const { email_version: version } = await knex('user').where({ email: 'ends@example.com' }).first('email_version')
    await knex('user')
      .where({ email: 'ends@example.com' })
      .update({ email_version: version + 1 })
    expect((await withCode(moved.browser, 'ends@example.com', moved.code)).json['code']).toBe('INVALID_OTP')

    t.clock.advance({ hours: 2 })
    const banned = await ask('ends@example.com')
    await knex('user').where({ email: 'ends@example.com' }).update({ banned_at: new Date() })
    const answer = await withCode(banned.browser, 'ends@example.com', banned.code)
    expect([answer.status, answer.json['code']]).toEqual([403, 'BANNED_USER'])
  })

  test('a sign-in by mail replaces the session of another user in the same browser', async () => {
    await verified('second@example.com')
    const browser = await t.signedIn('first@example.com')
    const { code } = await ask('second@example.com', browser)
    expect((await withCode(browser, 'second@example.com', code)).status).toBe(200)
    expect(await userOf(browser)).toMatchObject({ email: 'second@example.com' })
  })

  test('with rememberMe off, a sign-in by mail ends when the browser is closed', async () => {
    await verified('short@example.com')
    const { browser, code } = await ask('short@example.com')
    const answer = await withCode(browser, 'short@example.com', code, { rememberMe: false })
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('gatehouse.session='))
    expect(cookie).not.toContain('Max-Age')
  })
})

describe('the mail of a sign-in by mail', () => {
  test('a sign-in mail has one code and one link and says where it was requested, and the code and link are stored as hashes', async () => {
    await verified('mail@example.com')
    const { code, link } = await ask('mail@example.com')
    expect(code).toMatch(/^\d{6}$/)
    const { raw } = await t.mailTo('mail@example.com', 'sign-in')
    expect(raw).toMatch(/Network: .*(127\.0\.0\.1|::1)/)
    const stored = JSON.stringify(await t.app.core.db.knex('mail_sign_in').where({ email: 'mail@example.com' }))
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(new URL(link, t.url).searchParams.get('token') ?? 'nothing')
  })

  test('a sign-in mail is in the language of the person, and its link leads to the callback of the application', async () => {
    await verified('sprache@example.com')
    const browser = t.client()
    const body = { email: 'sprache@example.com', callbackURL: '/home', errorCallbackURL: '/oops' }
    await browser.post('/sign-in/magic-link', body, { 'accept-language': 'de' })
    const { raw, link } = await t.mailTo('sprache@example.com', 'sign-in')
    expect(raw).toContain('Geben Sie diesen Code')
    const { searchParams } = new URL(link)
    expect([searchParams.get('callbackURL'), searchParams.get('errorCallbackURL')]).toEqual(['/home', '/oops'])
  })

  test('a sign-in mail with an untrusted callback is not sent', async () => {
    for (const field of ['callbackURL', 'newUserCallbackURL', 'errorCallbackURL'])
      expect(
        (await t.client().post('/sign-in/magic-link', { email: 'x@example.com', [field]: 'https://evil.example' })).status,
      ).toBe(403)
  })

  test('a sign-in mail is not sent to a banned user', async () => {
    await verified('banned@example.com')
    await t.app.core.db.knex('user').where({ email: 'banned@example.com' }).update({ banned_at: new Date() })
    const before = await t.mailKinds('banned@example.com')
    expect((await t.client().post('/sign-in/magic-link', { email: 'banned@example.com' })).status).toBe(200)
    expect(await t.mailKinds('banned@example.com')).toEqual(before)
  })
})

describe('an address without an account in a sign-in by mail', () => {
  const strangers = async (email: string) => {
    const browser = closed.client()
    const asked = await browser.post('/sign-in/magic-link', { email })
    await closed.mailKinds(email)
    const wrongs: unknown[] = []
    for (let n = 0; n < 4; n += 1) wrongs.push((await withCode(browser, email, '000000')).json)
    return [asked.status, asked.json, ...wrongs]
  }

  test('an email address without an account gets the same answers as an address with an account, and no mail', async () => {
    await verified('known@example.com', closed)
    const answers = await strangers('unknown@example.com')
    expect(answers.slice(0, 2)).toEqual([200, { status: true }])
    expect(answers.slice(2)).toMatchObject([...[1, 2, 3].map(() => ({ code: 'INVALID_OTP' })), { code: 'TOO_MANY_ATTEMPTS' }])
    expect(await strangers('known@example.com')).toEqual(answers)
    expect(await closed.mailKinds('unknown@example.com')).toEqual([])
  })

  test('a request and a wrong code run the same statements for an email address with and without an account', async () => {
    await verified('cost@example.com', closed)
    const count = async (email: string) => {
      const browser = closed.client()
      const asking = await statementsOf(closed, () =>
        browser.post('/email-otp/send-verification-otp', { email, type: 'sign-in' }),
      )
      await closed.mailKinds(email)
      const guessing = await statementsOf(closed, async () => {
        await withCode(browser, email, '000000')
        // The failed attempt is recorded after the response.
        await closed.app.signInFailures.settled()
      })
      const sqlOf = (statements: typeof asking) => statements.map(({ sql }) => sql.replace(/\(\?(, \?)*\)/g, '(?)'))
      // The worker's statements begin when the response has been sent.
      const asked = sqlOf(asking)
      return [asked.slice(0, asked.indexOf('COMMIT;') + 1), sqlOf(guessing)]
    }
    const [known, unknown] = [await count('cost@example.com'), await count('costless@example.com')]
    expect(known.flat().length).toBeGreaterThan(4)
    expect(unknown).toEqual(known)
  })

  test('a first sign-in by mail creates an account, by code or link, if the setting allows it', async () => {
    const byCode = await ask('newcode@example.com', t.client(), { name: 'Nina Newcomer' })
    const answer = await withCode(byCode.browser, 'newcode@example.com', byCode.code)
    expect(answer.json['user']).toMatchObject({ name: 'Nina Newcomer', emailVerified: true, role: 'user' })
    const byLink = await ask('newlink@example.com', t.client(), { callbackURL: '/home', newUserCallbackURL: '/welcome' })
    expect(new URL((await byLink.browser.request(byLink.link)).location ?? '', t.url).pathname).toBe('/welcome')
    expect(await userOf(byLink.browser)).toMatchObject({ name: 'newlink', email: 'newlink@example.com', emailVerified: true })
  })

  test('a first sign-in by mail creates no account if sign-up was closed or the email address was taken in the meantime', async () => {
    const shut = await ask('shut@example.com')
    const node = await t.node({ accounts: { signUpEnabled: false } })
    const through = node.client()
    for (const [name, value] of shut.browser.cookies) through.cookies.set(name, value)
    const body = { email: 'shut@example.com', otp: shut.code }
    expect((await through.post('/sign-in/email-otp', body, { origin: t.url })).json['code']).toBe('INVALID_OTP')
    await node.stop()

    const taken = await ask('taken@example.com')
    await t.signedIn('taken@example.com')
    expect((await withCode(taken.browser, 'taken@example.com', taken.code)).json['code']).toBe('INVALID_OTP')
    expect(await userOf(taken.browser)).toBeUndefined()
  })
})

describe('an account with an unverified address in a sign-in by mail', () => {
  test('a sign-in by mail gives an unverified account to the owner of the mailbox without the password and sessions of its creator', async () => {
    const squatter = await t.signedIn('victim@example.com', 'Squatter')
    const { browser, code } = await ask('victim@example.com')
    expect((await withCode(browser, 'victim@example.com', code)).status).toBe(200)
    expect(await userOf(browser)).toMatchObject({ emailVerified: true })
    expect(await userOf(squatter)).toBeUndefined()
    expect((await t.client().post('/sign-in/email', { email: 'victim@example.com', password })).status).toBe(401)
  })

  test('a sign-in by mail in a browser of the account verifies the email address and keeps the password', async () => {
    const browser = await t.signedIn('mine@example.com')
    await browser.post('/sign-out')
    const { link } = await ask('mine@example.com', browser)
    await browser.request(link)
    expect(await userOf(browser)).toMatchObject({ emailVerified: true })
    expect((await t.client().post('/sign-in/email', { email: 'mine@example.com', password })).status).toBe(200)
  })

  test('an account stays with an earlier verified address that can take it back, and the owner of the mailbox gets a new account', async () => {
    const first = await t.signedIn('earlier@example.com')
    await t.verify('earlier@example.com')
    const { id = '' } = (await userOf(first)) ?? {}
    await t.app.core.transact(async (tx) => {
      const user = await t.app.users.require(tx, id)
      await t.app.recovery.issue(tx, user)
      await t.app.users.changeEmail(
        tx,
        { kind: 'anonymous', address: '', userAgent: '', requestId: 'x' },
        id,
        user,
        'later@example.com',
      )
    })
    const { browser, code } = await ask('later@example.com')
    expect((await withCode(browser, 'later@example.com', code)).status).toBe(200)
    const now = await userOf(browser)
    expect([now?.email, now?.id === id]).toEqual(['later@example.com', false])
    expect(await userOf(first)).toMatchObject({ id })
  })

  test('an earlier address can still take its account back after another account has received the present address by a sign-in', async () => {
    const first = await t.signedIn('held@example.com')
    await t.verify('held@example.com')
    const { id } = (await userOf(first)) ?? {}
    await first.post('/change-email', { newEmail: 'wanted@example.com' })
    await first.request((await t.mailTo('held@example.com', 'change-email')).link)
    const { link } = await t.mailTo('held@example.com', 'email-changed')
    const { browser, code } = await ask('wanted@example.com', await t.signedIn('another@example.com'))
    expect((await withCode(browser, 'wanted@example.com', code)).status).toBe(200)
    // The notice of a change by an administrator is not sent, because no administrator changed anything.
    expect(await t.mailKinds('wanted@example.com')).not.toContain('email-changed')
    const token = new URL(link).searchParams.get('token')
    expect((await t.client().post('/recover-address', { token, newPassword: 'another battery staple' })).status).toBe(200)
    await first.post('/sign-in/email', { email: 'held@example.com', password: 'another battery staple' })
    expect((await userOf(first))?.id).toBe(id)
  })

  test('an account whose earlier verified owner has a passkey stays with the earlier owner, even when no recovery link is left', async () => {
    const { personWithPasskey, signIn } = passkeySteps(() => t)
    const { client, authenticator } = await personWithPasskey('squatter@example.com')
    await t.verify('squatter@example.com')
    await client.post('/change-email', { newEmail: 'trapped@example.com' })
    await client.request((await t.mailTo('squatter@example.com', 'change-email')).link)
    t.clock.advance({ days: 8 })
    const { browser, code } = await ask('trapped@example.com')
    expect((await withCode(browser, 'trapped@example.com', code)).status).toBe(200)
    const earlier = t.client()
    expect((await signIn(earlier, authenticator)).status).toBe(200)
    const [now, before] = [await userOf(browser), await userOf(earlier)]
    expect([now?.email, now?.id === before?.id]).toEqual(['trapped@example.com', false])
  })
})

test('an email address receives at most three sign-in mails an hour, and a fourth request invalidates the code and link of the third', async () => {
  const free = { max: 10_000 }
  const limits = { enabled: 'on', strict: free, general: free }
  const limited = await testApp({ config: { mailSignIn: { enabled: true }, limits } })
  await verified('limited@example.com', limited)
  const browser = limited.client()
  for (let n = 0; n < 4; n += 1) {
    expect((await browser.post('/sign-in/magic-link', { email: 'limited@example.com' })).status).toBe(200)
    await limited.mailKinds('limited@example.com')
  }
  expect((await limited.mailKinds('limited@example.com')).filter((kind) => kind === 'sign-in')).toHaveLength(3)
  const { code, link } = await readMail('limited@example.com', limited)
  expect((await withCode(browser, 'limited@example.com', code)).json['code']).toBe('INVALID_OTP')
  expect(errorIn((await browser.request(link)).location)).toBe('INVALID_TOKEN')
  await limited.stop()
})

test('a first sign-in by mail creates no account if accounts.signUpEnabled is off', async () => {
  const shut = await testApp({ config: { mailSignIn: { enabled: true, signUp: true }, accounts: { signUpEnabled: false } } })
  expect((await shut.client().post('/sign-in/magic-link', { email: 'nobody@example.com' })).status).toBe(200)
  expect(await shut.mailKinds('nobody@example.com')).toEqual([])
  await shut.stop()
})

test('a code mailed for a sign-in is not accepted for any other purpose', async () => {
  for (const type of ['email-verification', 'forget-password', 'change-email']) {
    const answer = await t.client().post('/email-otp/send-verification-otp', { email: 'a@example.com', type })
    expect([answer.status, answer.json['code']]).toEqual([400, 'ONLY_CODES_FOR_SIGN_IN_ARE_SENT'])
  }
})

test('a sign-in by mail refuses an invalid email address', async () => {
  const answers = [
    await t.client().post('/sign-in/magic-link', { email: 'nonsense' }),
    await t.client().post('/email-otp/send-verification-otp', { email: 'nonsense', type: 'sign-in' }),
    await withCode(t.client(), 'nonsense', '123456'),
  ]
  expect(answers.map(({ status, json }) => [status, json['code']])).toEqual([1, 2, 3].map(() => [400, 'INVALID_EMAIL']))
})

test('every call of the sign-in by mail is refused while mailSignIn.enabled is off, which is the default', async () => {
  const off = await testApp()
  const answers = [
    await off.client().post('/sign-in/magic-link', { email: 'a@example.com' }),
    await off.client().post('/email-otp/send-verification-otp', { email: 'a@example.com', type: 'sign-in' }),
    await withCode(off.client(), 'a@example.com', '123456'),
    await off.client().request('/magic-link/verify?token=x'),
  ]
  expect(answers.map(({ status, json }) => [status, json['code']])).toEqual(
    [1, 2, 3, 4].map(() => [400, 'SIGN_IN_BY_MAIL_IS_NOT_ENABLED']),
  )
  await off.stop()
})
