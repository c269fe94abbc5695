/** "This was not me": answers to notices, by the link in their mails. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf } from '../../support/totp.ts'
import { codeFor, offline, redeem, refresh, register } from '../oidc/flow.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const { personWithPasskey, register: registerPasskey, signIn: signInWithPasskey } = passkeySteps(() => t)

const phone = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0' }
const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const answer = (token: string, by = t.client()) => by.post('/not-me', { token })
/** A person with a verified address. */
const owner = async (email: string) => {
  const client = await t.signedIn(email)
  await t.verify(email)
  return client
}
/** Signs in from an unknown browser and returns the link of the notice. */
const newDevice = async (email: string) => {
  const thief = t.client()
  expect((await thief.post('/sign-in/email', { email, password }, phone)).status).toBe(200)
  await t.mails()
  return { thief, link: (await t.mailTo(email, 'new-device')).link }
}
const withReset = async (email: string, newPassword: string) => {
  const token = /reset-password\/(\w+)/.exec((await t.mailTo(email, 'reset-password')).link)?.[1]
  return t.client().post('/reset-password', { token, newPassword })
}

test('one press on "this was not me" ends sessions, tokens, API keys and the password, until a mailed link sets a new password', async () => {
  const email = 'ann@example.com'
  const client = await owner(email)
  const { thief, link } = await newDevice(email)
  const app = await register(t)
  const held = (await redeem(t, app, await codeFor(thief, app, offline))).json
  expect(new URL(link).pathname).toBe('/not-me')
  const { status, json } = await answer(tokenOf(link))
  expect([status, json]).toEqual([200, { status: true, email, isNewPasswordMailed: true, waysIn: [], removed: [] }])
  expect([await userOf(client), await userOf(thief)]).toEqual([undefined, undefined])
  expect((await refresh(t, app, held['refresh_token'])).status).toBe(400)
  expect((await t.client().post('/sign-in/email', { email, password })).json['code']).toBe('INVALID_EMAIL_OR_PASSWORD')
  expect((await withReset(email, 'another battery staple')).status).toBe(200)
  expect((await t.client().post('/sign-in/email', { email, password: 'another battery staple' })).status).toBe(200)
})

test('opening the link of a notice changes nothing, however often it is opened and by whatever program', async () => {
  const email = 'bea@example.com'
  const client = await owner(email)
  const { thief, link } = await newDevice(email)
  for (const accept of ['text/html', '*/*', 'application/json']) await t.client().request(link, { headers: { accept } })
  expect([await userOf(client), await userOf(thief)]).toMatchObject([{ email }, { email }])
  expect((await answer(tokenOf(link))).status).toBe(200)
})

testOnBoth(
  'the link of a notice works once and for seven days, even with simultaneous requests, and only the hash of the link is stored',
  async () => {
    const email = 'cas@example.com'
    await owner(email)
    const first = await newDevice(email)
    const token = tokenOf(first.link)
    const rows = await t.app.core.db.knex('verification').where('identifier', 'like', 'report-activity:%')
    expect(JSON.stringify(rows)).not.toContain(token)
    const answers = await Promise.all([answer(token), answer(token), answer(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])

    const late = 'dan@example.com'
    const client = await owner(late)
    const { link } = await newDevice(late)
    t.clock.advance({ days: 7, seconds: 1 })
    expect((await answer(tokenOf(link))).json['code']).toBe('INVALID_TOKEN')
    expect(await userOf(client)).toBeUndefined()
    expect((await t.client().post('/sign-in/email', { email: late, password })).status).toBe(200)
  },
)

test('answering one notice invalidates the links of all earlier notices', async () => {
  const email = 'eve@example.com'
  await owner(email)
  const first = await newDevice(email)
  const second = t.client()
  await second.post('/sign-in/email', { email, password }, { 'user-agent': 'curl/8.0' })
  await t.mails()
  const other = (await t.mailTo(email, 'new-device')).link
  expect((await answer(tokenOf(other))).status).toBe(200)
  await withReset(email, 'another battery staple')
  const back = t.client()
  await back.post('/sign-in/email', { email, password: 'another battery staple' })
  expect((await answer(tokenOf(first.link))).json['code']).toBe('INVALID_TOKEN')
  expect(await userOf(back)).toMatchObject({ email })
})

test('a thief who changes the password does not invalidate the link of an earlier notice, and the notice of the change has its own link', async () => {
  const email = 'fay@example.com'
  await owner(email)
  const { thief, link } = await newDevice(email)
  await thief.post('/change-password', { currentPassword: password, newPassword: 'the password of a thief' })
  expect(new URL((await t.mailTo(email, 'password-changed')).link).pathname).toBe('/not-me')
  expect((await answer(tokenOf(link))).status).toBe(200)
  expect(await userOf(thief)).toBeUndefined()
  expect((await t.client().post('/sign-in/email', { email, password: 'the password of a thief' })).status).toBe(401)
})

test("the link of a notice is invalid once the account's email address changes, also for later owners of the address", async () => {
  const client = await owner('gil@example.com')
  const { link } = await newDevice('gil@example.com')
  await client.post('/change-email', { newEmail: 'gils-other@example.com' })
  await client.request((await t.mailTo('gil@example.com', 'change-email')).link)
  const next = await owner('gil@example.com')
  expect((await answer(tokenOf(link))).json['code']).toBe('INVALID_TOKEN')
  expect([await userOf(client), await userOf(next)]).toMatchObject([
    { email: 'gils-other@example.com' },
    { email: 'gil@example.com' },
  ])
})

test('a notice to an email address that was never verified has no "not me" link, because a stranger may read the notice', async () => {
  const email = 'hal@example.com'
  await t.signedIn(email)
  const { link } = await newDevice(email)
  expect(link).toBe(`${t.url}/account/devices`)
})

test('answering a notice keeps earlier second factors and lists the sign-in methods that still work', async () => {
  const email = 'ida@example.com'
  const { client, authenticator, passkey } = await personWithPasskey(email)
  await t.verify(email)
  const { link } = await t.mailTo(email, 'user-passkey-added')
  // The app was added before the address was verified.
  expect(link).toBe(`${t.url}/account`)
  await signInWithPasskey(t.client(), authenticator)
  await t.client().post('/sign-in/email', { email, password }, phone)
  const { json } = await answer(tokenOf((await t.mailTo(email, 'new-device')).link))
  expect(json['waysIn']).toMatchObject([{ kind: 'passkey', name: passkey.name }])
  expect(await userOf(client)).toBeUndefined()
  expect((await signInWithPasskey(t.client(), authenticator)).status).toBe(200)
})

test('without passwords the link of a notice ends sessions and lists the remaining sign-in methods, and an email address is taken back', async () => {
  const off = await testApp({
    config: { accounts: { emailPasswordEnabled: false }, mailSignIn: { enabled: true, signUp: true } },
  })
  const email = 'jan@example.com'
  const signIn = async (headers: Record<string, string> = {}) => {
    const client = off.client()
    await off.mails()
    await client.post('/sign-in/magic-link', { email }, headers)
    await off.mails()
    const otp = /^(\d{6})\s*$/m.exec((await off.mailTo(email, 'sign-in')).raw)?.[1] ?? ''
    expect((await client.post('/sign-in/email-otp', { email, otp, name: 'Jan' }, headers)).status).toBe(200)
    return client
  }
  const client = await signIn()
  const other = await signIn(phone)
  const answered = await off.client().post('/not-me', { token: tokenOf((await off.mailTo(email, 'new-device')).link) })
  expect(answered.json).toEqual({ status: true, email, isNewPasswordMailed: false, waysIn: [], removed: [] })
  expect([await userOf(client), await userOf(other)]).toEqual([undefined, undefined])
  expect(await off.mailKinds(email)).not.toContain('reset-password')

  const thief = await signIn()
  await thief.post('/change-email', { newEmail: 'thief@evil.example' })
  await thief.request((await off.mailTo(email, 'change-email')).link)
  const token = tokenOf((await off.mailTo(email, 'email-changed')).link)
  expect((await off.client().post('/recover-address', { token })).json).toEqual({ status: true, waysIn: [] })
  expect(await userOf(thief)).toBeUndefined()
  expect(await userOf(await signIn())).toMatchObject({ email, emailVerified: true })
  await off.stop()
})

test('taking an email address back requires a new password if passwords are on', async () => {
  const email = 'kim@example.com'
  const thief = await owner(email)
  await thief.post('/change-email', { newEmail: 'kims-thief@evil.example' })
  await thief.request((await t.mailTo(email, 'change-email')).link)
  const token = tokenOf((await t.mailTo(email, 'email-changed')).link)
  expect((await t.client().post('/recover-address', { token })).json['code']).toBe('PASSWORD_TOO_SHORT')
})

test('after an email address is taken back, the answer names a passkey that a thief added, because the passkey still signs in', async () => {
  const email = 'lea@example.com'
  const { client: thief, authenticator, passkey } = await personWithPasskey(email)
  await t.verify(email)
  await thief.post('/change-email', { newEmail: 'leas-thief@evil.example' })
  await thief.request((await t.mailTo(email, 'change-email')).link)
  const token = tokenOf((await t.mailTo(email, 'email-changed')).link)
  const { json } = await t.client().post('/recover-address', { token, newPassword: 'another battery staple' })
  expect(json).toMatchObject({ status: true, waysIn: [{ kind: 'passkey', name: passkey.name }] })
  expect((await signInWithPasskey(t.client(), authenticator)).status).toBe(200)
})

test('answering a notice invalidates mailed reset and deletion links, also for an account without a password', async () => {
  const strict = await testApp({ config: { accounts: { deleteUserVerification: true } } })
  const email = 'mia@example.com'
  const client = await strict.signedIn(email)
  await strict.verify(email)
  await strict.client().post('/sign-in/email', { email, password }, phone)
  const { core, users } = strict.app
  const { id } = await users.require(core.db, email)
  await core.db.knex('account').where({ user_id: id }).delete()
  await client.post('/delete-user')
  await client.post('/request-password-reset', { email })
  expect(await strict.mailKinds(email)).toEqual(['new-device', 'delete-account', 'reset-password'])
  const reset = /reset-password\/(\w+)/.exec((await strict.mailTo(email, 'reset-password')).link)?.[1]
  const { link } = await strict.mailTo(email, 'new-device')
  const answered = await strict.client().post('/not-me', { token: tokenOf(link) })
  expect(answered.json).toMatchObject({ status: true, isNewPasswordMailed: false })
  const stolen = await strict.client().post('/reset-password', { token: reset, newPassword: 'the password of a thief' })
  expect(stolen.json['code']).toBe('INVALID_TOKEN')
  expect(await core.db.knex('verification').where({ user_id: id })).toEqual([])
  await strict.stop()
})

/** A browser with the stolen session of the owner. */
const stolenFrom = (client: Client) => {
  const thief = t.client()
  for (const [name, value] of client.cookies) thief.cookies.set(name, value)
  return thief
}

test('answering a notice removes the passkey and the authenticator app that a thief added, and the owner signs in with the new password alone', async () => {
  const email = 'nat@example.com'
  const client = await owner(email)
  const thief = stolenFrom(client)
  const key = createAuthenticator()
  await registerPasskey(thief, key)
  const { totpURI, backupCodes } = (await thief.post('/two-factor/enable', {})).json as { totpURI: string; backupCodes: string[] }
  expect((await thief.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  await t.mails()
  const { link } = await t.mailTo(email, 'user-passkey-added')
  const { json } = await answer(tokenOf(link))
  expect(json).toMatchObject({ isNewPasswordMailed: true, waysIn: [], removed: [{ kind: 'totp' }, { kind: 'passkey' }] })
  expect((await signInWithPasskey(t.client(), key)).status).toBe(401)
  await withReset(email, 'another battery staple')
  const back = t.client()
  expect((await back.post('/sign-in/email', { email, password: 'another battery staple' })).json).toHaveProperty('token')
  expect(await back.api.twoFactor.status()).toMatchObject({ isEnabled: false, recoveryCodes: null })
  expect((await back.post('/two-factor/verify-backup-code', { code: backupCodes[0] })).status).toBe(400)
})

test("answering a notice about an organization's API key ends the key, even after a later notice was answered", async () => {
  const email = 'orla@example.com'
  const client = await owner(email)
  const { id } = await t.app.users.require(t.app.core.db, email)
  const { id: organizationId } = await t.app.organizations.createFor(operator, { name: 'Own', slug: 'own' }, id, true)
  const made = await client.post('/api-key/create', { name: 'Mine', organizationId, permissions: ['member:read'] })
  expect(made.status).toBe(200)
  const { totpURI } = (await client.post('/two-factor/enable', {})).json as { totpURI: string }
  t.clock.advance({ seconds: 1 })
  await client.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  await t.mails()
  const [first, later] = [await t.mailTo(email, 'api-key-created'), await t.mailTo(email, 'totp-enabled')]
  const keys = () => t.app.core.db.knex('api_key').where({ organization_id: organizationId })
  expect((await answer(tokenOf(later.link))).status).toBe(200)
  expect(await keys()).toHaveLength(1)
  expect((await answer(tokenOf(first.link))).status).toBe(200)
  expect(await keys()).toEqual([])
})

test('an earlier notice can still be answered after a later notice, if the answer would still remove something', async () => {
  const email = 'oda@example.com'
  const client = await owner(email)
  const thief = stolenFrom(client)
  const key = createAuthenticator()
  await registerPasskey(thief, key)
  await t.mails()
  const first = (await t.mailTo(email, 'user-passkey-added')).link
  t.clock.advance({ minutes: 1 })
  const { totpURI } = (await thief.post('/two-factor/enable', {})).json as { totpURI: string }
  await thief.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  await t.mails()
  const second = (await t.mailTo(email, 'totp-enabled')).link
  const { json } = await answer(tokenOf(second))
  expect(json).toMatchObject({ waysIn: [{ kind: 'passkey' }], removed: [{ kind: 'totp' }] })
  expect((await answer(tokenOf(first))).json).toMatchObject({ waysIn: [], removed: [{ kind: 'passkey' }] })
  expect((await signInWithPasskey(t.client(), key)).status).toBe(401)
})

test('answering a notice keeps a second factor older than the notice, so a mailbox alone cannot remove it', async () => {
  const email = 'pia@example.com'
  const client = await owner(email)
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  t.clock.advance({ days: 8 })
  await t.client().post('/sign-in/email', { email, password })
  const again = t.client()
  await again.post('/sign-in/email', { email, password }, phone)
  expect((await again.post('/two-factor/verify-totp', { code: codeOf(totpURI) }, phone)).status).toBe(200)
  await t.mails()
  const { json } = await answer(tokenOf((await t.mailTo(email, 'new-device')).link))
  expect(json).toMatchObject({ waysIn: [{ kind: 'totp' }], removed: [] })
  await withReset(email, 'another battery staple')
  const thief = t.client()
  expect((await thief.post('/sign-in/email', { email, password: 'another battery staple' })).json).toHaveProperty(
    'twoFactorRedirect',
  )
})
