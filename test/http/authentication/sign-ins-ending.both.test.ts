/** Steps of a sign-in and further proofs of a session whose basis ends between their check and their commit. */
import { afterAll, beforeAll, describe } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'
import { endings, type Row, type Scene, system, testRows } from './ending.ts'

let github: FakeGitHub
let one: TestApp
let two: TestApp
beforeAll(async () => {
  github = await startGitHub()
  one = await testApp({
    config: {
      ...{ outbound, social: { github: github.section }, trustedOrigins: ['http://localhost:*'], limits: { enabled: 'off' } },
      accounts: { signInAfterVerification: true, userNames: { mode: 'optional' } },
      ...{ mailSignIn: { enabled: true } },
      secondFactor: { requiredFor: ['admin'], graceDays: 0, mailCodes: true, recoveryWaitDays: 4 },
    },
  })
  two = await one.node()
  one.clock.hold()
})
afterAll(async () => {
  await two.stop()
  await one.stop()
  await github.stop()
})
const passkeys = passkeySteps(() => ({ url: one.url, client: two.client, signedIn: two.signedIn }))

const ends = endings(() => one)

const verified = async (email: string) => {
  const browser = await two.signedIn(email)
  await two.verify(email)
  return browser
}
const mailedTo = async (email: string, kind: string) => {
  await two.mails()
  return two.mailTo(email, kind)
}
const codeIn = async (email: string, kind: string) => /^(\d{6})\s*$/m.exec((await mailedTo(email, kind)).raw)?.[1] ?? ''
const pathOf = (link: string) => {
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** A person whose role requires a second factor that they have not added, after the password. */
const enrolling = async (email: string): Promise<Client> => {
  await two.signedIn(email)
  await one.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  return withPassword(two, email)
}
const appOf = async (browser: Client, body: object) => String((await browser.post('/two-factor/enable', body)).json['totpURI'])
const verifyTotp = (browser: Client, uri: string) => () => browser.post('/two-factor/verify-totp', { code: codeOf(uri) })

const scenes = {
  password: async (email: string): Promise<Scene> => {
    await verified(email)
    const browser = two.client()
    return { email, browser, act: () => browser.post('/sign-in/email', { email, password }) }
  },
  userName: async (email: string): Promise<Scene> => {
    await verified(email)
    const username = email.split('@')[0]
    await one.app.core.transact((tx) => tx.knex('user').where({ email }).update({ username }))
    const browser = two.client()
    return { email, browser, act: () => browser.post('/sign-in/username', { username, password }) }
  },
  provider: async (email: string): Promise<Scene> => {
    const id = 9000 + Number.parseInt(/\d+/.exec(email)?.[0] ?? '', 10) * 2 + Number(email.startsWith('twin'))
    github.state.person = githubPerson(id, email)
    const start = { provider: 'github', callbackURL: '/account' }
    const first = two.client()
    await first.request(await backAt(first, start))
    const browser = two.client()
    const back = await backAt(browser, start)
    return {
      ...{ email, browser },
      act: () => {
        github.state.person = githubPerson(id, email)
        return browser.request(back)
      },
    }
  },
  link: async (email: string): Promise<Scene> => {
    await verified(email)
    const browser = two.client()
    await browser.post('/sign-in/magic-link', { email })
    const path = pathOf((await mailedTo(email, 'sign-in')).link)
    return { email, browser, act: () => browser.request(path) }
  },
  mailedCode: async (email: string): Promise<Scene> => {
    await verified(email)
    const browser = two.client()
    await browser.post('/email-otp/send-verification-otp', { email, type: 'sign-in' })
    const otp = await codeIn(email, 'sign-in')
    return { email, browser, act: () => browser.post('/sign-in/email-otp', { email, otp }) }
  },
  passkey: async (email: string): Promise<Scene> => {
    const { authenticator } = await passkeys.personWithPasskey(email)
    const browser = two.client()
    const response = await passkeys.sign(browser, authenticator, { origin: one.url })
    return { email, browser, act: () => passkeys.send(browser, response) }
  },
  passkeyInSession: async (email: string): Promise<Scene> => {
    const { client: browser, authenticator } = await passkeys.personWithPasskey(email)
    const response = await passkeys.sign(browser, authenticator, { origin: one.url })
    return { email, browser, act: () => passkeys.send(browser, response) }
  },
  securityKey: async (email: string): Promise<Scene> => {
    const { authenticator } = await passkeys.personWithPasskey(email, { userVerified: false })
    const browser = await withPassword(two, email)
    const response = await passkeys.sign(browser, authenticator, { origin: one.url })
    return { email, browser, act: () => passkeys.send(browser, response) }
  },
  app: async (email: string): Promise<Scene> => {
    const { totpURI } = await withAuthenticator(two, email)
    const browser = await withPassword(two, email)
    return { email, browser, act: verifyTotp(browser, totpURI) }
  },
  appInSession: async (email: string): Promise<Scene> => {
    const { browser, totpURI } = await withAuthenticator(two, email)
    return { email, browser, act: verifyTotp(browser, totpURI) }
  },
  newApp: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    return { email, browser, act: verifyTotp(browser, await appOf(browser, { password })) }
  },
  newAppOfSignIn: async (email: string): Promise<Scene> => {
    const browser = await enrolling(email)
    return { email, browser, act: verifyTotp(browser, await appOf(browser, {})) }
  },
  secretOfSignIn: async (email: string): Promise<Scene> => {
    const browser = await enrolling(email)
    return { email, browser, act: () => browser.post('/two-factor/enable', {}) }
  },
  newPasskey: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const response = await passkeys.create(browser, createAuthenticator(), { origin: one.url })
    return { email, browser, act: () => browser.post('/passkey/verify-registration', { response }) }
  },
  newPasskeyOfSignIn: async (email: string): Promise<Scene> => {
    const browser = await enrolling(email)
    const response = await passkeys.create(browser, createAuthenticator(), { origin: one.url })
    return { email, browser, act: () => browser.post('/passkey/verify-registration', { response }) }
  },
  recoveryCode: async (email: string): Promise<Scene> => {
    const { recoveryCodes } = await withAuthenticator(two, email)
    const browser = await withPassword(two, email)
    return { email, browser, act: () => browser.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] }) }
  },
  recoveryCodeInSession: async (email: string): Promise<Scene> => {
    const { browser, recoveryCodes } = await withAuthenticator(two, email)
    return { email, browser, act: () => browser.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] }) }
  },
  secondMailedCode: async (email: string): Promise<Scene> => {
    await withAuthenticator(two, email)
    await two.verify(email)
    const browser = await withPassword(two, email)
    await browser.post('/two-factor/send-otp')
    const code = await codeIn(email, 'second-factor-code')
    return { email, browser, act: () => browser.post('/two-factor/verify-otp', { code }) }
  },
  secondMailedCodeInSession: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    await two.verify(email)
    await browser.post('/two-factor/send-otp')
    const code = await codeIn(email, 'second-factor-code')
    return { email, browser, act: () => browser.post('/two-factor/verify-otp', { code }) }
  },
  passwordAgain: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    return { email, browser, act: () => browser.post('/verify-password', { password }) }
  },
  afterWait: async (email: string): Promise<Scene> => {
    const { totpURI: _ } = await withAuthenticator(two, email)
    await two.verify(email)
    const browser = await withPassword(two, email)
    await browser.post('/two-factor/recovery/request')
    const { id } = await two.app.users.require(two.app.core.db, email)
    const ready = { stage: 'ready', ends_at: new Date(Date.now() + 3_600_000) }
    await one.app.core.transact((tx) => tx.knex('second_factor_recovery').where({ user_id: id }).update(ready))
    await browser.post('/two-factor/recovery/send-code')
    const code = await codeIn(email, 'second-factor-recovery-code')
    return { email, browser, act: () => browser.post('/two-factor/recovery/complete', { code }) }
  },
}
const backAt = async (browser: Client, start: Record<string, unknown>) =>
  pathOf(await atProvider((await startAtProvider(browser, start)).url))

const noSignIn = [401, 'INVALID_TWO_FACTOR_COOKIE'] as const

/** The number of factors of the person in a table. */
const factorsIn = (table: string) => async (_: Scene, id: string) => {
  const rows = await one.app.core.db.knex(table).where({ user_id: id }).select('id')
  return rows.length
}
const enabledApps = async (_: Scene, id: string) =>
  (await one.app.core.db.knex('totp').where({ user_id: id }).whereNotNull('confirmed_at').select('id')).length

describe('first steps of a sign-in when the proof or account ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'a password that is replaced meanwhile signs nobody in': {
      ...{ scene: scenes.password, end: ends.password, answer: [401, 'INVALID_EMAIL_OR_PASSWORD'] },
    },
    'a password signs nobody in whose account is banned meanwhile': {
      ...{ scene: scenes.password, end: ends.ban, answer: [403, 'BANNED_USER'] },
    },
    'a password signs nobody in whose account is deleted meanwhile': {
      ...{ scene: scenes.password, end: ends.account, answer: [401, 'INVALID_EMAIL_OR_PASSWORD'] },
    },
    'a password with a user name signs nobody in when it is replaced meanwhile': {
      ...{ scene: scenes.userName, end: ends.password, answer: [401, 'INVALID_USERNAME_OR_PASSWORD'] },
    },
    'a provider signs nobody in whose account is banned meanwhile': {
      ...{ scene: scenes.provider, end: ends.ban, answer: [302, 'banned'] },
    },
    'a mailed link signs nobody in when the account gets another address meanwhile': {
      ...{ scene: scenes.link, end: ends.address, answer: [302, 'INVALID_TOKEN'] },
    },
    'a mailed link that is used meanwhile signs nobody in': {
      ...{ scene: scenes.link, end: ends.rows('mail_sign_in'), answer: [302, 'INVALID_TOKEN'] },
    },
    'a mailed link signs nobody in whose account is banned meanwhile': {
      ...{ scene: scenes.link, end: ends.ban, answer: [302, 'INVALID_TOKEN'] },
    },
    'a mailed code that is used meanwhile signs nobody in': {
      ...{ scene: scenes.mailedCode, end: ends.rows('mail_sign_in'), answer: [400, 'INVALID_OTP'] },
    },
    'a mailed code signs nobody in when the account gets another address meanwhile': {
      ...{ scene: scenes.mailedCode, end: ends.address, answer: [400, 'INVALID_OTP'] },
    },
    'a passkey that is removed meanwhile signs nobody in': {
      ...{ scene: scenes.passkey, end: ends.rows('passkey'), answer: [401, 'PASSKEY_NOT_FOUND'] },
    },
    'a passkey signs nobody in whose account is banned meanwhile': {
      ...{ scene: scenes.passkey, end: ends.ban, answer: [403, 'BANNED_USER'] },
    },
  }
  testRows(() => [one, two], rows)
})

describe('second steps of a sign-in when the proof or the sign-in ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'an app code cannot complete a sign-in that ended meanwhile': { scene: scenes.app, end: ends.waiting, answer: noSignIn },
    'a code of an app that is removed meanwhile cannot complete a sign-in': {
      ...{ scene: scenes.app, end: ends.rows('totp'), answer: [401, 'INVALID_CODE'] },
    },
    'an app code cannot complete the sign-in of a person who is banned meanwhile': {
      ...{ scene: scenes.app, end: ends.ban, answer: noSignIn },
    },
    'a recovery code cannot complete a sign-in that ended meanwhile': {
      scene: scenes.recoveryCode,
      end: ends.waiting,
      answer: noSignIn,
    },
    'a recovery code cannot complete a sign-in when its list is replaced meanwhile': {
      ...{ scene: scenes.recoveryCode, end: ends.rows('recovery_code_list'), answer: [401, 'INVALID_BACKUP_CODE'] },
    },
    'a security key cannot complete a sign-in that ended meanwhile': {
      scene: scenes.securityKey,
      end: ends.waiting,
      answer: noSignIn,
    },
    'a security key that is removed meanwhile cannot complete a sign-in': {
      ...{ scene: scenes.securityKey, end: ends.rows('passkey'), answer: [401, 'PASSKEY_NOT_FOUND'] },
    },
    'a mailed second-factor code cannot complete a sign-in that ended meanwhile': {
      ...{ scene: scenes.secondMailedCode, end: ends.waiting, answer: noSignIn },
    },
    'a mailed second-factor code cannot complete a sign-in when the account gets another address meanwhile': {
      ...{ scene: scenes.secondMailedCode, end: ends.address, answer: [400, 'OTP_NOT_CONFIGURED'] },
    },
    'the code after a recovery wait removes no factor when the sign-in ended meanwhile': {
      ...{ scene: scenes.afterWait, end: ends.waiting, answer: noSignIn, left: factorsIn('totp'), leaves: 1 },
    },
    'the code after a recovery wait removes no factor when the wait is cancelled meanwhile': {
      ...{ scene: scenes.afterWait, answer: [409, 'SECOND_FACTOR_RECOVERY_NOT_READY'], left: factorsIn('totp'), leaves: 1 },
      end: ({ tx, id }) => one.app.secondFactorRecovery.end(tx, system, id, 'person'),
    },
    'a sign-in adds no app when the owner adds another factor meanwhile': {
      ...{ scene: scenes.newAppOfSignIn, end: ends.otherFactor, answer: [400, 'TOTP_NOT_ENABLED'] },
      ...{ left: enabledApps, leaves: 0 },
    },
    'a sign-in that ended meanwhile adds no app': {
      ...{ scene: scenes.newAppOfSignIn, end: ends.waiting, answer: noSignIn, left: enabledApps, leaves: 0 },
    },
    'a sign-in gets no secret for an app when the owner adds another factor meanwhile': {
      ...{ scene: scenes.secretOfSignIn, end: ends.otherFactor, answer: [401, 'UNAUTHORIZED'] },
      ...{ left: factorsIn('totp'), leaves: 0 },
    },
    'a sign-in adds no passkey when the owner adds another factor meanwhile': {
      ...{ scene: scenes.newPasskeyOfSignIn, end: ends.otherFactor, answer: [401, 'UNAUTHORIZED'] },
      ...{ left: factorsIn('passkey'), leaves: 0 },
    },
    'a sign-in that ended meanwhile adds no passkey': {
      ...{ scene: scenes.newPasskeyOfSignIn, end: ends.waiting, answer: noSignIn, left: factorsIn('passkey'), leaves: 0 },
    },
  }
  testRows(() => [one, two], rows)
})

describe('further proofs when the session ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'a password does not renew a session that ended meanwhile': {
      ...{ scene: scenes.passwordAgain, end: ends.sessions, answer: noSignIn },
    },
    'an app code does not renew a session that ended meanwhile': {
      ...{ scene: scenes.appInSession, end: ends.sessions, answer: noSignIn },
    },
    'a recovery code does not renew a session that ended meanwhile': {
      ...{ scene: scenes.recoveryCodeInSession, end: ends.sessions, answer: noSignIn },
    },
    'a mailed code does not renew a session that ended meanwhile': {
      ...{ scene: scenes.secondMailedCodeInSession, end: ends.sessions, answer: noSignIn },
    },
    'a passkey does not renew a session that ended meanwhile': {
      ...{ scene: scenes.passkeyInSession, end: ends.sessions, answer: noSignIn },
    },
    'a passkey does not renew a session whose person signed out meanwhile': {
      ...{ scene: scenes.passkeyInSession, end: ends.signOut, answer: noSignIn },
    },
    'a session that ended meanwhile adds no app': {
      ...{ scene: scenes.newApp, end: ends.sessions, answer: noSignIn, left: enabledApps, leaves: 0 },
    },
    'a session that ended meanwhile adds no passkey': {
      ...{ scene: scenes.newPasskey, end: ends.sessions, answer: [401, 'UNAUTHORIZED'] },
      ...{ left: factorsIn('passkey'), leaves: 0 },
    },
  }
  testRows(() => [one, two], rows)
})
