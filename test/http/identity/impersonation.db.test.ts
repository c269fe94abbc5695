/** An administrator impersonates a user: the content of the session, its limits, and its ends. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { authorizePath, codeFor, offline, postForm, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      access: { roles: { helper: { permissions: ['users:read', 'users:impersonate'] } } },
      sessions: { cookieCacheSeconds: 60 },
    },
  })
})
afterAll(() => t.stop())

const system = systemPrincipal('test')
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const codeOf = ({ status, json }: Answer) => [status, json['code'] ?? json['error']]
const current = (client: Client) => client.api.sessions.getSession()

/** An administrator, a user with this name, and the user's own browser. */
const people = async (name: string, role = 'admin') => {
  const admin = await signedInAs(t, role, `${name}-admin@example.com`)
  const own = await t.signedIn(`${name}@example.com`)
  return { admin, own, adminId: await idOf(`${name}-admin@example.com`), userId: await idOf(`${name}@example.com`) }
}
const impersonate = (client: Client, userId: string, reason?: string) =>
  client.post('/admin/impersonate-user', { userId, reason })

/** Events about a user or by an administrator, with the fields about who acted. */
const eventsOf = async (subject: string) => {
  const rows: { type: string; actor_id: string; impersonator_id: string | null; data: string }[] = await t.app.core.db
    .knex('event')
    .where({ subject_id: subject })
    .orderBy('id')
    .select('type', 'actor_id', 'impersonator_id', 'data')
  return rows
}

describe('the session of an impersonation', () => {
  test('an impersonated session lasts at most an hour, is never extended, and names the administrator', async () => {
    const { admin, adminId, userId } = await people('hour')
    const answer = await impersonate(admin, userId, 'Ticket 4711')
    const { session } = answer.json as { session: { id: string; expiresAt: string; impersonatedBy: string } }
    expect(session.impersonatedBy).toBe(adminId)
    expect(new Date(session.expiresAt).getTime() - t.app.core.clock.now().getTime()).toBeLessThanOrEqual(3_600_000)
    t.clock.advance({ minutes: 59 })
    expect(await current(admin)).toMatchObject({ session: { id: session.id, impersonatedBy: adminId }, user: { id: userId } })
    t.clock.advance({ minutes: 2 })
    expect(await current(admin)).toBeNull()
    const started = (await eventsOf(userId)).find(({ type }) => type === 'user.impersonation_started')
    expect(started).toMatchObject({ actor_id: adminId, impersonator_id: null })
    expect(JSON.parse(started?.data ?? '')).toMatchObject({ reason: 'Ticket 4711', sessionId: session.id })
  })

  test("an impersonated session is not in the user's list of sessions, makes no device known, and sends the user no mail", async () => {
    const { admin, own, userId } = await people('hidden')
    const devices = () => t.app.core.db.knex('known_device').where({ user_id: userId })
    const before = [await devices(), await t.mailKinds('hidden@example.com')]
    await impersonate(admin, userId)
    expect(await own.api.sessions.listSessions()).toHaveLength(1)
    expect([await devices(), await t.mailKinds('hidden@example.com')]).toEqual(before)
    // Ending all sessions of the user also ends the impersonation.
    await own.api.sessions.revokeSessions()
    expect(await current(admin)).toBeNull()
  })

  test("the start and the end of an impersonation each replace the token of the administrator's session", async () => {
    const { admin, userId, adminId } = await people('tokens')
    const tokens = [(await current(admin))?.session.token]
    const asBearer = (token: string | undefined) =>
      t.client().request('/list-sessions', { headers: { authorization: `Bearer ${token}` } })
    await impersonate(admin, userId)
    expect((await asBearer(tokens[0])).status).toBe(401)
    const stopped = await admin.post('/admin/stop-impersonating')
    expect(stopped.json).toMatchObject({ user: { id: adminId }, session: { impersonatedBy: null } })
    const now = await current(admin)
    expect(now?.session.token).not.toBe(tokens[0])
    expect(admin.cookies.has('gatehouse.admin_session')).toBe(false)
    expect((await eventsOf(userId)).map(({ type }) => type)).toContain('user.impersonation_ended')
  })

  test('a request that was under way with the replaced token gets 401 and keeps the cookie of the impersonation', async () => {
    const { admin, userId } = await people('late')
    const late = t.client()
    for (const [name, value] of admin.cookies) late.cookies.set(name, value)
    await impersonate(admin, userId)
    const answer = await late.request('/admin/users')
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
    // The session check alone clears a cookie without a session (wire behaviour, section 3).
    expect((await late.request('/get-session')).headers.getSetCookie()[0]).toContain('gatehouse.session=; Max-Age=0')
  })

  test("an impersonation by a program without cookies keeps the program's own token valid", async () => {
    const { admin, userId } = await people('program')
    const token = (await current(admin))?.session.token
    const call = (path: string, of: unknown, body: unknown = {}) =>
      t.client().post(path, body, { authorization: `Bearer ${String(of)}` })
    const answer = await call('/admin/impersonate-user', token, { userId })
    expect(answer.headers.getSetCookie()).toEqual([])
    const acting = (answer.json['session'] as { token: string }).token
    expect(codeOf(await call('/admin/stop-impersonating', acting))).toEqual([400, 'FAILED_TO_FIND_ADMIN_SESSION'])
    expect(codeOf(await call('/admin/stop-impersonating', acting))).toEqual([401, 'UNAUTHORIZED'])
    expect((await call('/admin/has-permission', token, { permissions: { user: ['ban'] } })).json['success']).toBe(true)
  })
})

describe('people who can be impersonated', () => {
  test('an administrator, oneself, a banned user and a person with more permissions cannot be impersonated', async () => {
    const { admin, adminId, userId } = await people('whom')
    const other = await people('whom-other')
    expect(codeOf(await impersonate(admin, other.adminId))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
    expect(codeOf(await impersonate(admin, adminId))).toEqual([400, 'YOU_CANNOT_IMPERSONATE_YOURSELF'])
    expect(codeOf(await impersonate(admin, 'nobody'))).toEqual([404, 'USER_NOT_FOUND'])
    const helper = await signedInAs(t, 'helper', 'whom-helper@example.com')
    await signedInAs(t, 'support', 'whom-support@example.com')
    const support = await idOf('whom-support@example.com')
    expect(codeOf(await impersonate(helper, support))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
    expect((await impersonate(helper, userId)).status).toBe(200)
    await admin.post('/admin/ban-user', { userId })
    expect(codeOf(await impersonate(admin, userId))).toEqual([403, 'BANNED_USER'])
  })

  test('an administrator who loses permissions during the call cannot impersonate a user who has these permissions', async () => {
    const { admin, adminId } = await people('lost')
    await signedInAs(t, 'admin', 'lost-boss@example.com')
    await signedInAs(t, 'support', 'lost-support@example.com')
    const token = (await current(admin))?.session.token ?? ''
    const context = { address: '', userAgent: '', requestId: 'test' }
    const caller = (await t.app.sessions.authenticate(token, context, { extend: false }))?.principal
    if (caller === undefined) throw new Error('no session')
    await t.app.administration.setRole(system, adminId, 'helper')
    const target = await idOf('lost-support@example.com')
    const start = t.app.impersonation.start(caller, target, undefined, { keepsToken: true })
    await expect(start).rejects.toMatchObject({ code: 'YOU_CANNOT_IMPERSONATE_ADMINS' })
  })

  test('an impersonated session cannot start another impersonation', async () => {
    const { admin, userId } = await people('twice')
    await signedInAs(t, 'support', 'twice-support@example.com')
    await impersonate(admin, await idOf('twice-support@example.com'))
    expect(codeOf(await impersonate(admin, userId))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS'])
    expect(codeOf(await admin.request('/admin/list-users'))).toEqual([403, 'FORBIDDEN'])
  })

  test('an impersonation requires a reason if the configuration says so', async () => {
    const node = await t.node({ admin: { impersonationNeedsReason: true, impersonationSeconds: 600 } })
    const { admin, userId } = await people('reason')
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const call = (body: unknown) => node.client().post('/admin/impersonate-user', body, { cookie, origin: t.url })
    expect(codeOf(await call({ userId }))).toEqual([400, 'A_REASON_IS_REQUIRED'])
    expect(codeOf(await call({ userId, reason: '  ' }))).toEqual([400, 'A_REASON_IS_REQUIRED'])
    const answer = await call({ userId, reason: 'Ticket 1' })
    expect(answer.status).toBe(200)
    await node.stop()
  })
})

describe('the limits of an impersonated session', () => {
  test('an impersonated session cannot change sign-in methods, the account, its keys or its memberships', async () => {
    const { admin, userId } = await people('ways')
    await impersonate(admin, userId)
    const refused: readonly (readonly [path: string, body: unknown])[] = [
      ['/change-password', { currentPassword: password, newPassword: 'another battery staple' }],
      ['/change-email', { newEmail: 'thief@example.com' }],
      ['/update-user', { name: 'Thief' }],
      ['/link-social', { provider: 'google' }],
      ['/unlink-account', { providerId: 'credential' }],
      ['/delete-user', { password }],
      ['/revoke-sessions', {}],
      ['/organization/create', { name: 'Acme', slug: 'ways-acme' }],
      ['/oauth2/consent', { accept: true }],
      ['/api-key/create', { name: 'x' }],
    ]
    for (const [path, body] of refused) expect([path, ...codeOf(await admin.post(path, body))]).toEqual([path, 403, 'FORBIDDEN'])
    expect(await current(admin)).toMatchObject({ user: { id: userId, name: 'Ann Example' } })
    // A signed-in owner needs no further proof for a mailed link, but the impersonating administrator is not the owner.
    await admin.post('/send-verification-email', { email: 'ways@example.com' })
    const link = (await t.mailTo('ways@example.com', 'verification')).link
    const token = new URL(link).searchParams.get('token')
    const other = t.client()
    other.cookies.set('gatehouse.session', admin.cookies.get('gatehouse.session') ?? '')
    expect((await other.request(`/verify-email?token=${token}`)).status).toBe(401)
  })

  test('an impersonated session does not see the ids of invitations, because an id gives access to the organization', async () => {
    const { admin, own, userId } = await people('inviter')
    await t.verify('inviter@example.com')
    const { json } = await own.post('/organization/create', { name: 'Acme', slug: 'inviter-acme' })
    const organizationId = String(json['id'])
    const invited = await own.post('/organization/invite-member', { organizationId, email: 'new@example.com', role: 'admin' })
    const id = String(invited.json['id'])
    const paths = ['list-invitations', 'get-full-organization'].map(
      (path) => `/organization/${path}?organizationId=${organizationId}`,
    )
    for (const path of paths) expect((await own.request(path)).text).toContain(id)
    await impersonate(admin, userId)
    for (const path of paths) {
      const { status, text } = await admin.request(path)
      expect([status, text.includes('new@example.com'), text.includes(id)]).toEqual([200, true, false])
    }
  })

  test("a sign-in during an impersonation starts a session of the user's own", async () => {
    const { admin, userId } = await people('signing')
    const { json } = await impersonate(admin, userId)
    const acting = json['session'] as { id: string; token: string }
    await admin.post('/sign-in/email', { email: 'signing@example.com', password })
    const after = await current(admin)
    expect(after?.session.id).not.toBe(acting.id)
    expect(after?.session.impersonatedBy).toBeNull()
    const old = await t.client().request('/list-sessions', { headers: { authorization: `Bearer ${acting.token}` } })
    expect(old.status).toBe(401)
  })
})

describe('applications in an impersonation', () => {
  test('applications see the acting administrator in ID token, userinfo and introspection, even after a refresh, and the tokens end with the session', async () => {
    const { admin, own, adminId, userId } = await people('apps')
    const shop = await register(t, { understandsAct: true })
    // The user has given consent before, because an impersonating administrator cannot.
    const before = await redeem(t, shop, await codeFor(own, shop, offline))
    expect(decodeJwt(String(before.json['id_token']))['act']).toBeUndefined()
    await impersonate(admin, userId)
    const held = await redeem(t, shop, await codeFor(admin, shop, { scope: 'openid' }))
    const act = { sub: adminId }
    expect(decodeJwt(String(held.json['id_token']))).toMatchObject({ sub: userId, act })
    expect((await userinfo(t, held.json['access_token'])).json).toMatchObject({ sub: userId, act })
    const ask = (token: unknown) => postForm(t, shop, '/oauth2/introspect', { token: String(token) })
    expect((await ask(held.json['access_token'])).json).toMatchObject({ active: true, sub: userId, act })
    await admin.post('/admin/stop-impersonating')
    expect((await ask(held.json['access_token'])).json).toEqual({ active: false })
    expect((await ask(before.json['access_token'])).json).toMatchObject({ active: true })
  })

  test('a refresh token of an impersonation ends with the session, whatever its scope', async () => {
    const { admin, own, adminId, userId } = await people('offline')
    const shop = await register(t, { skipConsent: true, understandsAct: true })
    await codeFor(own, shop, { scope: 'openid' })
    await impersonate(admin, userId)
    const held = await redeem(t, shop, await codeFor(admin, shop, { scope: 'openid offline_access' }))
    const again = await refresh(t, shop, held.json['refresh_token'])
    expect((await userinfo(t, again.json['access_token'])).json).toMatchObject({ act: { sub: adminId } })
    await admin.post('/admin/stop-impersonating')
    expect((await refresh(t, shop, again.json['refresh_token'])).status).toBe(400)
    expect((await userinfo(t, again.json['access_token'])).status).toBe(401)
  })

  test('an application that does not support the claim act gets no sign-in of an impersonating administrator, and a page says why', async () => {
    const { admin, own, userId } = await people('plain')
    const shop = await register(t)
    await codeFor(own, shop, { scope: 'openid' })
    await impersonate(admin, userId)
    const shown = await admin.request(authorizePath(shop, { scope: 'openid' }))
    expect([shown.status, shown.location]).toEqual([303, expect.stringMatching(/\/error\?error=impersonation_not_understood/)])
    // A request without a page gets an error that clients of any kind understand.
    const silent = await admin.request(authorizePath(shop, { scope: 'openid', prompt: 'none' }))
    expect(new URL(silent.location ?? '').searchParams.get('error')).toBe('login_required')
    expect(silent.location).toMatch(/^https:/)

    // The user is not affected, and the application works at once when an operator registers that it understands the claim.
    expect(await codeFor(own, shop, { scope: 'openid' })).toMatch(/./)
    await t.app.oidc.applications.update(system, shop.clientId, { understandsAct: true })
    expect(await codeFor(admin, shop, { scope: 'openid' })).toMatch(/./)
    await t.app.oidc.applications.update(system, shop.clientId, { understandsAct: false })
    expect((await admin.request(authorizePath(shop, { scope: 'openid' }))).location).toMatch(/\/error\?/)
    await admin.post('/admin/stop-impersonating')
  })

  test('an impersonating administrator cannot consent to an application', async () => {
    const { admin, userId } = await people('consent')
    const shop = await register(t, { understandsAct: true })
    await impersonate(admin, userId)
    await expect(codeFor(admin, shop)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('the end of an impersonation', () => {
  const acting = async (name: string) => {
    const all = await people(name)
    const boss = await signedInAs(t, 'admin', `${name}-boss@example.com`)
    await impersonate(all.admin, all.userId)
    expect((await current(all.admin))?.user.id).toBe(all.userId)
    return { ...all, boss }
  }
  const isOver = async (client: Client) => (await client.request('/get-session?disableCookieCache=true')).json === null

  test("an impersonation ends when the administrator's session ends", async () => {
    const { admin, boss, adminId } = await acting('ends')
    await boss.post('/admin/revoke-user-sessions', { userId: adminId })
    expect(await isOver(admin)).toBe(true)
  })

  test('an impersonation ends when the administrator is banned', async () => {
    const { admin, boss, adminId } = await acting('banned')
    await boss.post('/admin/ban-user', { userId: adminId })
    expect(await isOver(admin)).toBe(true)
  })

  test("an impersonation ends when the administrator gets another role, and the administrator's own session stays", async () => {
    const { admin, boss, adminId } = await acting('demoted')
    await t.verify((await t.app.users.require(t.app.core.db, adminId)).email)
    await boss.post('/admin/set-role', { userId: adminId, role: 'support' })
    expect(await isOver(admin)).toBe(true)
    expect(await t.app.sessions.list(adminId)).toHaveLength(1)
  })

  test('an impersonation ends when the administrator is deleted or the user is banned', async () => {
    const first = await acting('deleted')
    await first.boss.post('/admin/remove-user', { userId: first.adminId })
    expect(await isOver(first.admin)).toBe(true)
    const second = await acting('victim')
    await t.app.administration.ban(system, second.userId, 'fraud', undefined)
    expect(await isOver(second.admin)).toBe(true)
  })

  test("an impersonation ends with the administrator's own session, even if that session expires earlier", async () => {
    const { admin, adminId, userId } = await people('sooner')
    const expiresAt = t.app.core.clock.after(600)
    await t.app.core.transact((tx) =>
      tx.knex('session').where({ user_id: adminId }).update({ expires_at: expiresAt, remember_me: false }),
    )
    const { json } = await impersonate(admin, userId)
    expect((json['session'] as { expiresAt: string }).expiresAt).toBe(expiresAt.toISOString())
  })
})
