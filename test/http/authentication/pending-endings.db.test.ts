/** Pending steps, such as mailed links, and the events that end them (decision 0251): every combination. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tx } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'
import { system } from './ending.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      accounts: { deleteUserEnabled: true, deleteUserVerification: true },
      mailSignIn: { enabled: true },
      secondFactor: { mailCodes: true, recoveryWaitDays: 4 },
    },
  })
})
afterAll(() => t.stop())

interface Waiting {
  /** Takes the next step. Returns true when the step succeeds. */
  readonly next: () => Promise<boolean>
  /** A browser in which the person is signed in. */
  readonly browser: Client
}

const newPassword = 'another battery staple'
const done = (answer: { readonly status: number }) => answer.status === 200
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const arrived = async (email: string, kind: string, ask: () => Promise<unknown>) => {
  await ask()
  await t.mails()
  return t.mailTo(email, kind)
}
const verified = async (email: string) => {
  const browser = await t.signedIn(email)
  await t.verify(email)
  return browser
}
/** Signs in again when the session has ended, because a link does not have to be opened in the session that requested it. */
const signedInAgain = async (browser: Client, email: string) => {
  if ((await browser.api.sessions.getSession()) !== null) return browser
  const again = t.client()
  for (const one of [password, newPassword]) if (done(await again.post('/sign-in/email', { email, password: one }))) break
  return again
}

const waiting: Readonly<Record<string, (email: string) => Promise<Waiting>>> = {
  'a sign-in that waits for its second factor': async (email) => {
    const { browser, totpURI } = await withAuthenticator(t, email)
    await t.verify(email)
    const waiter = await withPassword(t, email)
    t.clock.advance({ seconds: 60 })
    return { browser, next: async () => done(await waiter.post('/two-factor/verify-totp', { code: codeOf(totpURI) })) }
  },
  'a mailed code of such a sign-in': async (email) => {
    const { browser } = await withAuthenticator(t, email)
    await t.verify(email)
    const waiter = await withPassword(t, email)
    const { raw } = await arrived(email, 'second-factor-code', () => waiter.post('/two-factor/send-otp'))
    const code = /^(\d{6})\s*$/m.exec(raw)?.[1]
    return { browser, next: async () => done(await waiter.post('/two-factor/verify-otp', { code })) }
  },
  'a sign-in by mail': async (email) => {
    const browser = await verified(email)
    const asker = t.client()
    const { raw } = await arrived(email, 'sign-in', () =>
      asker.post('/email-otp/send-verification-otp', { email, type: 'sign-in' }),
    )
    const otp = /^(\d{6})\s*$/m.exec(raw)?.[1]
    return { browser, next: async () => done(await asker.post('/sign-in/email-otp', { email, otp })) }
  },
  'a link for a new password': async (email) => {
    const browser = await verified(email)
    const { link } = await arrived(email, 'reset-password', () => t.client().post('/request-password-reset', { email }))
    const token = new URL(link).pathname.split('/').at(-1) ?? ''
    return {
      browser,
      next: async () => done(await t.client().post('/reset-password', { token, newPassword: `${newPassword}!` })),
    }
  },
  'a link that verifies an address': async (email) => {
    const browser = await t.signedIn(email)
    const { link } = await arrived(email, 'verification', () => browser.post('/send-verification-email', { email }))
    const next = async () => {
      const signedIn = await signedInAgain(browser, email)
      await signedIn.request(link)
      const row = await t.app.core.db.knex('user').where({ email }).first('email_verified')
      return Boolean(row?.email_verified)
    }
    return { browser, next }
  },
  'a link that changes an address': async (email) => {
    const browser = await verified(email)
    const newEmail = `new-${email}`
    const { link } = await arrived(email, 'change-email', () => browser.post('/change-email', { newEmail }))
    const next = async () => {
      await (await signedInAgain(browser, email)).request(link)
      return (await t.app.core.db.knex('user').where({ email: newEmail }).first('id')) !== undefined
    }
    return { browser, next }
  },
  'a link that deletes the account': async (email) => {
    const browser = await verified(email)
    const { link } = await arrived(email, 'delete-account', () => browser.post('/delete-user', { password }))
    const { id } = await t.app.users.require(t.app.core.db, email)
    const isThere = async () => (await t.app.core.db.knex('user').where({ id }).first('id')) !== undefined
    const next = async () => {
      const wasThere = await isThere()
      await (await signedInAgain(browser, email)).post('/delete-user', { token: tokenOf(link) })
      return wasThere && !(await isThere())
    }
    return { browser, next }
  },
  'a request to remove lost second factors': async (email) => {
    const { browser } = await withAuthenticator(t, email)
    await t.verify(email)
    const waiter = await withPassword(t, email)
    expect(done(await waiter.post('/two-factor/recovery/request'))).toBe(true)
    const { id } = await t.app.users.require(t.app.core.db, email)
    const next = async () => {
      const row = await t.app.core.db.knex('second_factor_recovery').where({ user_id: id }).first('ends_at')
      return row !== undefined && (row.ends_at === null || new Date(row.ends_at) > t.app.core.clock.now())
    }
    return { browser, next }
  },
}

const within = async (email: string, work: (tx: Tx, id: string) => Promise<unknown>) => {
  const { id } = await t.app.users.require(t.app.core.db, email)
  await t.app.core.transact((tx) => work(tx, id))
}

const endings: Readonly<Record<string, (email: string, browser: Client) => Promise<unknown>>> = {
  'its time is over': async () => t.clock.advance({ days: 30 }),
  'the account is deleted': (email) =>
    within(email, async (tx, id) => t.app.deletion.remove(tx, system, await t.app.users.require(tx, id))),
  'the person is banned': (email) =>
    within(email, (tx, id) => t.app.users.ban(tx, system, id, { reason: 'test', expiresAt: null })),
  'all sessions are ended': (email) => within(email, (tx, id) => t.app.sessions.endAll(tx, system, id)),
  'the password is changed': async (_, browser) =>
    expect(done(await browser.post('/change-password', { currentPassword: password, newPassword }))).toBe(true),
  'the password is reset': async (email) => {
    const { link } = await arrived(email, 'reset-password', () => t.client().post('/request-password-reset', { email }))
    const token = new URL(link).pathname.split('/').at(-1) ?? ''
    expect(done(await t.client().post('/reset-password', { token, newPassword }))).toBe(true)
  },
  'the address is changed': (email) =>
    within(email, async (tx, id) => t.app.users.changeEmail(tx, system, id, await t.app.users.require(tx, id), `moved-${email}`)),
}

/** The combinations in which a pending step stays valid. All others end it. */
const goesOn: Readonly<Record<string, readonly string[]>> = {
  // The sign-in has proved the password and still needs a factor. It depends on neither the address nor the mailbox.
  'a sign-in that waits for its second factor': ['the address is changed'],
  // A person who ended all sessions may need exactly this link.
  'a link for a new password': ['all sessions are ended'],
  // The link only proves the address.
  'a link that verifies an address': ['all sessions are ended', 'the password is changed', 'the password is reset'],
  // The link requires the mailbox and a session of the same account with a new proof.
  'a link that changes an address': ['all sessions are ended', 'the password is changed', 'the password is reset'],
  'a link that deletes the account': ['all sessions are ended'],
  // The wait is extended until each notice has been sent, and no notice is sent in this test. See `recovery-wait.db.test.ts`.
  'a request to remove lost second factors': ['its time is over'],
}

let people = 0
describe.each(Object.entries(waiting))('%s', (name, begin) => {
  test(`${name} stays valid while nothing has ended it`, async () => {
    people += 1
    const { next } = await begin(`fine${people}@pending.example`)
    expect(await next()).toBe(true)
  })

  test.each(Object.entries(endings))(`${name} ends, unless it is an exception, when %s`, async (ending, end) => {
    people += 1
    const email = `person${people}@pending.example`
    const { next, browser } = await begin(email)
    await end(email, browser)
    expect(await next()).toBe(goesOn[name]?.includes(ending) === true)
  })
})
