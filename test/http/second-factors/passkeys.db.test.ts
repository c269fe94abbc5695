import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { outcome, passkeySteps, refusal } from '../../support/passkeys.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const { create, register, sign, send, signIn, personWithPasskey } = passkeySteps(() => t)

const signedInAs = async (client: Client) => (await client.api.sessions.getSession())?.user.email
const eventsOf = async (type: string, email: string) => {
  const { id } = await t.app.users.require(t.app.core.db, email)
  return t.app.audit.list({ type, subject: id }, 10)
}
const sessionRow = async (client: Client) => {
  const { session } = (await client.api.sessions.getSession()) ?? {}
  return t.app.core.db.knex('session').where({ id: session?.id }).first()
}

describe('a passkey in a sign-in', () => {
  test('a passkey signs in without a user name and counts as two phishing-resistant factors', async () => {
    const { authenticator, passkey } = await personWithPasskey('ann@example.com', { backupEligible: true, backedUp: true })
    expect(passkey).toMatchObject({ deviceType: 'multiDevice', backedUp: true, userVerified: true, transports: 'internal' })
    const browser = t.client()
    const options = await browser.api.passkeys.generateAuthenticateOptions()
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options).not.toHaveProperty('allowCredentials')
    const answer = await send(browser, authenticator.get(options, { origin: t.url }))
    expect(answer.json).toMatchObject({ session: { userId: passkey.userId }, user: { email: 'ann@example.com' } })
    expect(await signedInAs(browser)).toBe('ann@example.com')
    const row = await sessionRow(browser)
    expect([JSON.parse(row.amr).toSorted(), row.acr, row.factors]).toEqual([
      ['mfa', 'swk', 'user'],
      'urn:gatehouse:acr:phishing-resistant',
      2,
    ])
    expect((await browser.api.passkeys.listUserPasskeys())[0]?.lastUsedAt).toBeInstanceOf(Date)
  })

  test('a passkey that cannot leave its device counts as hardware-bound', async () => {
    const { authenticator } = await personWithPasskey('ben@example.com')
    const browser = t.client()
    await signIn(browser, authenticator)
    expect(JSON.parse((await sessionRow(browser)).amr).toSorted()).toEqual(['hwk', 'mfa', 'user'])
  })

  test('adding a passkey raises the authentication class of the session, keeps the session id, and the password still suffices for sign-in', async () => {
    const client = await t.signedIn('cat@example.com')
    const before = await client.api.sessions.getSession()
    const { session, user } = await register(client, createAuthenticator())
    expect([session?.id, session?.token === before?.session.token, user?.twoFactorEnabled]).toEqual([
      before?.session.id,
      false,
      false,
    ])
    expect((await sessionRow(client)).acr).toBe('urn:gatehouse:acr:phishing-resistant')
    const browser = t.client()
    const answer = await browser.post('/sign-in/email', { email: 'cat@example.com', password })
    expect(answer.json).toHaveProperty('token')
    expect(await eventsOf('user.passkey_added', 'cat@example.com')).toMatchObject([
      { actorKind: 'user', data: { isUserVerified: true, isBackedUp: false, isByBrowser: false } },
    ])
  })

  test('a passkey has the given name, otherwise the name of its authenticator, otherwise the name of the browser', async () => {
    const client = await t.signedIn('dan@example.com')
    const bitwarden = createAuthenticator({ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' })
    expect((await register(client, bitwarden, 'My phone')).name).toBe('My phone')
    expect((await register(client, createAuthenticator({ aaguid: bitwarden.traits.aaguid }))).name).toBe('Bitwarden')
    const response = await create(client, createAuthenticator())
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0' }
    expect((await client.post('/passkey/verify-registration', { response }, firefox)).json['name']).toBe('Firefox on Linux')
    expect((await register(client, createAuthenticator())).name).toBe('Passkey')
  })

  test('a removed passkey no longer signs in, and gets the same answer as an unknown passkey', async () => {
    const { client, authenticator, passkey } = await personWithPasskey('eve@example.com')
    await client.api.passkeys.deletePasskey({ body: { id: passkey.id } })
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'PASSKEY_NOT_FOUND'])
    const unknown = createAuthenticator()
    unknown.create({ challenge: 'x', rp: { id: 'localhost' }, user: { id: 'bm9ib2R5' } }, { origin: t.url })
    expect(outcome(await signIn(t.client(), unknown))).toEqual([401, 'PASSKEY_NOT_FOUND'])
    expect(await eventsOf('user.passkey_removed', 'eve@example.com')).toHaveLength(1)
  })

  test('a signature by another private key gets the same answer as an unknown passkey', async () => {
    const { passkey } = await personWithPasskey('fay@example.com')
    const thief = createAuthenticator()
    const stolen = thief.create({ challenge: 'x', rp: { id: 'localhost' }, user: { id: 'x' } }, { origin: t.url })
    const browser = t.client()
    const response = await sign(browser, thief)
    expect(stolen.id).toBe(response.id)
    const named = { ...response, id: passkey.credentialID, rawId: passkey.credentialID }
    expect(outcome(await send(browser, named))).toEqual([401, 'PASSKEY_NOT_FOUND'])
  })

  test('a passkey that names another user than its own signs nobody in', async () => {
    const { authenticator } = await personWithPasskey('gus@example.com', { isDiscoverable: false })
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'AUTHENTICATION_FAILED'])
  })

  test('passkeys on two authenticators both sign in', async () => {
    const { client, authenticator } = await personWithPasskey('hal@example.com')
    const second = createAuthenticator()
    await register(client, second)
    for (const one of [authenticator, second]) {
      const browser = t.client()
      expect((await signIn(browser, one)).status).toBe(200)
      expect(await signedInAs(browser)).toBe('hal@example.com')
    }
    const options = await client.api.passkeys.generateRegisterOptions()
    expect(options.excludeCredentials.map(({ id }) => id)).toEqual([authenticator.credentials[0]?.id, second.credentials[0]?.id])
  })

  test("a banned user's passkey is refused with the reason of the ban", async () => {
    const { authenticator } = await personWithPasskey('ida@example.com')
    await t.app.core.db.knex('user').where({ email: 'ida@example.com' }).update({ banned_at: new Date() })
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([403, 'BANNED_USER'])
  })
})

describeOnBoth('a passkey challenge', () => {
  testOnBoth('a passkey challenge can be used once, successfully or not, even by two simultaneous requests', async () => {
    const { authenticator } = await personWithPasskey('jan@example.com')
    const browser = t.client()
    const response = await sign(browser, authenticator)
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(browser, response)))
    expect(answers.map(outcome).toSorted()).toEqual([
      [200, null],
      [400, 'CHALLENGE_NOT_FOUND'],
      [400, 'CHALLENGE_NOT_FOUND'],
      [400, 'CHALLENGE_NOT_FOUND'],
    ])
    expect(outcome(await send(browser, response))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
  })

  test('a passkey challenge is valid only in the browser that requested it, and only for its purpose', async () => {
    const { client, authenticator } = await personWithPasskey('kim@example.com')
    const [browser, other] = [t.client(), t.client()]
    const response = await sign(browser, authenticator)
    await sign(other, authenticator)
    expect(outcome(await send(other, response))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
    const made = await create(client, createAuthenticator())
    const { challenge } = JSON.parse(Buffer.from(made.response.clientDataJSON, 'base64url').toString())
    const crossed = authenticator.get({ challenge, rpId: 'localhost' }, { origin: t.url })
    expect(outcome(await send(client, crossed))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
  })

  test('the passkey challenge of one tab stays valid while another tab requests a challenge', async () => {
    const { authenticator } = await personWithPasskey('lea@example.com')
    const browser = t.client()
    const first = await sign(browser, authenticator)
    await sign(browser, authenticator)
    expect((await send(browser, first)).status).toBe(200)
  })

  test('a passkey challenge expires', async () => {
    const { authenticator } = await personWithPasskey('max@example.com')
    const browser = t.client()
    const response = await sign(browser, authenticator)
    t.clock.advance({ seconds: 301 })
    expect(outcome(await send(browser, response))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
  })
})

describe('refused signatures of a passkey', () => {
  test('a passkey signature is refused on a page of another origin, in a frame of another site, and for another domain', async () => {
    const { client, authenticator } = await personWithPasskey('ned@example.com')
    for (const page of [{ origin: 'https://evil.example' }, { crossOrigin: true }, { rpId: 'evil.example' }]) {
      expect(outcome(await signIn(t.client(), authenticator, page))).toEqual([401, 'AUTHENTICATION_FAILED'])
      const response = await create(client, createAuthenticator(), page)
      expect(await refusal(client.api.passkeys.verifyRegistration({ body: { response } }))).toEqual([
        400,
        'FAILED_TO_VERIFY_REGISTRATION',
      ])
    }
  })

  test('a passkey signature without user verification is refused if the passkey is the only proof', async () => {
    const { authenticator } = await personWithPasskey('oli@example.com')
    authenticator.traits.userVerified = false
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'USER_VERIFICATION_REQUIRED'])
  })

  test('a passkey signature is refused when nobody touched the authenticator', async () => {
    const { authenticator } = await personWithPasskey('pam@example.com')
    authenticator.traits.userPresent = false
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'AUTHENTICATION_FAILED'])
  })

  test('a passkey signature whose counter did not increase, or returned to zero, is refused and recorded', async () => {
    const { authenticator } = await personWithPasskey('quy@example.com', { counter: 5 })
    expect((await signIn(t.client(), authenticator)).status).toBe(200)
    authenticator.traits.counter = 6
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'AUTHENTICATION_FAILED'])
    expect(await eventsOf('user.passkey_refused', 'quy@example.com')).toMatchObject([{ data: { counter: 6, stored: 6 } }])
    authenticator.traits.counter = 9
    expect((await signIn(t.client(), authenticator)).status).toBe(200)
    authenticator.traits.counter = undefined
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'AUTHENTICATION_FAILED'])
    const refused = await eventsOf('user.passkey_refused', 'quy@example.com')
    expect(refused).toContainEqual(expect.objectContaining({ data: expect.objectContaining({ counter: 0, stored: 9 }) }))
    // The owner is notified by mail and in the list of sign-ins.
    expect(await t.mailKinds('quy@example.com')).toContain('passkey-refused')
    authenticator.traits.counter = 10
    expect((await signIn(t.client(), authenticator)).status).toBe(200)
  })

  test('a passkey of an authenticator without a counter is never refused because of the counter', async () => {
    const { authenticator } = await personWithPasskey('zer@example.com')
    for (let i = 0; i < 3; i++) expect((await signIn(t.client(), authenticator)).status).toBe(200)
  })

  test('a malformed passkey signature is refused', async () => {
    const browser = t.client()
    const { authenticator } = await personWithPasskey('ria@example.com')
    const { response, ...rest } = await sign(browser, authenticator)
    for (const clientDataJSON of ['AAAA', Buffer.from('{"type":1}').toString('base64url')])
      expect(outcome(await send(browser, { ...rest, response: { ...response, clientDataJSON } }))).toEqual([
        401,
        'AUTHENTICATION_FAILED',
      ])
    expect(outcome(await send(browser, { ...rest, response: { ...response, authenticatorData: 'AAAA' } }))).toEqual([
      401,
      'AUTHENTICATION_FAILED',
    ])
  })
})

describe('registration of a passkey', () => {
  test('registering a passkey requires a recent proof', async () => {
    expect(await refusal(t.client().api.passkeys.generateRegisterOptions())).toEqual([401, 'UNAUTHORIZED'])
    const client = await t.signedIn('sam@example.com')
    const response = await create(client, createAuthenticator())
    t.clock.advance({ days: 1, seconds: 1 })
    expect(await refusal(client.api.passkeys.generateRegisterOptions())).toEqual([403, 'SESSION_IS_NOT_FRESH'])
    expect(await refusal(client.api.passkeys.verifyRegistration({ body: { response } }))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  })

  test('a passkey registration is only for the user who requested it', async () => {
    const client = await t.signedIn('tim@example.com')
    const response = await create(client, createAuthenticator())
    await client.post('/sign-in/email', { email: 'sam@example.com', password })
    expect(await refusal(client.api.passkeys.verifyRegistration({ body: { response } }))).toEqual([
      401,
      'YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY',
    ])
  })

  test('a passkey that already belongs to an account cannot be registered again', async () => {
    const client = await t.signedIn('una@example.com')
    const authenticator = createAuthenticator()
    const response = await create(client, authenticator)
    await client.api.passkeys.verifyRegistration({ body: { response } })
    const { clientDataJSON } = (await create(client, authenticator)).response
    const again = { ...response, response: { ...response.response, clientDataJSON } }
    expect(await refusal(client.api.passkeys.verifyRegistration({ body: { response: again } }))).toEqual([
      400,
      'PREVIOUSLY_REGISTERED',
    ])
  })

  test("a passkey that the browser creates automatically needs no touch, and does not prove the person's identity", async () => {
    const client = await t.signedIn('vic@example.com')
    const authenticator = createAuthenticator({ userPresent: false, userVerified: false, backupEligible: true })
    const response = await create(client, authenticator, {}, { conditional: 'true' })
    const made = await client.api.passkeys.verifyRegistration({ body: { response } })
    expect([made.userVerified, made.session]).toEqual([false, undefined])
    expect((await sessionRow(client)).factors).toBe(1)
    expect(await eventsOf('user.passkey_added', 'vic@example.com')).toMatchObject([{ data: { isByBrowser: true } }])
    const unasked = await create(client, createAuthenticator({ userPresent: false }))
    expect(await refusal(client.api.passkeys.verifyRegistration({ body: { response: unasked } }))).toEqual([
      400,
      'FAILED_TO_VERIFY_REGISTRATION',
    ])
    // The passkey signs in once its authenticator has verified the person.
    Object.assign(authenticator.traits, { userPresent: true, userVerified: true })
    expect((await signIn(t.client(), authenticator)).status).toBe(200)
    expect((await client.api.passkeys.listUserPasskeys())[0]).toMatchObject({ userVerified: true })
  })
})

describeOnBoth('the list of passkeys', () => {
  test("the list of passkeys shows only one's own, and another user can neither rename nor remove them", async () => {
    const { client, passkey } = await personWithPasskey('wes@example.com')
    const stranger = await t.signedIn('stranger@example.com')
    expect(await stranger.api.passkeys.listUserPasskeys()).toEqual([])
    const body = { id: passkey.id, name: 'Mine' }
    expect(await refusal(stranger.api.passkeys.updatePasskey({ body }))).toEqual([404, 'PASSKEY_NOT_FOUND'])
    expect(await refusal(stranger.api.passkeys.deletePasskey({ body }))).toEqual([404, 'PASSKEY_NOT_FOUND'])
    expect((await client.api.passkeys.updatePasskey({ body: { ...body, name: 'Laptop' } })).passkey.name).toBe('Laptop')
    expect((await client.api.passkeys.listUserPasskeys()).map(({ id, name }) => [id, name])).toEqual([[passkey.id, 'Laptop']])
    expect(await eventsOf('user.passkey_renamed', 'wes@example.com')).toHaveLength(1)
  })

  testOnBoth('the last sign-in method cannot be removed as a passkey, even by two simultaneous removals', async () => {
    const { client, passkey } = await personWithPasskey('xia@example.com')
    const other = await register(client, createAuthenticator())
    const { json } = await client.post('/unlink-account', { providerId: 'credential' })
    expect(json).toEqual({ status: true })
    const removals = [passkey, other].map(({ id }) => refusal(client.api.passkeys.deletePasskey({ body: { id } })))
    expect((await Promise.all(removals)).toSorted()).toEqual([[400, 'YOU_CANT_REMOVE_YOUR_LAST_WAY_TO_SIGN_IN'], 'answered'])
    expect(await client.api.passkeys.listUserPasskeys()).toHaveLength(1)
  })

  test('a password cannot be removed if only a second-step security key would be left', async () => {
    const { client } = await personWithPasskey('yan@example.com', { userVerified: false })
    const { json } = await client.post('/unlink-account', { providerId: 'credential' })
    expect(json['code']).toBe('YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT')
  })

  test('an account claimed by the owner of the email address loses its passkeys, so the former owner cannot sign in with one', async () => {
    const { authenticator } = await personWithPasskey('zoe@example.com')
    const { db, transact } = t.app.core
    const user = await t.app.users.require(db, 'zoe@example.com')
    const actor = { kind: 'anonymous', address: '', userAgent: '', requestId: 'test' } as const
    await transact((tx) => t.app.claimAccount(tx, actor, user))
    expect(outcome(await signIn(t.client(), authenticator))).toEqual([401, 'PASSKEY_NOT_FOUND'])
  })
})
