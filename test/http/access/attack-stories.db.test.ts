/** Attacks told as stories: the steps of an attacker, and what is left of the attack. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import type { Client } from '../../support/client.ts'
import { openStream } from '../../support/event-stream.ts'
import { outcome, passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'
import { add, create, userOf } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { apiKeys: { personalEnabled: true }, secondFactor: { mailCodes: true } } })
  t.clock.hold()
})
afterAll(() => t.stop())

const { register, sign, send } = passkeySteps(() => t)
const stale = [403, 'SESSION_IS_NOT_FRESH']
const stolenFrom = (owner: Client): Client => {
  const thief = t.client()
  for (const [name, value] of owner.cookies) thief.cookies.set(name, value)
  return thief
}
const system = systemPrincipal('test')

describe("a thief with an administrator's session from its first minutes", () => {
  let thief: Client
  let victimId: string
  let app: string
  const key = createAuthenticator()
  beforeAll(async () => {
    const admin = await signedInAs(t, 'admin', 'stolen@staff.example')
    victimId = (await userOf(await t.signedIn('victim@example.com'))).id
    await t.verify('victim@example.com')
    thief = stolenFrom(admin)
    await register(thief, key)
    app = String((await thief.post('/two-factor/enable', {})).json['totpURI'])
    expect((await thief.post('/two-factor/verify-totp', { code: codeOf(app) })).status).toBe(200)
    t.clock.advance({ hours: 25 })
    // The factors that the thief added are valid, and the session goes on.
    expect((await thief.post('/two-factor/verify-totp', { code: codeOf(app) })).status).toBe(200)
    expect((await send(thief, await sign(thief, key))).status).toBe(200)
  })

  test.each([
    ['gives nobody a role', () => thief.post('/admin/set-role', { userId: victimId, role: 'admin' })],
    ['sets no password', () => thief.post('/admin/set-user-password', { userId: victimId, newPassword: 'of the thief' })],
    ['impersonates nobody', () => thief.post('/admin/impersonate-user', { userId: victimId })],
    ['deletes nobody', () => thief.post('/admin/remove-user', { userId: victimId })],
    ['creates no API key of the instance', () => thief.post('/admin/api-keys', { name: 'Mine', permissions: ['users:read'] })],
    ['replaces no authenticator app', () => thief.post('/two-factor/replace', {})],
  ])("a thief with an administrator's session %s a day later, even with second factors that the thief added", async (_, act) => {
    expect(outcome(await act())).toEqual(stale)
  })
})

describe('an administrator who loses the role', () => {
  let demoted: Client
  let key: string
  let other: Client
  beforeAll(async () => {
    demoted = await signedInAs(t, 'admin', 'demoted@staff.example')
    other = await t.signedIn('other@example.com')
    const permissions = ['account:read', 'users:read']
    key = (await demoted.api.apiKeys.createApiKey({ body: { name: 'Own', permissions } as never })).key
  })
  const setRole = () => t.app.administration.setRole(system, 'demoted@staff.example', 'user')

  test('an administrator who loses the role also loses session, event stream, impersonation, API key and unfinished sign-ins', async () => {
    const { id: otherId } = await userOf(other)
    const stream = await openStream(demoted)
    const acting = t.client()
    await acting.post('/sign-in/email', { email: 'demoted@staff.example', password })
    expect((await acting.post('/admin/impersonate-user', { userId: otherId })).status).toBe(200)
    await setRole()
    expect(await stream.next(({ event }) => event === 'end')).toMatchObject({ data: { reason: expect.any(String) } })
    expect(outcome(await demoted.request('/admin/users'))).toEqual([403, 'FORBIDDEN'])
    expect((await acting.api.sessions.getSession())?.user.id ?? null).not.toBe(otherId)
    const withKey = await t.client().request('/admin/users', { headers: { authorization: `Bearer ${key}` } })
    expect(outcome(withKey)).toEqual([403, 'FORBIDDEN'])
  })
})

describe('a member of an organization that requires two factors and of another organization', () => {
  const email = 'both@example.com'
  let strict: string
  let open: string
  let app: string
  beforeAll(async () => {
    const { browser, totpURI } = await withAuthenticator(t, email)
    app = totpURI
    await t.verify(email)
    strict = await create(browser, 'strict')
    open = await create(browser, 'open')
    const body = { organizationId: strict, data: { requiresSecondFactor: true } }
    expect((await browser.post('/organization/update', body)).status).toBe(200)
  })
  const members = (client: Client, organizationId: string) =>
    client.request(`/organization/list-members?organizationId=${organizationId}`)

  test('a member of a strict and another organization acts for both with an authenticator app, and gets no mailed code while one requires two factors', async () => {
    t.clock.advance({ seconds: 60 })
    const byApp = await withPassword(t, email)
    expect((await byApp.post('/two-factor/verify-totp', { code: codeOf(app) })).status).toBe(200)
    expect([(await members(byApp, strict)).status, (await members(byApp, open)).status]).toEqual([200, 200])
    const byMail = await withPassword(t, email)
    expect(outcome(await byMail.post('/two-factor/send-otp'))).toEqual([400, 'OTP_NOT_CONFIGURED'])
    await byApp.post('/organization/update', { organizationId: strict, data: { requiresSecondFactor: false } })
    expect((await byMail.post('/two-factor/send-otp')).status).toBe(200)
    await byApp.post('/organization/update', { organizationId: strict, data: { requiresSecondFactor: true } })
    await t.mails()
    const code = /^\s*(\d{6})\s*$/m.exec((await t.mailTo(email, 'second-factor')).raw)?.[1] ?? ''
    // The code was mailed while no organization required two factors.
    expect((await byMail.post('/two-factor/verify-otp', { code })).status).toBe(400)
    for (const act of [() => members(byMail, strict), () => byMail.post('/organization/set-active', { organizationId: strict })])
      expect((await act()).status).toBe(401)
  })

  test("a member's API key acts for an organization that requires two factors only if the key was created in a session of two factors", async () => {
    const single = 'single@example.com'
    const browser = await t.signedIn(single)
    await t.verify(single)
    await add(t, strict, browser)
    await add(t, open, browser)
    const permissions = ['organization:read', 'member:read']
    const { key } = await browser.api.apiKeys.createApiKey({ body: { name: 'Own', permissions } as never })
    const withKey = (organizationId: string) =>
      t
        .client()
        .request(`/organization/list-members?organizationId=${organizationId}`, { headers: { authorization: `Bearer ${key}` } })
    expect((await withKey(open)).status).toBe(200)
    expect(outcome(await withKey(strict))).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
    const { totpURI } = await browser.api.twoFactor.enable({ body: { password } })
    await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
    // The key was created with one factor, so it ended when the person added the second.
    expect((await withKey(strict)).status).toBe(401)
  })

  test('a thief of a one-factor session cannot add a second factor that gives access to an organization that requires two', async () => {
    const weak = 'weak@example.com'
    const browser = await t.signedIn(weak)
    await t.verify(weak)
    await add(t, strict, browser)
    t.clock.advance({ minutes: 11 })
    const thief = stolenFrom(browser)
    expect(outcome(await thief.post('/two-factor/enable', {}))).toEqual(stale)
    expect(outcome(await thief.request('/passkey/generate-register-options'))).toEqual(stale)
    expect(outcome(await members(thief, strict))).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  })
})
