/** Every way to a session under every policy, in one table of the results, and a check that no other call starts a session. */
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withPassword } from '../../support/totp.ts'
import { authorizePath, goOn, postForm, queryOf, register } from '../oidc/flow.ts'
import { invite, mailed } from '../organizations/inviting.ts'
import { operator } from '../organizations/people.ts'

/** The setting `secondFactor`, whether the person has an app, and whether their browser is remembered. */
interface Policy {
  readonly secondFactor?: object
  readonly hasApp?: boolean
  readonly isRemembered?: boolean
}
const needed = { requiredFor: ['user'], graceDays: 0 }
/** In the order of the columns of the table. */
const policies: Readonly<Record<string, Policy>> = {
  'nothing is required': {},
  'the person has a second factor': { hasApp: true },
  'a second factor is required and due': { secondFactor: needed },
  'a second factor is required after a grace period': { secondFactor: { ...needed, graceDays: 7 } },
  'a second factor is required, and one factor opens the account': { secondFactor: { ...needed, passwordAlone: 'account' } },
  'the person has a second factor, and a provider is trusted': {
    hasApp: true,
    secondFactor: { trustedProviders: ['github', 'google'] },
  },
  'the browser is remembered': { hasApp: true, isRemembered: true },
}

let t: TestApp
let policy: Policy
let github: FakeGitHub
let google: FakeProvider
beforeAll(async () => {
  github = await startGitHub()
  google = await startProvider()
})
afterAll(async () => {
  await github.stop()
  await google.stop()
})
const passkeys = passkeySteps(() => t)

/**
 * The result in the browser: the number of factors of its session, `acts` for an impersonation, `step` or `add` for a pending sign-in, or
 * `-`.
 */
const outcomeOf = async (browser: Client): Promise<string> => {
  const { knex } = t.app.core.db
  const found = await browser.api.sessions.getSession()
  if (found !== null) {
    const row = await knex('session').where({ id: found.session.id }).first('factors', 'impersonated_by')
    return row.impersonated_by === null ? String(row.factors) : 'acts'
  }
  const token = decodeURIComponent(browser.cookies.get('gatehouse.two_factor') ?? '').split('.')[0] ?? ''
  const tokenHash = createHash('sha256').update(token).digest('hex')
  const waiting = await knex('pending_sign_in').where({ token_hash: tokenHash }).first('must_enrol')
  if (waiting === undefined) return '-'
  return waiting.must_enrol ? 'add' : 'step'
}

interface Person {
  readonly email: string
  /** A browser without a session. It is the remembered one where browsers are remembered. */
  readonly browser: Client
  /** The browser of the sign-up, signed out. */
  readonly own: Client
  totpURI: string
  recoveryCodes: readonly string[]
}

const verifyApp = (browser: Client, { totpURI }: Pick<Person, 'totpURI'>, more: object = {}) => {
  // A time step that was not used yet.
  t.clock.advance({ seconds: 60 })
  return browser.post('/two-factor/verify-totp', { code: codeOf(totpURI), ...more })
}
const addApp = async (browser: Client, person: Pick<Person, 'totpURI' | 'recoveryCodes'>) => {
  const { status, json } = await browser.post('/two-factor/enable', {})
  if (status !== 200) return
  person.totpURI = String(json['totpURI'])
  person.recoveryCodes = json['backupCodes'] as string[]
  await verifyApp(browser, person)
}

let count = 0
/** Creates a new person with the factors of the policy. */
const person = async (isVerified = true): Promise<Person> => {
  count += 1
  const email = `person${count}@table.example`
  const own = t.client()
  await own.post('/sign-up/email', { email, password, name: 'Ann Example' })
  if (isVerified) await t.verify(email)
  const made: Person = { email, own, browser: policy.isRemembered === true ? own : t.client(), totpURI: '', recoveryCodes: [] }
  if (policy.hasApp === true) await addApp(own, made)
  if (policy.isRemembered === true) await verifyApp(own, made, { trustDevice: true })
  await own.post('/sign-out')
  return made
}
/** Signs in with everything that is required, in a new browser unless another one is given. */
const inside = async (who: Person, browser = t.client()): Promise<Client> => {
  await withPassword(t, who.email, browser)
  const asked = await outcomeOf(browser)
  if (asked === 'step') await verifyApp(browser, who)
  if (asked === 'add') await addApp(browser, who)
  return browser
}
/** A person with an app, whatever the policy. */
const withApp = async (): Promise<Person> => {
  const who = await person()
  if (who.totpURI === '') {
    const browser = await inside(who)
    if (who.totpURI === '') await addApp(browser, who)
  }
  return who
}
const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? ''
const linkTo = async (email: string, kind: string) => {
  await t.mails()
  const { pathname, search } = new URL((await t.mailTo(email, kind)).link)
  return pathname + search
}
const codeIn = async (email: string, kind: string) => {
  await t.mails()
  return /^(\d{6})\s*$/m.exec((await t.mailTo(email, kind)).raw)?.[1]
}
const administrator = async (): Promise<Client> => {
  const who = await person()
  await t.app.core.db.knex('user').where({ email: who.email }).update({ role: 'admin' })
  const browser = t.client()
  await inside(who, browser)
  if (who.totpURI === '') await addApp(browser, who)
  else await verifyApp(browser, who)
  return browser
}
const impersonate = async () => {
  const { id } = await t.app.users.require(t.app.core.db, (await person()).email)
  const browser = await administrator()
  await browser.post('/admin/impersonate-user', { userId: id })
  expect(await outcomeOf(browser)).toBe('acts')
  return browser
}
/** A verification link that was requested without a session. */
const verificationLink = async ({ email }: Person) => {
  await t.client().post('/send-verification-email', { email })
  return linkTo(email, 'verification')
}

interface Way {
  /** Paths of the called endpoints. */
  readonly calls: readonly string[]
  /**
   * The result for each policy: the number of factors of the session, `step` when the second one is asked for, `add` when it has to be
   * added, `-` for neither.
   */
  readonly leadsTo: string
  /** Returns the browser at the end. */
  readonly go: () => Promise<Client>
}

/**
 * The table must be complete: it contains every call that starts a session. The set-up of the instance comes first, because it works only
 * once.
 */
const ways: Readonly<Record<string, Way>> = {
  'the set-up of the instance': {
    calls: ['/setup'],
    leadsTo: '1 1 - 1 1 1 1',
    go: async () => {
      const token = tokenIn((await t.app.setup.createSetupLink(operator)).url)
      const browser = t.client()
      const body = { token, name: 'Ada Admin', email: 'ada@table.example', password: 'a long and uncommon one' }
      expect((await browser.post('/setup', body)).status).toBe(200)
      return browser
    },
  },
  'a sign-up': {
    calls: ['/sign-up/email'],
    leadsTo: '1 1 - 1 1 1 1',
    go: async () => {
      const browser = t.client()
      const body = { name: 'Ann Example', email: 'new@table.example', password }
      expect((await browser.post('/sign-up/email', body)).status).toBe(200)
      return browser
    },
  },
  'a sign-up by invitation': {
    calls: ['/hosted/invitation/sign-up'],
    leadsTo: '1 1 - 1 1 1 1',
    go: async () => {
      const owner = await inside(await person())
      await owner.api.organizations.createOrganization({ body: { name: 'Acme', slug: 'acme' } })
      await invite(owner, 'invited@table.example')
      const { id, token } = await mailed(t, 'invited@table.example')
      const browser = t.client()
      await browser.api.invitations.signUpInvited({ body: { invitationId: id, token, name: 'Ida', password } })
      return browser
    },
  },
  'the password': {
    calls: ['/sign-in/email'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      return withPassword(t, email, browser)
    },
  },
  'the form of the sign-in page': {
    calls: ['/sign-in'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      const headers = { origin: t.url, 'content-type': 'application/x-www-form-urlencoded' }
      await browser.request('/sign-in', { method: 'POST', headers, body: new URLSearchParams({ email, password }).toString() })
      return browser
    },
  },
  'the form of the sign-up page': {
    calls: ['/sign-up'],
    leadsTo: '1 1 - 1 1 1 1',
    go: async () => {
      const browser = t.client()
      const headers = { origin: t.url, 'content-type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams({ name: 'Ann Example', email: 'form@table.example', password }).toString()
      await browser.request('/sign-up', { method: 'POST', headers, body })
      return browser
    },
  },
  'the password with a user name': {
    calls: ['/sign-in/username'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      const username = `person${count}`
      await t.app.core.db.knex('user').where({ email }).update({ username })
      await browser.post('/sign-in/username', { username, password })
      return browser
    },
  },
  'the callback of a provider': {
    calls: ['/sign-in/social', '/callback/:id'],
    leadsTo: '1 step add 1 1 2 2',
    go: async () => {
      const { email, browser } = await person()
      github.state.person = githubPerson(9000 + count, email)
      await signInAt(browser, { provider: 'github', callbackURL: '/account' })
      return browser
    },
  },
  'an ID token of a provider': {
    calls: ['/sign-in/social'],
    leadsTo: '1 step add 1 1 2 2',
    go: async () => {
      const { email, browser } = await person()
      const token = await google.sign({ sub: email, email, email_verified: true, name: 'Ida', jti: randomUUID() })
      await browser.post('/sign-in/social', { provider: 'google', idToken: { token } })
      return browser
    },
  },
  'a link by mail': {
    calls: ['/sign-in/magic-link', '/magic-link/verify'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      await browser.post('/sign-in/magic-link', { email })
      await browser.request(await linkTo(email, 'sign-in'))
      return browser
    },
  },
  'the form of the page for a sign-in by mail': {
    calls: ['/mail-sign-in'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      const headers = { origin: t.url, 'content-type': 'application/x-www-form-urlencoded' }
      const sends = (fields: Record<string, string>) =>
        browser.request('/mail-sign-in', { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
      await sends({ email })
      await sends({ email, code: String(await codeIn(email, 'sign-in')) })
      return browser
    },
  },
  'a code by mail': {
    calls: ['/email-otp/send-verification-otp', '/sign-in/email-otp'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      await browser.post('/email-otp/send-verification-otp', { email, type: 'sign-in' })
      await browser.post('/sign-in/email-otp', { email, otp: await codeIn(email, 'sign-in') })
      return browser
    },
  },
  'a passkey': {
    calls: ['/passkey/verify-authentication'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const who = await person()
      const authenticator = createAuthenticator()
      await passkeys.register(await inside(who), authenticator)
      await passkeys.signIn(who.browser, authenticator)
      return who.browser
    },
  },
  'the password and a security key': {
    calls: ['/sign-in/email', '/passkey/verify-authentication'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const who = await person()
      const authenticator = createAuthenticator({ userVerified: false })
      await passkeys.register(await inside(who), authenticator)
      await passkeys.signIn(await withPassword(t, who.email, who.browser), authenticator)
      return who.browser
    },
  },
  'the password and a code of the app': {
    calls: ['/sign-in/email', '/two-factor/verify-totp'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const who = await withApp()
      await verifyApp(await withPassword(t, who.email, who.browser), who)
      return who.browser
    },
  },
  'the password, a code of the app, and a replacement of the app': {
    calls: ['/sign-in/email', '/two-factor/verify-totp', '/two-factor/replace', '/two-factor/confirm-replacement'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const who = await withApp()
      const browser = await withPassword(t, who.email, who.browser)
      await verifyApp(browser, who)
      const { totpURI } = await browser.api.twoFactor.replace()
      await browser.api.twoFactor.confirmReplacement({ body: { code: codeOf(totpURI) } })
      return browser
    },
  },
  'the password and a recovery code': {
    calls: ['/sign-in/email', '/two-factor/verify-backup-code'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const { email, browser, recoveryCodes } = await withApp()
      await withPassword(t, email, browser)
      expect((await browser.post('/two-factor/verify-backup-code', { code: recoveryCodes[0] })).status).toBe(200)
      return browser
    },
  },
  'the password and a mailed code': {
    calls: ['/sign-in/email', '/two-factor/send-otp', '/two-factor/verify-otp'],
    leadsTo: '2 2 step step step 2 2',
    go: async () => {
      const { email, browser } = await withApp()
      await withPassword(t, email, browser)
      const { status } = await browser.post('/two-factor/send-otp')
      const code = status === 200 ? await codeIn(email, 'second-factor-code') : '123456'
      await browser.post('/two-factor/verify-otp', { code })
      return browser
    },
  },
  'the password, and a code by mail after a wait': {
    calls: ['/sign-in/email', '/two-factor/recovery/request', '/two-factor/recovery/send-code', '/two-factor/recovery/complete'],
    leadsTo: '1 1 step step step 1 2',
    go: async () => {
      const { email, browser } = await withApp()
      const waiting = await withPassword(t, email, t.client())
      const asked = await waiting.post('/two-factor/recovery/request')
      const { knex } = t.app.core.db
      const { id } = await t.app.users.require(t.app.core.db, email)
      if (asked.status === 200)
        await knex('second_factor_recovery')
          .where({ user_id: id })
          .update({ stage: 'ready', ends_at: new Date(Date.now() + 3_600_000) })
      await withPassword(t, email, browser)
      const { status } = await browser.post('/two-factor/recovery/send-code')
      const code = status === 200 ? await codeIn(email, 'second-factor-recovery-code') : '123456'
      await browser.post('/two-factor/recovery/complete', { code })
      return browser
    },
  },
  'a link by mail and a mailed code': {
    calls: ['/sign-in/magic-link', '/two-factor/send-otp', '/two-factor/verify-otp'],
    leadsTo: 'step step step step step step 2',
    go: async () => {
      const { email, browser } = await withApp()
      await browser.post('/sign-in/magic-link', { email })
      await browser.request(await linkTo(email, 'sign-in'))
      expect((await browser.post('/two-factor/send-otp')).status).toBe(400)
      return browser
    },
  },
  'the password and a newly added app': {
    calls: ['/sign-in/email', '/two-factor/enable', '/two-factor/verify-totp'],
    leadsTo: '2 step 2 2 2 step 2',
    go: async () => {
      const who = await person()
      await addApp(await withPassword(t, who.email, who.browser), { totpURI: '', recoveryCodes: [] })
      return who.browser
    },
  },
  'the password and a newly added security key': {
    calls: ['/sign-in/email', '/passkey/generate-register-options', '/passkey/verify-registration'],
    leadsTo: '2 step 2 2 2 step 2',
    go: async () => {
      const { email, browser } = await person()
      await withPassword(t, email, browser)
      await passkeys.register(browser, createAuthenticator({ userVerified: false })).catch(() => undefined)
      return browser
    },
  },
  'the password again in a session': {
    calls: ['/verify-password'],
    leadsTo: '1 2 2 1 1 2 2',
    go: async () => {
      const who = await person()
      const browser = await inside(who, who.browser)
      expect((await browser.post('/verify-password', { password })).status).toBe(200)
      return browser
    },
  },
  'a password change that ends the other sessions': {
    calls: ['/change-password'],
    leadsTo: '1 2 2 1 1 2 2',
    go: async () => {
      const who = await person()
      const browser = await inside(who, who.browser)
      const body = { currentPassword: password, newPassword: `${password} 2`, revokeOtherSessions: true }
      // A remembered browser has not proven the second factor in this session, so the change asks for it.
      if (policy.isRemembered === true) {
        expect((await browser.post('/change-password', body)).status).toBe(403)
        await verifyApp(browser, who)
      }
      expect((await browser.post('/change-password', body)).status).toBe(200)
      return browser
    },
  },
  'a reset, then the new password': {
    calls: ['/reset-password', '/sign-in/email'],
    leadsTo: '1 step add 1 1 step step',
    go: async () => {
      const { email, browser } = await person()
      await browser.post('/request-password-reset', { email })
      const token = /reset-password\/(\w+)/.exec(await linkTo(email, 'reset-password'))?.[1]
      expect((await browser.post('/reset-password', { token, newPassword: password })).status).toBe(200)
      expect(await outcomeOf(browser)).toBe('-')
      return withPassword(t, email, browser)
    },
  },
  'a recovered address, then the new password': {
    calls: ['/recover-address', '/sign-in/email'],
    leadsTo: '1 step step 1 1 step step',
    go: async () => {
      const who = await person()
      const thief = await inside(who)
      await thief.post('/change-email', { newEmail: `thief-of-${who.email}` })
      await thief.request(await linkTo(who.email, 'change-email'))
      const token = tokenIn(`http://none${await linkTo(who.email, 'email-changed')}`)
      expect((await who.browser.post('/recover-address', { token, newPassword: password })).status).toBe(200)
      expect(await outcomeOf(who.browser)).toBe('-')
      return withPassword(t, who.email, who.browser)
    },
  },
  'a verification link in a browser of the account': {
    calls: ['/verify-email'],
    leadsTo: '1 - - 1 1 - 2',
    go: async () => {
      const who = await person(false)
      await who.own.request(await verificationLink(who))
      return who.own
    },
  },
  'a verification link with the password': {
    calls: ['/verify-email'],
    leadsTo: '1 - - 1 1 - 2',
    go: async () => {
      const who = await person(false)
      const token = tokenIn(`http://none${await verificationLink(who)}`)
      expect((await who.browser.post('/verify-email', { token, password })).status).toBe(200)
      return who.browser
    },
  },
  'an administrator who impersonates the person': {
    calls: ['/admin/impersonate-user'],
    leadsTo: 'acts acts acts acts acts acts acts',
    go: impersonate,
  },
  'an administrator who stops impersonating the person': {
    calls: ['/admin/stop-impersonating'],
    leadsTo: '2 2 2 2 2 2 2',
    go: async () => {
      const browser = await impersonate()
      await browser.post('/admin/stop-impersonating')
      return browser
    },
  },
  'the password for an application': {
    calls: [
      ...['/sign-in/email', '/oauth2/consent', '/oauth2/select-account'],
      ...['/oauth2/choose-organization', '/oauth2/decline-step-up', '/oauth2/cancel'],
    ],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      const application = await register(t)
      await withPassword(t, email, browser)
      const before = await outcomeOf(browser)
      const { code } = queryOf((await goOn(browser, await browser.request(authorizePath(application)))).location)
      expect(code !== undefined, 'only a session gives a code').toBe(['1', '2'].includes(before))
      for (const call of ['consent', 'select-account', 'choose-organization', 'decline-step-up', 'cancel'])
        await browser.post(`/oauth2/${call}`, { accept: true, interaction: 'none', organizationId: null })
      return browser
    },
  },
  'the password for a device with limited input': {
    calls: ['/sign-in/email', '/oauth2/device/confirm'],
    leadsTo: '1 step add 1 1 step 2',
    go: async () => {
      const { email, browser } = await person()
      const television = await register(t, { type: 'native', redirectUris: [], deviceFlow: true })
      const { json: asked } = await postForm(t, television, '/oauth2/device', { scope: 'openid' })
      const { json: confirmed } = await browser.post('/oauth2/device/confirm', { userCode: asked['user_code'] })
      expect(await outcomeOf(browser)).toBe('-')
      await withPassword(t, email, browser)
      const before = await outcomeOf(browser)
      await goOn(browser, await browser.request(String(confirmed['redirectURI'])))
      const given = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: String(asked['device_code']) }
      const { status } = await postForm(t, television, '/oauth2/token', given)
      expect(status === 200, 'only a session lets a device in').toBe(['1', '2'].includes(before))
      return browser
    },
  },
}

describe.each(Object.entries(policies).map(([name, given], column) => ({ name, given, column })))(
  'where $name',
  ({ given, column }) => {
    beforeAll(async () => {
      policy = given
      count = 0
      const { section } = github
      const { jwksUrl, state } = google
      t = await testApp({
        config: {
          outbound,
          accounts: { signInAfterVerification: true, userNames: { mode: 'optional' } },
          mailSignIn: { enabled: true },
          secondFactor: { mailCodes: true, recoveryWaitDays: 4, ...given.secondFactor },
          social: {
            github: section,
            google: { clientId: 'client-1', clientSecret: 'secret-1', trustsEmail: true, jwksUrl, issuer: state.issuer },
          },
        },
      })
    })
    afterAll(() => t.stop())

    test('every way to a session follows the second factor policy', async () => {
      const found: Record<string, string | undefined> = {}
      const expected: Record<string, string | undefined> = {}
      for (const [name, { leadsTo, go }] of Object.entries(ways)) {
        expected[name] = leadsTo.split(' ')[column]
        found[name] = await go().then(outcomeOf, (error: unknown) => String(error))
      }
      expect(found).toEqual(expected)
    }, 180_000)

    test('after a person has a second factor, no session of one factor is left, and only listed calls start sessions', async () => {
      const { knex } = t.app.core.db
      const weak = await knex('session')
        .join('user', 'user.id', 'session.user_id')
        .where({ 'user.two_factor_enabled': true, 'session.impersonated_by': null })
        .where('session.factors', '<', 2)
        .where('session.expires_at', '>', t.app.core.clock.now())
        .pluck('user.email')
      expect(weak).toEqual([])
      const inTable = new Set(Object.values(ways).flatMap(({ calls }) => calls))
      const paths: readonly string[] = t.app.routes.map(({ endpoint }) => endpoint.path)
      expect([...inTable].filter((path) => !paths.includes(path))).toEqual([])
      const starting: readonly string[] = t.app.routes.flatMap(({ endpoint }) =>
        endpoint.startsSession === true ? [endpoint.path] : [],
      )
      expect(starting.filter((path) => !inTable.has(path))).toEqual([])
    })
  },
)
