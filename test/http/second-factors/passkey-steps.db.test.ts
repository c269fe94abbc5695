/** Passkeys and security keys as the second step of a sign-in and as a further proof of a session, and their configuration. */
import { afterEach, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { outcome, passkeySteps, refusal } from '../../support/passkeys.ts'

let t: TestApp
const start = async (config: Record<string, unknown> = {}) => {
  t = await testApp({ config })
}
afterEach(() => t.stop())

const { create, register, sign, send, signIn, personWithPasskey } = passkeySteps(() => t)

const withPassword = async (email: string) => {
  const client = t.client()
  const { json } = await client.post('/sign-in/email', { email, password })
  return { client, json }
}
const sessionRow = async (client: Client) => {
  const { session } = (await client.api.sessions.getSession()) ?? {}
  return t.app.core.db.knex('session').where({ id: session?.id }).first()
}

describe('passkeys with the default configuration', () => {
  beforeEach(() => start())

  test('a security key without a PIN turns two-step verification on, and is a second factor beside the password', async () => {
    const other = await t.signedIn('ann@example.com')
    const { client: first } = await withPassword('ann@example.com')
    const key = createAuthenticator({ userVerified: false })
    expect((await register(first, key)).user?.twoFactorEnabled).toBe(true)
    expect(await other.api.sessions.getSession()).toBeNull()
    expect(outcome(await signIn(t.client(), key))).toEqual([401, 'USER_VERIFICATION_REQUIRED'])

    const { client, json } = await withPassword('ann@example.com')
    expect(json).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['security-key'] })
    const options = await client.api.passkeys.generateAuthenticateOptions()
    expect(options).toMatchObject({ userVerification: 'preferred', allowCredentials: [{ id: key.credentials[0]?.id }] })
    expect((await send(client, key.get(options, { origin: t.url }))).status).toBe(200)
    const row = await sessionRow(client)
    expect([JSON.parse(row.amr).toSorted(), row.acr]).toEqual([
      ['hwk', 'mfa', 'pwd', 'user'],
      'urn:gatehouse:acr:phishing-resistant',
    ])
  })

  test('a browser is remembered on request only after a passkey is used as second step', async () => {
    const email = 'abe@example.com'
    const { client: owner, authenticator } = await personWithPasskey(email, { userVerified: false })
    const verify = async (client: Client, trustDevice?: boolean) => {
      const response = await sign(client, authenticator)
      const answer = await client.post('/passkey/verify-authentication', {
        response,
        ...(trustDevice === undefined ? {} : { trustDevice }),
      })
      expect(answer.status).toBe(200)
    }
    const { client: plain } = await withPassword(email)
    await verify(plain)
    expect((await plain.post('/sign-in/email', { email, password })).json).toHaveProperty('twoFactorRedirect')
    const { client } = await withPassword(email)
    await verify(client, true)
    await client.post('/sign-out')
    expect((await client.post('/sign-in/email', { email, password })).json).toHaveProperty('token')
    expect(await owner.api.rememberedBrowsers.listRememberedBrowsers()).toHaveLength(1)

    const { authenticator: whole } = await personWithPasskey('ben@example.com')
    const browser = t.client()
    const response = whole.get(await browser.api.passkeys.generateAuthenticateOptions(), { origin: t.url })
    expect((await browser.post('/passkey/verify-authentication', { response, trustDevice: true })).status).toBe(200)
    expect(await browser.api.rememberedBrowsers.listRememberedBrowsers()).toEqual([])
  })

  test('the second step refuses the passkey of another user', async () => {
    await personWithPasskey('bob@example.com', { userVerified: false })
    const { authenticator: mallorys } = await personWithPasskey('mallory@example.com')
    const { client } = await withPassword('bob@example.com')
    const { credentials } = mallorys
    expect(outcome(await signIn(client, mallorys, {}, credentials[0]?.id))).toEqual([401, 'AUTHENTICATION_FAILED'])
    expect(await client.api.sessions.getSession()).toBeNull()
  })

  test('the second step refuses the challenge of another sign-in', async () => {
    const { authenticator } = await personWithPasskey('cid@example.com', { userVerified: false })
    const { client } = await withPassword('cid@example.com')
    const response = await sign(client, authenticator)
    client.cookies.delete('gatehouse.two_factor')
    expect(outcome(await send(client, response))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  })

  test('a sign-in that waits for a second factor cannot add a passkey', async () => {
    await personWithPasskey('dee@example.com', { userVerified: false })
    const { client } = await withPassword('dee@example.com')
    expect(await refusal(client.api.passkeys.generateRegisterOptions())).toEqual([401, 'UNAUTHORIZED'])
  })

  test('after the only security key is removed, the password alone signs in', async () => {
    const { client, passkey } = await personWithPasskey('eve@example.com', { userVerified: false })
    await client.api.passkeys.deletePasskey({ body: { id: passkey.id } })
    expect((await withPassword('eve@example.com')).json).toHaveProperty('token')
  })

  test('a passkey makes an old session fresh, keeps its session id and replaces its token', async () => {
    const { client, authenticator, passkey } = await personWithPasskey('fay@example.com')
    // A passkey is no proof in the session that added it.
    await client.post('/sign-out')
    await signIn(client, authenticator)
    t.clock.advance({ days: 2 })
    const body = { id: passkey.id }
    expect(await refusal(client.api.passkeys.deletePasskey({ body }))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
    const before = await client.api.sessions.getSession()
    const { status, json } = await signIn(client, authenticator)
    expect(status).toBe(200)
    const session = json['session'] as { id: string; token: string }
    expect([session.id, session.token === before?.session.token]).toEqual([before?.session.id, false])
    expect(await refusal(client.api.passkeys.deletePasskey({ body }))).toBe('answered')
  })

  test("a session accepts only its own user's passkey, unless the request allows another user", async () => {
    const { client, authenticator: own } = await personWithPasskey('gus@example.com')
    const { authenticator: other } = await personWithPasskey('hal@example.com')
    expect(outcome(await signIn(client, other, {}, other.credentials[0]?.id))).toEqual([401, 'AUTHENTICATION_FAILED'])
    const options = await client.api.passkeys.generateAuthenticateOptions({ query: { anyone: 'true' } })
    expect(options).not.toHaveProperty('allowCredentials')
    expect((await send(client, other.get(options, { origin: t.url }))).status).toBe(200)
    expect((await client.api.sessions.getSession())?.user.email).toBe('hal@example.com')
    expect(own.credentials).toHaveLength(1)
  })

  test('passkey options are the same for every email address', async () => {
    await personWithPasskey('ida@example.com')
    const ask = async (email: string) => {
      const { challenge, ...options } = (await t.client().post('/passkey/generate-authenticate-options', { email })).json
      expect(challenge).toHaveLength(43)
      return options
    }
    expect(await ask('ida@example.com')).toEqual(await ask('nobody@example.com'))
  })

  test('a failed sign-in by passkey is recorded with its reason, and support can read it', async () => {
    const { authenticator, client } = await personWithPasskey('jan@example.com')
    await signIn(t.client(), authenticator, { origin: 'https://evil.example' })
    authenticator.traits.userVerified = false
    await signIn(t.client(), authenticator)
    await t.app.signInFailures.settled()
    const rows = await t.app.core.db.knex('sign_in_failure').where({ method: 'passkey' }).orderBy('reason')
    const { user } = (await client.api.sessions.getSession()) ?? {}
    expect(rows.map(({ reason, user_id }: Record<string, unknown>) => [reason, user_id])).toEqual([
      ['passkey-page', null],
      ['passkey-unverified', user?.id],
    ])
  })

  test('an account with only a passkey can sign in, and its explanation says that it can', async () => {
    const { client } = await personWithPasskey('kim@example.com')
    await client.post('/unlink-account', { providerId: 'credential' })
    const story = await t.app.explanations.explain(systemPrincipal('test'), { user: 'kim@example.com' })
    expect(story.account).toMatchObject({ hasPassword: false, passkeys: 1 })
    expect(story.verdict).toMatchObject({ outcome: 'can-sign-in', text: 'The account can sign in now, with a passkey.' })
  })

  test('/.well-known/passkey-endpoints tells password managers where passkeys are added and removed', async () => {
    const { status, json, headers } = await t.client().request('/.well-known/passkey-endpoints')
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
    expect(json).toEqual({ enroll: `${t.url}/account/linked`, manage: `${t.url}/account/linked` })
    const none = await t.node({ passkeys: { enabled: false } })
    expect((await none.client().request('/.well-known/passkey-endpoints')).status).toBe(404)
    await none.stop()
  })

  test('/.well-known/webauthn is not found if there is only one origin', async () => {
    expect(outcome(await t.client().request('/.well-known/webauthn'))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('passkeys while a second factor is required', () => {
  beforeEach(() => start({ secondFactor: { requiredFor: ['user'], graceDays: 0 } }))

  test('a sign-in that must add a passkey adds it first, and a proof of the new passkey completes the sign-in', async () => {
    const { id } = await t.app.core.transact((tx) =>
      t.app.users.create(tx, systemPrincipal('test'), { name: 'A', email: 'ann@example.com', emailVerified: true }),
    )
    await t.app.passwordService.set(systemPrincipal('test'), id, password, {
      replaces: false,
    })
    const { client, json } = await withPassword('ann@example.com')
    expect(json).toEqual({ twoFactorRedirect: true, twoFactorMethods: [] })
    const authenticator = createAuthenticator()
    const made = await register(client, authenticator)
    expect(made.session?.userId).toBe(id)
    expect((await client.api.sessions.getSession())?.user.email).toBe('ann@example.com')

    const again = await withPassword('ann@example.com')
    expect(again.json).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    expect((await signIn(again.client, authenticator)).status).toBe(200)
    expect(await refusal(again.client.api.passkeys.deletePasskey({ body: { id: made.id } }))).toEqual([
      403,
      'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED',
    ])
    // The passkey alone counts as two factors.
    const browser = t.client()
    expect((await signIn(browser, authenticator)).status).toBe(200)
    expect((await browser.api.sessions.getSession())?.user.email).toBe('ann@example.com')
  })
})

describeOnBoth('the configuration of passkeys', () => {
  test('removing all second factors of a user also removes disabled passkeys', async () => {
    await start()
    await personWithPasskey('ann@example.com')
    const off = await t.node({ passkeys: { enabled: false } })
    const { db, transact } = off.app.core
    const { id } = await off.app.users.require(db, 'ann@example.com')
    expect(await off.app.secondFactors.enrolled(db, { id, role: 'user' })).toEqual([])
    await transact((tx) => off.app.secondFactors.removeAll(tx, systemPrincipal('test'), id))
    expect(await db.knex('passkey').where({ user_id: id })).toEqual([])
    await off.stop()
  })

  test('the configuration can turn passkeys off', async () => {
    await start({ passkeys: { enabled: false } })
    const client = await t.signedIn('ann@example.com')
    const off = [400, 'PASSKEYS_ARE_NOT_ENABLED']
    expect(await refusal(client.api.passkeys.generateRegisterOptions())).toEqual(off)
    expect(await refusal(client.api.passkeys.generateAuthenticateOptions())).toEqual(off)
    expect(outcome(await client.post('/passkey/generate-authenticate-options'))).toEqual(off)
    const stranger = createAuthenticator()
    const page = { origin: t.url }
    const made = stranger.create({ challenge: 'x', rp: { id: 'localhost' }, user: { id: 'x' } }, page)
    expect(outcome(await client.post('/passkey/verify-registration', { response: made }))).toEqual(off)
    expect(outcome(await send(client, stranger.get({ challenge: 'x', rpId: 'localhost' }, page)))).toEqual(off)
    expect((await client.request('/hosted/settings')).json['passkeysEnabled']).toBe(false)
  })

  test('a passkey does not count as a sign-in method while passkeys are off', async () => {
    await start()
    const { client } = await personWithPasskey('ann@example.com')
    const off = await t.node({ passkeys: { enabled: false } })
    const browser = off.client()
    for (const [name, value] of client.cookies) browser.cookies.set(name, value)
    const origin = { origin: t.url }
    expect((await browser.post('/unlink-account', { providerId: 'credential' }, origin)).json['code']).toBe(
      'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT',
    )
    await off.stop()
  })

  testOnBoth('the configuration limits the passkeys of a user, even when two passkeys are created at once', async () => {
    await start({ passkeys: { maxPerUser: 2 } })
    const { client } = await personWithPasskey('ann@example.com')
    const made = [await create(client, createAuthenticator()), await create(client, createAuthenticator())]
    const tooMany = [400, 'TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST']
    const { cookies } = client
    const calls = made.map((response) => {
      const browser = t.client()
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      return browser.post('/passkey/verify-registration', { response }).then(outcome)
    })
    const answers = await Promise.all(calls)
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    expect(await client.api.passkeys.listUserPasskeys().catch(() => 'signed out by the renewal')).toBeDefined()
    const { client: again } = await withPassword('ann@example.com')
    expect(await refusal(again.api.passkeys.generateRegisterOptions())).toEqual(tooMany)
  })

  test('the configuration sets the relying party, the timeout and further origins, and passkeys work at every origin', async () => {
    const app = 'https://app.example.com'
    const android = `android:apk-key-hash:${'a'.repeat(43)}`
    await start({ passkeys: { rpName: 'Example', origins: [app, android], timeoutSeconds: 60 } })
    const client = await t.signedIn('ann@example.com')
    const options = await client.api.passkeys.generateRegisterOptions({ query: { authenticatorAttachment: 'platform' } })
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Example' },
      user: { name: 'ann@example.com', displayName: 'Ann Example' },
      timeout: 60_000,
      authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: 'preferred' },
    })
    const authenticator = createAuthenticator()
    await client.api.passkeys.verifyRegistration({ body: { response: authenticator.create(options, { origin: app }) } })
    expect((await signIn(t.client(), authenticator, { origin: android })).status).toBe(200)
    expect((await t.client().request('/.well-known/webauthn')).json).toEqual({ origins: [t.url, app] })
    const browser = t.client()
    const late = await sign(browser, authenticator)
    t.clock.advance({ seconds: 61 })
    expect(outcome(await send(browser, late))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
  })
})
