/** Changes of accounts whose basis (a session, a link, an address) ends between the check of the call and its commit. */
import { afterAll, beforeAll, describe } from 'vitest'
import { lockRow } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'
import { type Ending, endings, type Row, type Scene, system, testRows } from './ending.ts'

let github: FakeGitHub
let one: TestApp
let two: TestApp
beforeAll(async () => {
  github = await startGitHub()
  one = await testApp({
    config: {
      ...{ outbound, social: { github: github.section }, trustedOrigins: ['http://localhost:*'], limits: { enabled: 'off' } },
      apiKeys: { personalEnabled: true },
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
const newPassword = 'another battery staple'
const table = (name: string) => one.app.core.db.knex(name)

const ends = {
  ...endings(() => one),
  notice: async ({ tx, id }: Ending) => {
    await lockRow(tx, 'user', id)
    await tx.knex('verification').where('identifier', 'like', 'report-activity:%').delete()
  },
}

const verified = async (email: string) => {
  const browser = await two.signedIn(email)
  await two.verify(email)
  return browser
}
const pathTo = async (email: string, kind: string) => {
  await two.mails()
  const { pathname, search } = new URL((await two.mailTo(email, kind)).link)
  return pathname + search
}
const tokenIn = (path: string) => new URL(path, 'http://none').searchParams.get('token') ?? ''

const accountScenes = {
  newPassword: async (email: string): Promise<Scene> => {
    const browser = await verified(email)
    const body = { currentPassword: password, newPassword, revokeOtherSessions: true }
    return { email, browser, act: () => browser.post('/change-password', body) }
  },
  reset: async (email: string): Promise<Scene> => {
    await verified(email)
    const browser = two.client()
    await browser.post('/request-password-reset', { email })
    const token = /reset-password\/(\w+)/.exec(await pathTo(email, 'reset-password'))?.[1]
    return { email, browser, act: () => browser.post('/reset-password', { token, newPassword }) }
  },
  recoveryLink: async (email: string): Promise<Scene> => {
    await withAuthenticator(two, email)
    await two.verify(email)
    const { url } = await two.app.passwordService.createRecoveryLink(system, email, { secondFactor: true })
    const browser = two.client()
    return { email, browser, act: () => browser.post('/reset-password', { token: tokenIn(url), newPassword }) }
  },
  report: async (email: string): Promise<Scene> => {
    const owner = await verified(email)
    await owner.post('/change-password', { currentPassword: password, newPassword })
    const token = tokenIn(await pathTo(email, 'password-changed'))
    const browser = two.client()
    return { email, browser, act: () => browser.post('/not-me', { token }) }
  },
  newAddress: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    return { email, browser, act: () => browser.post('/change-email', { newEmail: `new-${email}` }) }
  },
  newAddressByLink: async (email: string): Promise<Scene> => {
    const browser = await verified(email)
    await browser.post('/change-email', { newEmail: `new-${email}` })
    const path = await pathTo(email, 'change-email')
    return { email, browser, act: () => browser.request(path) }
  },
  formerAddress: async (email: string): Promise<Scene> => {
    const thief = await verified(email)
    await thief.post('/change-email', { newEmail: `thief-${email}` })
    await thief.request(await pathTo(email, 'change-email'))
    const token = tokenIn(await pathTo(email, 'email-changed'))
    const browser = two.client()
    return { email: `thief-${email}`, browser, act: () => browser.post('/recover-address', { token, newPassword }) }
  },
  verification: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    await browser.post('/send-verification-email', { email })
    const path = await pathTo(email, 'verification')
    return { email, browser, act: () => browser.request(path) }
  },
  claim: async (email: string): Promise<Scene> => {
    await two.signedIn(email)
    const browser = two.client()
    await browser.post('/send-verification-email', { email })
    const token = tokenIn(await pathTo(email, 'verification'))
    return { email, browser, act: () => browser.post('/verify-email', { token, newPassword }) }
  },
  deletion: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    return { email, browser, act: () => browser.post('/delete-user', { password }) }
  },
  unlink: async (email: string): Promise<Scene> => {
    const { client: browser } = await passkeys.personWithPasskey(email)
    return { email, browser, act: () => browser.post('/unlink-account', { providerId: 'credential' }) }
  },
  link: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    const number = Number.parseInt(/\d+/.exec(email)?.[0] ?? '', 10) * 2 + Number(email.startsWith('twin'))
    github.state.person = githubPerson(70_000 + number, email)
    const start = { provider: 'github', callbackURL: '/account' }
    const back = await atProvider((await startAtProvider(browser, start, '/link-social')).url)
    const { pathname, search } = new URL(back)
    return {
      ...{ email, browser },
      act: () => {
        github.state.person = githubPerson(70_000 + number, email)
        return browser.request(pathname + search)
      },
    }
  },
  passkey: async (email: string): Promise<Scene> => {
    const { client: browser, passkey } = await passkeys.personWithPasskey(email)
    return { email, browser, act: () => browser.post('/passkey/delete-passkey', { id: passkey.id }) }
  },
  app: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    return { email, browser, act: () => browser.post('/two-factor/disable', { password }) }
  },
  replacement: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    return { email, browser, act: () => browser.post('/two-factor/replace', { password }) }
  },
  shownSecret: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    return { email, browser, act: () => browser.post('/two-factor/get-totp-uri', { password }) }
  },
  confirmedReplacement: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    const { totpURI } = await browser.api.twoFactor.replace({ body: { password } })
    return { email, browser, act: () => browser.post('/two-factor/confirm-replacement', { code: codeOf(totpURI) }) }
  },
  recoveryCodes: async (email: string): Promise<Scene> => {
    const { browser } = await withAuthenticator(two, email)
    return { email, browser, act: () => browser.post('/two-factor/generate-backup-codes', { password }) }
  },
  apiKey: async (email: string): Promise<Scene> => {
    const browser = await two.signedIn(email)
    return { email, browser, act: () => browser.post('/api-key/create', { name: 'Test', permissions: ['organization:read'] }) }
  },
}

const emailOf = async (_: Scene, id: string) => (await table('user').where({ id }).first('email'))?.email.split('@')[1]
const countIn = (name: string) => async (_: Scene, id: string) => (await table(name).where({ user_id: id }).select('id')).length
const opens = async ({ email }: Scene) => (await one.client().post('/sign-in/email', { email, password: newPassword })).status
const isVerified = async (_: Scene, id: string) => Boolean((await table('user').where({ id }).first()).email_verified)
const ended = [401, 'UNAUTHORIZED'] as const

describe('changes of an account when their session or link ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'a session that ended meanwhile cannot change the password': {
      ...{ scene: accountScenes.newPassword, end: ends.sessions, answer: ended, left: opens, leaves: 401 },
    },
    'a password change fails when the password is replaced meanwhile': {
      ...{ scene: accountScenes.newPassword, end: ends.password, answer: [400, 'INVALID_PASSWORD'], left: opens, leaves: 401 },
    },
    'a reset link fails when another password is set meanwhile': {
      ...{ scene: accountScenes.reset, end: ends.password, answer: [400, 'INVALID_TOKEN'], left: opens, leaves: 401 },
    },
    'a reset link fails when the account gets another address meanwhile': {
      ...{ scene: accountScenes.reset, end: ends.address, answer: [400, 'INVALID_TOKEN'], left: opens, leaves: 401 },
    },
    'a reset link fails when the account is banned meanwhile': {
      ...{ scene: accountScenes.reset, end: ends.ban, answer: [403, 'BANNED_USER'], left: opens, leaves: 401 },
    },
    "an operator's recovery link removes no second factor when the account gets another address meanwhile": {
      ...{
        scene: accountScenes.recoveryLink,
        end: ends.address,
        answer: [400, 'INVALID_TOKEN'],
        left: countIn('totp'),
        leaves: 1,
      },
    },
    'the link of a notice removes no password when the link is used meanwhile': {
      ...{ scene: accountScenes.report, end: ends.notice, answer: [400, 'INVALID_TOKEN'], left: opens, leaves: 200 },
    },
    'a session that ended meanwhile cannot change the address': {
      ...{ scene: accountScenes.newAddress, end: ends.sessions, answer: ended, left: emailOf, leaves: 'example.com' },
    },
    'a session that a claim of the account ended meanwhile cannot change the address': {
      ...{ scene: accountScenes.newAddress, end: ends.claim, answer: ended, left: emailOf, leaves: 'example.com' },
    },
    'a link that changes the address fails when its session ends meanwhile': {
      ...{
        scene: accountScenes.newAddressByLink,
        end: ends.sessions,
        answer: [302, 'unauthorized'],
        left: emailOf,
        leaves: 'example.com',
      },
    },
    'a link that changes the address fails when the account gets another address meanwhile': {
      ...{ scene: accountScenes.newAddressByLink, end: ends.address, answer: [302, 'couldnt_update_your_email'] },
      ...{ left: emailOf, leaves: 'elsewhere.example' },
    },
    'a former address cannot take the account back when its link is used meanwhile': {
      ...{ scene: accountScenes.formerAddress, end: ends.rows('address_recovery'), answer: [400, 'INVALID_TOKEN'] },
      ...{ left: opens, leaves: 401 },
    },
    'a former address cannot take the account back when the account is banned meanwhile': {
      ...{ scene: accountScenes.formerAddress, end: ends.ban, answer: [403, 'BANNED_USER'], left: opens, leaves: 401 },
    },
    'a verification link does not verify another address that the account gets meanwhile': {
      ...{ scene: accountScenes.verification, end: ends.address, answer: [302, null], left: isVerified, leaves: false },
    },
    'an account cannot be claimed when somebody else claims it meanwhile': {
      ...{ scene: accountScenes.claim, end: ends.claim, answer: [401, 'INVALID_TOKEN'], left: opens, leaves: 401 },
    },
    'an account cannot be claimed when it gets another address meanwhile': {
      ...{ scene: accountScenes.claim, end: ends.address, answer: [401, 'INVALID_TOKEN'], left: opens, leaves: 401 },
    },
    'a session that ended meanwhile cannot delete the account': {
      ...{ scene: accountScenes.deletion, end: ends.sessions, answer: ended, left: emailOf, leaves: 'example.com' },
    },
    'a session that ended meanwhile cannot remove a sign-in method': {
      ...{ scene: accountScenes.unlink, end: ends.sessions, answer: ended, left: countIn('account'), leaves: 1 },
    },
    'a session that ended meanwhile cannot link a provider': {
      ...{ scene: accountScenes.link, end: ends.sessions, answer: [302, 'unable_to_link_account'] },
      ...{ left: countIn('account'), leaves: 1 },
    },
    'a session that ended meanwhile cannot remove a passkey': {
      ...{ scene: accountScenes.passkey, end: ends.sessions, answer: ended, left: countIn('passkey'), leaves: 1 },
    },
    'a session that ended meanwhile cannot remove an authenticator app': {
      ...{ scene: accountScenes.app, end: ends.sessions, answer: ended, left: countIn('totp'), leaves: 1 },
    },
    'a session that ended meanwhile cannot begin to replace an authenticator app': {
      ...{ scene: accountScenes.replacement, end: ends.sessions, answer: ended, left: countIn('totp'), leaves: 1 },
    },
    'a session that ended meanwhile is not shown the secret of an authenticator app': {
      ...{ scene: accountScenes.shownSecret, end: ends.sessions, answer: ended },
    },
    'a session that ended meanwhile cannot replace an authenticator app': {
      ...{ scene: accountScenes.confirmedReplacement, end: ends.sessions, answer: [401, 'INVALID_TWO_FACTOR_COOKIE'] },
      ...{ left: countIn('totp'), leaves: 2 },
    },
    'an authenticator app that is removed meanwhile cannot be replaced': {
      ...{ scene: accountScenes.confirmedReplacement, end: ends.rows('totp'), answer: [400, 'TOTP_NOT_ENABLED'] },
      ...{ left: countIn('totp'), leaves: 0 },
    },
    'a session that ended meanwhile cannot create recovery codes': {
      ...{ scene: accountScenes.recoveryCodes, end: ends.sessions, answer: ended },
    },
    'recovery codes are not created when the last factor is removed meanwhile': {
      ...{ scene: accountScenes.recoveryCodes, end: ends.factors, answer: [400, 'TWO_FACTOR_NOT_ENABLED'], leaves: true },
    },
    'a session that ended meanwhile cannot create an API key': {
      ...{ scene: accountScenes.apiKey, end: ends.sessions, answer: ended, left: countIn('api_key'), leaves: 0 },
    },
  }
  testRows(() => [one, two], rows)
})
