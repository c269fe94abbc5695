/** The waiting time after which lost second factors may be removed: whom it helps, and which attackers it stops. */
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'

let t: TestApp
const config = { secondFactor: { recoveryWaitDays: 4 }, mailSignIn: { enabled: true } }
beforeAll(async () => {
  t = await testApp({ config })
})
afterAll(() => t.stop())
const passkeys = passkeySteps(() => t)

const outcome = ({ status, json }: Answer) => (status === 200 ? 200 : [status, json['code']])
const notAvailable = [403, 'SECOND_FACTOR_RECOVERY_NOT_AVAILABLE']
const notReady = [409, 'SECOND_FACTOR_RECOVERY_NOT_READY']
const request = (browser: Client) => browser.post('/two-factor/recovery/request')
const complete = (browser: Client, code: string) => browser.post('/two-factor/recovery/complete', { code })
const cancel = (browser: Client, body: object = {}) => browser.post('/two-factor/recovery/cancel', body)
const stateOf = async (browser: Client) => (await browser.request('/two-factor/recovery')).json['state']
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null
const userOf = (email: string, node = t) => node.app.users.require(node.app.core.db, email)
/** The same browser, connected to another node. */
const at = (node: TestApp, { cookies }: Client): Client => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const client = node.client()
  return {
    ...client,
    request: (path, init) => client.request(path, { ...init, headers: { cookie } }),
    post: (path, body) => client.post(path, body, { cookie, origin: t.url }),
  }
}
const rowOf = async (email: string, node = t) =>
  node.app.core.db
    .knex('second_factor_recovery')
    .where({ user_id: (await userOf(email, node)).id })
    .first()
const eventsOf = async (email: string) =>
  (await t.app.audit.list({ subject: (await userOf(email)).id }, 200)).filter(({ type }) => type.startsWith('recovery.'))
const typesOf = async (email: string) => (await eventsOf(email)).map(({ type }) => type).reverse()
const reasonOf = async (email: string) =>
  (await eventsOf(email)).find(({ type }) => type === 'recovery.cancelled')?.data['reason']

/** A user with a verified address and an authenticator app. */
const victim = async (email: string, node = t) => {
  const user = await withAuthenticator(node, email)
  await node.verify(email)
  return user
}
const waiting = async (email: string) => {
  const user = await victim(email)
  const browser = await withPassword(t, email)
  expect(outcome(await request(browser))).toBe(200)
  return { ...user, waiter: browser }
}

const reaches = (email: string, stage: string, node = t) =>
  vi.waitFor(
    async () => {
      await node.wake('queue.second-factor-recovery.notice')
      expect((await rowOf(email, node))?.stage).toBe(stage)
    },
    { timeout: 60_000, interval: 50 },
  )
/** Lets the wait pass, one notice after another, as running nodes do. */
const wait = async (email: string, node = t) => {
  for (const [days, stage] of [
    [2, 'halfway'],
    [1, 'last-day'],
    [1, 'ready'],
  ] as const) {
    node.clock.advance({ days, minutes: 1 })
    await reaches(email, stage, node)
  }
}
const kindsOf = async (email: string, node = t) =>
  (await node.mailKinds(email)).filter((kind) => kind.startsWith('second-factor-recovery'))
const linkTo = async (email: string, kind: string) => {
  await t.mails()
  return (await t.mailTo(email, kind)).link
}
const tokenTo = async (email: string, kind = 'second-factor-recovery') =>
  new URL(await linkTo(email, kind)).searchParams.get('token') ?? ''
const sendCode = async (browser: Client, email: string) => {
  expect(outcome(await browser.post('/two-factor/recovery/send-code'))).toBe(200)
  await t.mails()
  return /^(\d{6})\s*$/m.exec((await t.mailTo(email, 'second-factor-recovery-code')).raw)?.[1] ?? ''
}
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const resetByMail = async (email: string, newPassword: string) => {
  await t.client().api.passwords.requestPasswordReset({ body: { email } })
  await t.mails()
  const { link } = await t.mailTo(email, 'reset-password')
  const token = new URL(link).pathname.split('/').at(-1) ?? ''
  await t.client().api.passwords.resetPassword({ body: { token, newPassword } })
}
const signInWith = async (email: string, secret: string) => {
  const browser = t.client()
  await browser.post('/sign-in/email', { email, password: secret })
  return browser
}
const giveCode = (browser: Client, totpURI: string) => {
  t.clock.advance({ seconds: 60 })
  return browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
}

describe('a person who has lost their second factors', () => {
  test('after the recovery wait the password and a mailed code remove the lost factors, sign the person in and end all other sessions', async () => {
    const email = 'honest@example.com'
    const { browser: own } = await victim(email)
    await passkeys.register(own, createAuthenticator())
    const first = await withPassword(t, email)
    expect(await stateOf(first)).toBe('available')
    const asked = await request(first)
    expect([asked.status, asked.json]).toMatchObject([200, { state: 'waiting', waitDays: 4, expiresAt: null }])
    expect(outcome(await first.post('/two-factor/recovery/send-code'))).toEqual(notReady)
    expect(outcome(await complete(first, '123456'))).toEqual(notReady)
    await wait(email)
    expect(await kindsOf(email)).toEqual([
      ...['second-factor-recovery', 'second-factor-recovery', 'second-factor-recovery'],
      'second-factor-recovery-ready',
    ])
    const later = await withPassword(t, email)
    expect(await stateOf(later)).toBe('ready')
    expect(outcome(await complete(later, '123456'))).toEqual([400, 'OTP_HAS_EXPIRED'])
    const code = await sendCode(later, email)
    const answer = await complete(later, code)
    expect([answer.status, answer.json]).toMatchObject([200, { user: { email, twoFactorEnabled: false } }])
    expect([await isSignedIn(later), await isSignedIn(own), await isSignedIn(first)]).toEqual([true, false, false])
    for (const table of ['totp', 'passkey', 'recovery_code_list', 'remembered_browser'])
      expect(await t.app.core.db.knex(table).where({ user_id: (await userOf(email)).id })).toEqual([])
    expect(await typesOf(email)).toEqual(['recovery.requested', 'recovery.completed'])
    expect(await t.mailKinds(email)).toContain('second-factor-removed')
    expect(JSON.stringify(await rowOf(email))).not.toContain(code)
  })

  test('a person can stop their recovery wait with the password, and can begin the next wait a day after the first began', async () => {
    const email = 'again@example.com'
    const { waiter } = await waiting(email)
    expect(outcome(await request(waiter))).toBe(200)
    expect(await kindsOf(email)).toHaveLength(1)
    expect(outcome(await cancel(waiter))).toBe(200)
    expect(outcome(await cancel(waiter))).toEqual([404, 'SECOND_FACTOR_RECOVERY_NOT_FOUND'])
    expect(outcome(await request(waiter))).toEqual([429, 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'])
    t.clock.advance({ days: 1, minutes: 1 })
    expect(outcome(await request(await withPassword(t, email)))).toBe(200)
    expect(await typesOf(email)).toEqual(['recovery.requested', 'recovery.cancelled', 'recovery.requested'])
    // The owner is notified, because a thief who knows the password could have stopped the wait.
    expect(await t.mailKinds(email)).toContain('recovery-cancelled')
  })

  test('a person has seven days after the recovery wait to complete it, and ten minutes and three attempts for each mailed code', async () => {
    const email = 'late@example.com'
    await waiting(email)
    await wait(email)
    const browser = await withPassword(t, email)
    const code = await sendCode(browser, email)
    for (let n = 0; n < 3; n += 1) expect(outcome(await complete(browser, wrong(code)))).toEqual([401, 'INVALID_CODE'])
    expect(outcome(await complete(browser, code))).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
    const next = await sendCode(browser, email)
    t.clock.advance({ minutes: 11 })
    const other = await withPassword(t, email)
    expect(outcome(await complete(other, next))).toEqual([400, 'OTP_HAS_EXPIRED'])
    t.clock.advance({ days: 7 })
    const tooLate = await withPassword(t, email)
    expect(outcome(await tooLate.post('/two-factor/recovery/send-code'))).toEqual(notReady)
    expect(await stateOf(tooLate)).toBe('available')
  })
})

describe('an attacker with the password and without the mailbox', () => {
  test('an attacker with only the password cannot remove the second factor, even if nobody has read the notices', async () => {
    const email = 'holiday@example.com'
    await waiting(email)
    await wait(email)
    const thief = await withPassword(t, email)
    const code = await sendCode(thief, email)
    expect(outcome(await complete(thief, wrong(code)))).toEqual([401, 'INVALID_CODE'])
    expect(await isSignedIn(thief)).toBe(false)
    expect((await userOf(email)).twoFactorEnabled).toBe(true)
  })
})

describe('an attacker with the mailbox and without the password', () => {
  test('an attacker with only the mailbox cannot begin a recovery wait with a reset password, however long the attacker waits', async () => {
    const email = 'mailbox@example.com'
    const { totpURI } = await victim(email)
    await resetByMail(email, password)
    const thief = await withPassword(t, email)
    expect(await stateOf(thief)).toBe('unavailable')
    expect(outcome(await request(thief))).toEqual(notAvailable)
    t.clock.advance({ days: 90 })
    expect(outcome(await request(await withPassword(t, email)))).toEqual(notAvailable)
    // The owner gave the password together with the factor, so the password counts as theirs now.
    const owner = await withPassword(t, email)
    expect(outcome(await giveCode(owner, totpURI))).toBe(200)
    expect(outcome(await request(await withPassword(t, email)))).toBe(200)
  })

  test('an attacker with only the mailbox gains nothing when the owner uses a passkey after the reset, because the reset password stays unproven', async () => {
    const email = 'passkey@example.com'
    const { browser } = await victim(email)
    const authenticator = createAuthenticator()
    await passkeys.register(browser, authenticator)
    await resetByMail(email, password)
    const owner = t.client()
    await passkeys.signIn(owner, authenticator)
    expect(await isSignedIn(owner)).toBe(true)
    expect(outcome(await request(await withPassword(t, email)))).toEqual(notAvailable)
  })

  test("an attacker with only the mailbox stops the owner's recovery wait by a reset, but cannot complete the wait", async () => {
    const email = 'during@example.com'
    await waiting(email)
    await wait(email)
    await resetByMail(email, password)
    expect(await reasonOf(email)).toBe('account-changed')
    const thief = await withPassword(t, email)
    expect(outcome(await thief.post('/two-factor/recovery/send-code'))).toEqual(notAvailable)
    expect(outcome(await complete(thief, '123456'))).toEqual(notAvailable)
  })

  test('an attacker with only the mailbox cannot begin a recovery wait after a sign-in by link or code', async () => {
    const email = 'by-mail@example.com'
    await victim(email)
    const thief = t.client()
    await thief.post('/sign-in/magic-link', { email })
    await t.mails()
    const otp = /^(\d{6})\s*$/m.exec((await t.mailTo(email, 'sign-in')).raw)?.[1]
    await thief.post('/sign-in/email-otp', { email, otp })
    expect(await stateOf(thief)).toBe('unavailable')
    expect(outcome(await request(thief))).toEqual(notAvailable)
  })
})

describe('an attacker with the password and the mailbox', () => {
  test('the link in a notice stops an attacker with password and mailbox: sessions end, and the same password begins no other recovery wait', async () => {
    const email = 'both@example.com'
    const { waiter, browser, totpURI } = await waiting(email)
    const link = await linkTo(email, 'second-factor-recovery')
    expect(new URL(link).pathname).toBe('/stop-recovery')
    const token = await tokenTo(email)
    expect(outcome(await cancel(t.client(), { token: `${token}x` }))).toEqual([404, 'SECOND_FACTOR_RECOVERY_NOT_FOUND'])
    expect(outcome(await cancel(t.client(), { token }))).toBe(200)
    expect(outcome(await cancel(t.client(), { token }))).toEqual([404, 'SECOND_FACTOR_RECOVERY_NOT_FOUND'])
    expect([await isSignedIn(browser), await reasonOf(email)]).toEqual([false, 'link'])
    expect(outcome(await request(waiter))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    t.clock.advance({ days: 2 })
    expect(outcome(await request(await withPassword(t, email)))).toEqual(notAvailable)
    await resetByMail(email, 'another battery staple')
    expect(outcome(await request(await signInWith(email, 'another battery staple')))).toEqual(notAvailable)
    await giveCode(await signInWith(email, 'another battery staple'), totpURI)
    expect(outcome(await request(await signInWith(email, 'another battery staple')))).toBe(200)
    expect(outcome(await cancel(t.client(), { token })), 'the link of an earlier wait').toEqual([
      404,
      'SECOND_FACTOR_RECOVERY_NOT_FOUND',
    ])
  })

  test('a recently replaced email address also gets each notice of a recovery wait, with a link that stops the wait', async () => {
    const email = 'former@example.com'
    const { users, recovery, core } = t.app
    await victim(email)
    const user = await users.require(core.db, email)
    await core.transact((tx) => recovery.issue(tx, user))
    await core.db.knex('user').where({ id: user.id }).update({ email: 'current@example.com' })
    const thief = await withPassword(t, 'current@example.com')
    expect(outcome(await request(thief))).toBe(200)
    await wait('current@example.com')
    expect(await kindsOf('current@example.com')).toHaveLength(4)
    expect(await kindsOf(email)).toHaveLength(4)
    expect(outcome(await cancel(t.client(), { token: await tokenTo(email, 'second-factor-recovery-ready') }))).toBe(200)
  })
})

describe('endings of a recovery wait', () => {
  const ends = async (name: string, act: (one: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>, reason: string) => {
    const email = `${name}@ends.example`
    const one = await waiting(email)
    await act(one)
    expect([name, await reasonOf(email)]).toEqual([name, reason])
    expect((await rowOf(email))?.ends_at).not.toBeNull()
    t.clock.advance({ days: 5 })
    const later = await withPassword(t, email)
    expect(outcome(await complete(later, '123456'))).not.toBe(200)
    return one
  }

  test('a second factor proven in a sign-in ends the recovery wait, and a recovery code with disableSession also ends it', async () => {
    await ends('totp', async ({ waiter, totpURI }) => giveCode(waiter, totpURI), 'second-factor')
    const use = (code: string | undefined) => ({ code, disableSession: true })
    await ends(
      'code',
      ({ waiter, recoveryCodes }) => waiter.post('/two-factor/verify-backup-code', use(recoveryCodes[0])),
      'second-factor',
    )
  })

  test('the owner in another session can end the recovery wait, and an administrator can see and end it', async () => {
    await ends('session', ({ browser }) => cancel(browser), 'person')
    const admin = await signedInAs(t, 'admin', 'seeing@staff.example')
    const shown = async ({ waiter }: { waiter: Client }) => {
      expect(await stateOf(waiter)).toBe('waiting')
      const { id } = await userOf('admin@ends.example')
      const path = `/admin/users/${id}/recovery`
      expect((await admin.request(path)).json['recovery']).toMatchObject({ state: 'waiting', expiresAt: null })
      expect((await admin.request(path, { method: 'DELETE' })).json).toEqual({ success: true })
      expect((await admin.request(path)).json).toEqual({ recovery: null })
      expect((await admin.request(path, { method: 'DELETE' })).status).toBe(404)
    }
    await ends('admin', shown, 'administrator')
  })

  test('a new password, the end of all sessions and a role that requires two factors each end the recovery wait', async () => {
    const newPassword = `${password} 2`
    await ends(
      'password',
      ({ browser }) => browser.post('/change-password', { currentPassword: password, newPassword }),
      'account-changed',
    )
    await ends('sessions', ({ browser }) => browser.post('/revoke-other-sessions'), 'account-changed')
    const admin = await signedInAs(t, 'admin', 'promoting@staff.example')
    const promote = async () => {
      const { id } = await userOf('role@ends.example')
      await t.verify('role@ends.example')
      expect((await admin.post('/admin/set-role', { userId: id, role: 'admin' })).status).toBe(200)
    }
    await ends('role', promote, 'account-changed')
  })

  test('deleting the account deletes its recovery wait, and no further notice is sent', async () => {
    await waiting('deleted@ends.example')
    const { id } = await userOf('deleted@ends.example')
    const admin = await signedInAs(t, 'admin', 'deleting@staff.example')
    expect((await admin.request(`/admin/users/${id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await t.app.core.db.knex('second_factor_recovery').where({ user_id: id })).toEqual([])
    const kinds = await kindsOf('deleted@ends.example')
    t.clock.advance({ days: 3 })
    const task = { kind: 'second-factor-recovery.notice', label: id }
    await vi.waitFor(async () => expect(await t.app.core.db.knex('task').where(task)).toEqual([]), { timeout: 60_000 })
    expect(await kindsOf('deleted@ends.example')).toEqual(kinds)
  })
})

describe('people who cannot begin a recovery wait', () => {
  test('a recovery wait requires a first proof, a pending sign-in and a second factor', async () => {
    expect(outcome(await request(t.client()))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    expect((await t.client().request('/two-factor/recovery')).status).toBe(401)
    expect(outcome(await cancel(t.client()))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    const { browser } = await victim('inside@example.com')
    expect(await stateOf(browser)).toBe('unavailable')
    expect(outcome(await request(browser))).toEqual(notAvailable)
    const plain = await t.signedIn('plain@example.com')
    expect(outcome(await request(plain))).toEqual(notAvailable)
  })

  test('a person with an unverified email address cannot begin a recovery wait', async () => {
    await withAuthenticator(t, 'unverified@example.com')
    expect(outcome(await request(await withPassword(t, 'unverified@example.com')))).toEqual(notAvailable)
  })

  test('a recovery wait cannot begin if a role with permissions, the configuration or an organization requires two factors', async () => {
    await victim('boss@example.com')
    await t.app.core.db.knex('user').where({ email: 'boss@example.com' }).update({ role: 'support' })
    expect(outcome(await request(await withPassword(t, 'boss@example.com')))).toEqual(notAvailable)

    const { browser } = await victim('owner@example.com')
    await browser.api.organizations.createOrganization({ body: { name: 'Acme', slug: 'acme' } })
    expect(await stateOf(await withPassword(t, 'owner@example.com'))).toBe('available')
    await t.app.core.db.knex('organization').where({ slug: 'acme' }).update({ requires_second_factor: true })
    expect(outcome(await request(await withPassword(t, 'owner@example.com')))).toEqual(notAvailable)

    for (const secondFactor of [{ recoveryWaitDays: 4, requiredFor: ['user'] }, { recoveryWaitDays: 0 }]) {
      const strict = await t.node({ secondFactor })
      const email = `strict${secondFactor.recoveryWaitDays}@example.com`
      await victim(email)
      const waits = at(strict, await withPassword(t, email))
      expect(await stateOf(waits)).toBe('unavailable')
      expect(outcome(await request(waits))).toEqual(notAvailable)
      await strict.stop()
    }
  })

  test('lost factors are not removed after a recovery wait if two factors became required during the wait', async () => {
    const email = 'meanwhile@example.com'
    const { browser } = await victim(email)
    await browser.api.organizations.createOrganization({ body: { name: 'Later', slug: 'later' } })
    expect(outcome(await request(await withPassword(t, email)))).toBe(200)
    await wait(email)
    const later = await withPassword(t, email)
    const code = await sendCode(later, email)
    await t.app.core.db.knex('organization').where({ slug: 'later' }).update({ requires_second_factor: true })
    expect(outcome(await complete(later, code))).toEqual(notAvailable)
    expect((await userOf(email)).twoFactorEnabled).toBe(true)
  })
})

describeOnBoth('simultaneous recovery waits on two nodes', () => {
  let secondNode: TestApp
  beforeAll(async () => {
    secondNode = await t.node()
  })
  afterAll(() => secondNode.stop())

  testOnBoth('simultaneous requests on two nodes begin one recovery wait, and each notice is sent once', async () => {
    const email = 'nodes@example.com'
    await victim(email)
    const [here, there] = [await withPassword(t, email), at(secondNode, await withPassword(t, email))]
    const answers = await Promise.all([request(here), request(there)])
    expect(answers.map(outcome)).toEqual([200, 200])
    expect(answers[0]?.json).toEqual(answers[1]?.json)
    await wait(email)
    expect(await kindsOf(email)).toHaveLength(4)
    expect(await typesOf(email)).toEqual(['recovery.requested'])
  })

  testOnBoth(
    'of two simultaneous completions of a recovery wait one succeeds, and of a simultaneous completion and stop one succeeds',
    async () => {
      const twice = 'twice@example.com'
      await waiting(twice)
      await wait(twice)
      const [one, two] = [await withPassword(t, twice), at(secondNode, await withPassword(t, twice))]
      const code = await sendCode(one, twice)
      const both = (await Promise.all([complete(one, code), complete(two, code)])).map(outcome)
      expect(both.filter((answer) => answer === 200)).toHaveLength(1)
      expect(await typesOf(twice)).toEqual(['recovery.requested', 'recovery.completed'])

      const contested = 'contested@example.com'
      await waiting(contested)
      await wait(contested)
      const token = await tokenTo(contested, 'second-factor-recovery-ready')
      const thief = await withPassword(t, contested)
      const stolen = await sendCode(thief, contested)
      const race = (await Promise.all([complete(thief, stolen), cancel(at(secondNode, t.client()), { token })])).map(outcome)
      expect(race.filter((answer) => answer === 200)).toHaveLength(1)
      const isOn = (await userOf(contested)).twoFactorEnabled
      expect([isOn, (await typesOf(contested)).at(-1)]).toEqual(
        race[0] === 200 ? [false, 'recovery.completed'] : [true, 'recovery.cancelled'],
      )
    },
  )
})

test('a recovery wait with late notices lasts until a day after the last notice', async () => {
  const email = 'stopped@example.com'
  const { waiter } = await waiting(email)
  t.clock.advance({ days: 10 })
  await reaches(email, 'last-day')
  expect(outcome(await waiter.post('/two-factor/recovery/send-code'))).not.toBe(200)
  t.clock.advance({ hours: 23 })
  const early = await withPassword(t, email)
  expect(outcome(await early.post('/two-factor/recovery/send-code'))).toEqual(notReady)
  t.clock.advance({ hours: 1, minutes: 1 })
  await reaches(email, 'ready')
})

test('an ended recovery wait is deleted a day later, and a running wait is kept', async () => {
  const [ended, open] = ['ended@prune.example', 'open@prune.example']
  await cancel((await waiting(ended)).waiter)
  t.clock.advance({ days: 1, minutes: 1 })
  await waiting(open)
  const retention = t.app.registered
    .flatMap(({ retentions = [] }) => retentions)
    .find(({ name }) => name === 'waits for the removal of second factors')
  await retention?.sweep()
  expect([await rowOf(ended), (await rowOf(open))?.stage]).toEqual([undefined, 'requested'])
})
