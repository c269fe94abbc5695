/** Token exchange (RFC 8693): a service or agent gets a token for another API on behalf of a person, and the token says who acts. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser, Json } from '../../support/client.ts'
import { type Application, codeFor, type Params, postForm, redeem, refresh, register, userinfo } from './flow.ts'
import { ownerOf } from './tenants.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const [front, back, deep] = ['https://front.example', 'https://back.example', 'https://deep.example']

let t: TestApp
let admin: Browser
let shop: Application
let agent: Application
let other: Application
let ann: Browser
let annId: string
const readers: Record<string, Application> = {}
const ids: Record<string, string> = {}
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  admin = await signedInAs(t, 'admin')
  shop = await register(t)
  agent = await register(t, { name: 'Agent', type: 'machine', redirectUris: [], clientId: 'agent' })
  other = await register(t, { name: 'Other', type: 'machine', redirectUris: [], clientId: 'other' })
  const scopes = ['read', 'write'].map((name) => ({ name, description: name }))
  const make = async (identifier: string, body: object) => {
    const api = await admin.api.apis.createApi({ body: { identifier, name: identifier, scopes, ...body } })
    const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId: api.id }, body: {} })
    readers[identifier] = { clientId: api.id, secret }
    ids[identifier] = api.id
  }
  await make(front, { clients: [{ clientId: shop.clientId }] })
  await make(back, {
    tokenTtlSeconds: 300,
    clients: [{ clientId: agent.clientId, exchangeFrom: [front] }, { clientId: other.clientId }],
  })
  await make(deep, { tokenFormat: 'opaque', clients: [{ clientId: other.clientId, exchangeFrom: [back, deep] }] })
  await admin.api.apis.updateApi({
    params: { apiId: ids[front] ?? '' },
    body: { clients: [{ clientId: shop.clientId }, { clientId: other.clientId, exchangeFrom: [back] }] },
  })
  ann = await t.signedIn('ann@example.com')
  annId = (await ann.api.sessions.getSession())?.user.id ?? ''
})
afterAll(() => t.stop())

const scope = 'openid offline_access read'
const tokensFor = async (browser = ann, params: Params = {}) =>
  (await redeem(t, shop, await codeFor(browser, shop, { scope, prompt: 'consent', resource: front, ...params }))).json
const exchange = async (
  by: Application,
  subject: unknown,
  form: Params = {},
  at = t,
): Promise<Json & { readonly error?: string }> =>
  (
    await postForm(at, by, '/oauth2/token', {
      ...{ grant_type: grantType, subject_token: String(subject), subject_token_type: accessToken, resource: back, ...form },
    })
  ).json
const introspect = async (api: string, token: unknown): Promise<Json> =>
  (await postForm(t, readers[api] ?? agent, '/oauth2/introspect', { token: String(token) })).json
const isActive = async (api: string, token: unknown) => (await introspect(api, token))['active'] === true
const machine = async (by: Application) =>
  (await postForm(t, by, '/oauth2/token', { grant_type: 'client_credentials' })).json['access_token']

describe('an exchanged token', () => {
  test('an exchanged token is for the same person and the other API, names the actor, and has no more scope or lifetime than allowed', async () => {
    const { access_token: subject } = await tokensFor()
    const { access_token: token, ...answer } = await exchange(agent, subject, { scope: 'read' })
    expect(answer).toEqual({ issued_token_type: accessToken, token_type: 'Bearer', expires_in: 300, scope: 'read' })
    const { iat, exp, jti, auth_time, ...claims } = decodeJwt(String(token))
    expect(claims).toEqual({
      ...{ iss: t.url, aud: back, sub: annId, client_id: 'agent', scope: 'read', act: { sub: 'agent' } },
      ...{ acr: expect.any(String), amr: ['pwd'] },
    })
    expect(await introspect(back, token)).toMatchObject({ active: true, act: { sub: 'agent' }, sub: annId, client_id: 'agent' })
    expect((await userinfo(t, token)).status).toBe(403)
  })

  test('an exchanged token expires no later than the token it was exchanged for', async () => {
    const { access_token: subject } = await tokensFor()
    t.clock.advance({ seconds: 500 })
    // The test clock goes on during the exchange, so the remaining time is not exact.
    const { expires_in: left } = await exchange(agent, subject)
    expect(left).toBeGreaterThan(70)
    expect(left).toBeLessThanOrEqual(100)
    t.clock.advance({ seconds: 100 })
    expect(await exchange(agent, subject)).toMatchObject({ error: 'invalid_request' })
  })

  test('an exchanged token names all earlier actors, the latest first, and a circular chain of exchanges regains no scope', async () => {
    const { access_token: subject } = await tokensFor()
    const { access_token: second } = await exchange(agent, subject, { scope: 'read write' })
    const { access_token: third, scope: given } = await exchange(other, second, { resource: deep, scope: 'read' })
    expect(given).toBe('read')
    expect(await introspect(deep, third)).toMatchObject({ sub: annId, act: { sub: 'other', act: { sub: 'agent' } } })
    expect(await exchange(other, third, { resource: deep, scope: 'write' })).toMatchObject({ error: 'invalid_scope' })
    expect(await exchange(other, second, { resource: front, scope: 'write' })).toMatchObject({ error: 'invalid_scope' })
    expect(await exchange(other, second, { resource: front, scope: 'read' })).toMatchObject({ scope: 'read' })
  })

  test('an exchange without a scope gets the scopes of the same name from the person’s token', async () => {
    const { access_token: subject } = await tokensFor()
    expect(await exchange(agent, subject)).toMatchObject({ scope: 'read' })
  })

  test("an exchanged token names the organization only if the person's token has the scope organizations, and has only scopes that the person's current role allows", async () => {
    const owner = await ownerOf(t, 'Acme')
    const hands = await register(t, { name: 'Hands' })
    const managed = await admin.api.apis.createApi({
      body: {
        ...{ identifier: 'urn:managed', name: 'Managed', clients: [{ clientId: hands.clientId, exchangeFrom: [front] }] },
        scopes: [{ name: 'manage', description: 'Manage', permission: 'organization:update' }],
      },
    })
    const organization = owner.organizations[0]?.id
    const { access_token: subject } = await tokensFor(owner.browser, { scope: `${scope} organizations`, organization })
    const form = { resource: managed.identifier, scope: 'organizations manage' }
    const { access_token: token } = await exchange(hands, subject, form)
    expect(decodeJwt(String(token))).toMatchObject({ scope: 'organizations manage', org_id: organization, org_roles: ['owner'] })
    await t.app.core.db.knex('member').where({ user_id: owner.userId }).update({ role: 'member' })
    expect(await exchange(hands, subject, form)).toMatchObject({ scope: 'organizations' })
    const { access_token: without } = await tokensFor(owner.browser, { organization })
    expect(await exchange(hands, without, form)).toMatchObject({ error: 'invalid_scope' })
  })

  test('an exchange accepts the token of the acting machine as actor token', async () => {
    const { access_token: subject } = await tokensFor()
    const own = { actor_token: String(await machine(agent)), actor_token_type: accessToken }
    expect(decodeJwt(String((await exchange(agent, subject, own))['access_token']))['act']).toEqual({ sub: 'agent' })
    const foreign = { actor_token: String(await machine(other)), actor_token_type: accessToken }
    expect(await exchange(agent, subject, foreign)).toMatchObject({ error: 'invalid_request' })
  })
})

test('in the claim act each client of a chain gets its own pairwise identifier of the administrator, and clients appear by their ids', async () => {
  const staff = await signedInAs(t, 'admin', 'chain@staff.example')
  const staffId = (await staff.api.sessions.getSession())?.user.id ?? ''
  const kim = await t.signedIn('kim.chain@example.com')
  const kimId = (await kim.api.sessions.getSession())?.user.id ?? ''
  const pairwise = async (name: string) =>
    register(t, {
      name,
      clientId: name,
      redirectUris: [`https://${name}.example/callback`],
      ...({ subjectType: 'pairwise', understandsAct: true, skipConsent: true } as const),
    })
  const [pay, hands] = [await pairwise('pay'), await pairwise('hands')]
  const callback = ({ clientId }: Application) => ({ redirect_uri: `https://${clientId}.example/callback` })
  const scopes = [{ name: 'read', description: 'Read' }]
  const exchangers = [hands, agent].map(({ clientId }) => ({ clientId, exchangeFrom: ['urn:chain'] }))
  await admin.api.apis.createApi({
    body: { identifier: 'urn:chain', name: 'Chain', scopes, clients: [{ clientId: pay.clientId }, ...exchangers] },
  })
  const knownTo = async (client: Application, browser: Browser) => {
    const code = await codeFor(browser, client, callback(client))
    return decodeJwt(String((await redeem(t, client, code, callback(client))).json['id_token'])).sub
  }
  const ofHands = [await knownTo(hands, staff), await knownTo(hands, kim)]
  const ofPay = await knownTo(pay, staff)
  expect((await staff.post('/admin/impersonate-user', { userId: kimId })).status).toBe(200)
  const code = await codeFor(staff, pay, { ...callback(pay), scope: 'openid read', resource: 'urn:chain' })
  const subject = (await redeem(t, pay, code, callback(pay))).json['access_token']
  expect(decodeJwt(String(subject))['act']).toEqual({ sub: ofPay })
  const target = { resource: 'urn:chain', scope: 'read' }
  const byHands = (await exchange(hands, subject, target))['access_token']
  expect(decodeJwt(String(byHands))).toMatchObject({ sub: ofHands[1], act: { sub: 'hands', act: { sub: ofHands[0] } } })
  const byAgent = (await exchange(agent, byHands, target))['access_token']
  const { sub, act } = decodeJwt(String(byAgent))
  expect([sub, act]).toEqual([kimId, { sub: 'agent', act: { sub: 'hands', act: { sub: staffId } } }])
})

describe('a token that names the only permitted actor', () => {
  test('a token that names one client as permitted actor is exchanged by that client, and by no other listed client', async () => {
    const { access_token: subject } = await tokensFor()
    expect((await exchange(agent, subject)).error).toBeUndefined()
    const set = (mayAct: string | null) =>
      admin.api.applications.updateApplication({ params: { clientId: shop.clientId }, body: { mayAct } })
    await set('other')
    const { access_token: reserved } = await tokensFor()
    expect(decodeJwt(String(reserved))['may_act']).toEqual({ sub: 'other' })
    expect(await exchange(agent, reserved)).toMatchObject({ error: 'invalid_request' })
    await set('agent')
    expect((await exchange(agent, (await tokensFor())['access_token'])).error).toBeUndefined()
    await set(null)
  })
})

describeOnBoth('the end of an exchanged token', () => {
  const both = async (browser = ann, params: Params = {}) => {
    const tokens = await tokensFor(browser, params)
    const { access_token: second } = await exchange(agent, tokens['access_token'], { scope: 'read' })
    const { access_token: third } = await exchange(other, second, { resource: deep, scope: 'read' })
    expect([await isActive(back, second), await isActive(deep, third)]).toEqual([true, true])
    const areEnded = async () => [await isActive(back, second), await isActive(deep, third)]
    return { tokens, second, areEnded }
  }

  test("an exchanged token ends when the person's token ends, however long the chain of exchanges is", async () => {
    const { tokens, areEnded } = await both()
    await postForm(t, shop, '/oauth2/revoke', { token: String(tokens['access_token']) })
    expect(await areEnded()).toEqual([false, false])
  })

  test('an exchanged token ends when the authorization, the consent for the first application, the session or the person ends', async () => {
    const revoked = await both()
    await postForm(t, shop, '/oauth2/revoke', { token: String(revoked.tokens['refresh_token']) })
    expect(await revoked.areEnded()).toEqual([false, false])

    const bob = await t.signedIn('bob@example.com')
    const removed = await both(bob)
    await bob.api.connected.removeConnectedApplication({ body: { clientId: shop.clientId } })
    expect(await removed.areEnded()).toEqual([false, false])

    const eve = await t.signedIn('eve@example.com')
    const signedOut = await both(eve, { scope: 'openid read', prompt: undefined })
    await eve.request('/sign-out', { method: 'POST' })
    expect(await signedOut.areEnded()).toEqual([false, false])
    expect(await exchange(agent, signedOut.tokens['access_token'])).toMatchObject({ error: 'invalid_request' })

    const kim = await t.signedIn('kim@example.com')
    const banned = await both(kim)
    const kimId = (await kim.api.sessions.getSession())?.user.id ?? ''
    await admin.api.administration.banUser({ body: { userId: kimId } })
    expect(await banned.areEnded()).toEqual([false, false])
    expect(await exchange(agent, banned.tokens['access_token'])).toMatchObject({ error: 'invalid_request' })
  })

  test('an exchanged token ends when the person removes the acting application, and only a new sign-in lets the application act again', async () => {
    const joe = await t.signedIn('joe@example.com')
    const { tokens, areEnded } = await both(joe)
    const listed = async () => (await joe.api.connected.listConnectedApplications()).applications
    expect((await listed()).find(({ clientId }) => clientId === 'agent')).toMatchObject({
      ...{ name: 'Agent', actsThrough: [{ clientId: shop.clientId, name: 'Shop' }] },
    })
    expect((await listed()).find(({ clientId }) => clientId === shop.clientId)).toMatchObject({ actsThrough: [] })
    t.clock.advance({ seconds: 2 })
    await joe.api.connected.removeConnectedApplication({ body: { clientId: 'agent' } })
    expect(await areEnded()).toEqual([false, false])
    expect((await listed()).some(({ clientId }) => clientId === 'agent')).toBe(false)
    // The application stays connected, and its refreshed tokens belong to the same sign-in.
    const renewed = (await refresh(t, shop, tokens['refresh_token'])).json
    for (const subject of [tokens['access_token'], renewed['access_token']])
      expect(await exchange(agent, subject)).toMatchObject({ error: 'invalid_request' })
    t.clock.advance({ seconds: 2 })
    expect(await exchange(agent, (await tokensFor(joe))['access_token'])).toMatchObject({ scope: 'read' })
  })

  test('a client can revoke a token that it got by exchange: tokens exchanged from that token end too, and the tokens of the application with the sign-in stay valid', async () => {
    const { tokens, second, areEnded } = await both()
    await postForm(t, agent, '/oauth2/revoke', { token: String(second) })
    expect(await areEnded()).toEqual([false, false])
    expect(await isActive(front, tokens['access_token'])).toBe(true)
    expect((await refresh(t, shop, tokens['refresh_token'])).status).toBe(200)
  })

  testOnBoth("an exchange at the moment when the person's token ends on another node leaves no valid token", async () => {
    const node = await t.node()
    for (let round = 0; round < 6; round++) {
      const tokens = await tokensFor()
      const revoked = postForm(t, shop, '/oauth2/revoke', { token: String(tokens['refresh_token']) })
      const [made] = await Promise.all([exchange(agent, tokens['access_token'], {}, node), revoked])
      expect(made.error === undefined ? await isActive(back, made['access_token']) : false).toBe(false)
    }
  })
})

describe('an administrator who impersonates a user at an API', () => {
  const userId = 'urn:gatehouse:params:oauth:token-type:user-id'
  let desk: Application
  let staff: Browser
  const ask = async (browser: Browser, of: string, form: Params = {}, scopes = 'openid') => {
    const { access_token: actor } = (await redeem(t, desk, await codeFor(browser, desk, { scope: scopes, prompt: 'consent' })))
      .json
    return exchange(desk, of, {
      ...{
        subject_token_type: userId,
        actor_token: String(actor),
        actor_token_type: accessToken,
        scope: 'read',
        resource: 'urn:desk',
      },
      ...form,
    })
  }
  beforeAll(async () => {
    desk = await register(t, { name: 'Desk' })
    staff = await signedInAs(t, 'admin', 'desk@staff.example')
    const api = await admin.api.apis.createApi({
      body: {
        ...{
          identifier: 'urn:desk',
          name: 'Desk',
          clients: [{ clientId: desk.clientId, mayImpersonate: true }, { clientId: shop.clientId }],
        },
        scopes: [
          { name: 'read', description: 'Read' },
          { name: 'manage', description: 'Manage', permission: 'organization:update' },
        ],
      },
    })
    const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId: api.id }, body: {} })
    readers['urn:desk'] = { clientId: api.id, secret }
  })

  test("an administrator gets a user's token that names the administrator, is recorded as an impersonation, and ends with the administrator's session", async () => {
    const owner = await ownerOf(t, 'Acme')
    const organization = owner.organizations[0]?.slug
    const made = await ask(staff, owner.userId, { organization, scope: 'read manage', reason: 'Ticket 4711' } as Params)
    // Actions that an impersonating administrator may not take are not among the scopes either.
    expect(made).toMatchObject({ scope: 'read' })
    const staffId = (await staff.api.sessions.getSession())?.user.id
    expect(decodeJwt(String(made['access_token']))).toMatchObject({ sub: owner.userId, aud: 'urn:desk', act: { sub: staffId } })
    expect(await isActive('urn:desk', made['access_token'])).toBe(true)
    const event = await t.app.core.db
      .knex('event')
      .where({ type: 'user.impersonation_started', subject_id: owner.userId })
      .first()
    expect(JSON.stringify(event)).toContain('Ticket 4711')
    await staff.request('/sign-out', { method: 'POST' })
    expect(await isActive('urn:desk', made['access_token'])).toBe(false)
    staff = await signedInAs(t, 'admin', 'desk2@staff.example')
  })

  test('an impersonation at an API needs the permission, a recent sign-in and a token of the application, and excludes administrators and oneself', async () => {
    const lee = await t.signedIn('lee@example.com')
    const leeId = (await lee.api.sessions.getSession())?.user.id ?? ''
    const adminId = (await admin.api.sessions.getSession())?.user.id ?? ''
    const staffId = (await staff.api.sessions.getSession())?.user.id ?? ''
    expect(await ask(lee, annId)).toMatchObject({ error: 'access_denied' })
    expect(await ask(await signedInAs(t, 'support'), annId)).toMatchObject({ error: 'access_denied' })
    for (const subject of [adminId, staffId, 'nobody'])
      expect(await ask(staff, subject)).toMatchObject({ error: 'access_denied' })
    expect(await ask(staff, leeId, { resource: back })).toMatchObject({ error: 'invalid_target' })
    expect(await ask(staff, leeId, { scope: 'read more' })).toMatchObject({ error: 'invalid_scope' })
    expect(await ask(staff, leeId, { organization: 'nobody' })).toMatchObject({ error: 'invalid_request' })
    expect(await ask(staff, leeId, { actor_token: undefined, actor_token_type: undefined })).toMatchObject({
      error: 'invalid_request',
    })
    expect(await ask(staff, leeId, {}, 'openid offline_access')).toMatchObject({ error: 'invalid_request' })
    expect(await ask(staff, leeId, { actor_token: String((await tokensFor(staff))['access_token']) })).toMatchObject({
      error: 'invalid_request',
    })
    expect((await ask(staff, leeId)).error).toBeUndefined()
    t.clock.advance({ days: 2 })
    expect(await ask(staff, leeId)).toMatchObject({ error: 'access_denied' })
    admin = await signedInAs(t, 'admin', 'later@staff.example')
    staff = await signedInAs(t, 'admin', 'desk3@staff.example')
  })

  test('an application with pairwise subjects gets its own pairwise identifier of an impersonating administrator', async () => {
    const set = (subjectType: 'public' | 'pairwise') =>
      admin.api.applications.updateApplication({ params: { clientId: desk.clientId }, body: { subjectType } })
    await set('pairwise')
    const { access_token: token } = await ask(staff, annId)
    const { sub, act } = decodeJwt(String(token))
    const staffId = (await staff.api.sessions.getSession())?.user.id ?? ''
    const { id_token: own } = (await redeem(t, desk, await codeFor(staff, desk, { scope: 'openid' }))).json
    expect(act).toEqual({ sub: decodeJwt(String(own)).sub })
    expect([sub, JSON.stringify(act)]).toEqual([expect.not.stringContaining(annId), expect.not.stringContaining(staffId)])
    await set('public')
  })

  test('an impersonation at an API is refused for an organization that requires two factors and for an application that requires an authentication class', async () => {
    const owner = await ownerOf(t, 'Strict')
    const [strict] = owner.organizations
    const organization = strict?.slug
    expect((await ask(staff, owner.userId, { organization } as Params)).error).toBeUndefined()
    await t.app.core.db
      .knex('organization')
      .where({ id: strict?.id ?? '' })
      .update({ requires_second_factor: true })
    expect(await ask(staff, owner.userId, { organization } as Params)).toMatchObject({ error: 'access_denied' })
    expect((await ask(staff, owner.userId)).error).toBeUndefined()
    const { access_token: actor } = (await redeem(t, desk, await codeFor(staff, desk, { scope: 'openid' }))).json
    await admin.api.applications.updateApplication({ params: { clientId: desk.clientId }, body: { requireAcr: '2fa' } })
    const form = { subject_token_type: userId, actor_token: String(actor), actor_token_type: accessToken, resource: 'urn:desk' }
    expect(await exchange(desk, owner.userId, form)).toMatchObject({ error: 'access_denied' })
    await admin.api.applications.updateApplication({ params: { clientId: desk.clientId }, body: { requireAcr: null } })
  })
})

describe('refused exchanges', () => {
  test('each variation of the permitted exchange is refused with the error of the standard', async () => {
    const { access_token: subject, refresh_token: renewal, id_token: idToken } = await tokensFor()
    const { access_token: plain } = (await redeem(t, shop, await codeFor(ann, shop))).json
    const { access_token: exchanged } = await exchange(agent, subject)
    const spa = await register(t, { name: 'Page', type: 'spa' })
    const disabled = await register(t, { name: 'Off' })
    await admin.api.apis.updateApi({
      params: { apiId: ids[front] ?? '' },
      body: {
        clients: [
          { clientId: shop.clientId },
          { clientId: disabled.clientId },
          { clientId: other.clientId, exchangeFrom: [back] },
        ],
      },
    })
    const { access_token: ofDisabled } = (
      await redeem(t, disabled, await codeFor(ann, disabled, { resource: front, scope: 'openid read' }))
    ).json
    await admin.api.applications.updateApplication({ params: { clientId: disabled.clientId }, body: { disabled: true } })
    const [header = '', body = '', signature = ''] = String(subject).split('.')
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(String(subject)), sub: 'somebody' })).toString('base64url')
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${body}.`
    const types = 'urn:ietf:params:oauth:token-type'
    const hostile: readonly (readonly [Application, unknown, Params, string])[] = [
      [agent, subject, { resource: undefined }, 'invalid_target'],
      [agent, subject, { resource: 'https://nobody.example' }, 'invalid_target'],
      [agent, subject, { resource: `${back}#x` }, 'invalid_target'],
      [agent, subject, { resource: t.url }, 'invalid_target'],
      [agent, subject, { resource: front }, 'invalid_target'],
      [agent, subject, { resource: deep }, 'invalid_target'],
      [agent, subject, { resource: undefined, audience: deep }, 'invalid_target'],
      [agent, subject, { audience: deep }, 'invalid_target'],
      [other, subject, {}, 'invalid_target'],
      [other, subject, { resource: deep }, 'invalid_request'],
      [agent, plain, {}, 'invalid_request'],
      [agent, exchanged, {}, 'invalid_request'],
      [agent, renewal, {}, 'invalid_request'],
      [agent, idToken, {}, 'invalid_request'],
      [agent, await machine(agent), {}, 'invalid_request'],
      [agent, ofDisabled, {}, 'invalid_request'],
      [agent, 'nonsense', {}, 'invalid_request'],
      [agent, '', {}, 'invalid_request'],
      [agent, `${header}.${forged}.${signature}`, {}, 'invalid_request'],
      [agent, unsigned, {}, 'invalid_request'],
      [agent, `${String(subject)}x`, {}, 'invalid_request'],
      [agent, `.${String(subject)}`, { resource: front }, 'invalid_target'],
      [agent, decodeJwt(String(subject)).jti, {}, 'invalid_request'],
      [agent, subject, { subject_token_type: undefined }, 'invalid_request'],
      [agent, subject, { subject_token_type: `${types}:id_token` }, 'invalid_request'],
      [agent, subject, { subject_token_type: `${types}:saml2` }, 'invalid_request'],
      [agent, subject, { subject_token_type: 'access_token' }, 'invalid_request'],
      [agent, subject, { requested_token_type: `${types}:refresh_token` }, 'invalid_request'],
      [agent, subject, { requested_token_type: `${types}:id_token` }, 'invalid_request'],
      [agent, subject, { actor_token: 'nonsense', actor_token_type: accessToken }, 'invalid_request'],
      [agent, subject, { actor_token: String(subject), actor_token_type: accessToken }, 'invalid_request'],
      [agent, subject, { actor_token: String(await machine(agent)) }, 'invalid_request'],
      [agent, subject, { actor_token_type: accessToken }, 'invalid_request'],
      [agent, subject, { scope: 'read admin' }, 'invalid_scope'],
      [agent, subject, { scope: 'openid read' }, 'invalid_scope'],
      [agent, subject, { scope: 'offline_access' }, 'invalid_scope'],
      [agent, subject, { scope: 'organizations' }, 'invalid_scope'],
      [spa, subject, {}, 'unauthorized_client'],
      [{ ...agent, secret: 'wrong' }, subject, {}, 'invalid_client'],
      [readers[back] ?? agent, subject, {}, 'unauthorized_client'],
    ]
    for (const [by, token, form, error] of hostile)
      expect([form, token, (await exchange(by, token, form)).error]).toEqual([form, token, error])
    expect((await exchange(agent, subject)).error).toBeUndefined()
  })

  test('an exchange refuses repeated parameters, DPoP proofs that would be ignored, and applications that are not listed', async () => {
    const { access_token: subject } = await tokensFor()
    const send = async (form: string, headers = {}) => {
      const answer = await fetch(`${t.url}/oauth2/token`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${btoa(`agent:${agent.secret}`)}` },
          ...headers,
        },
        body: `grant_type=${encodeURIComponent(grantType)}&subject_token=${subject}&subject_token_type=${encodeURIComponent(accessToken)}&${form}`,
      })
      return ((await answer.json()) as { readonly error?: string }).error
    }
    expect(await send(`resource=${back}`)).toBeUndefined()
    expect(await send(`resource=${back}&resource=${deep}`)).toBe('invalid_target')
    expect(await send(`resource=${back}&resource=${back}`)).toBeUndefined()
    expect(await send(`resource=${back}&subject_token=${subject}`)).toBe('invalid_request')
    expect(await send(`resource=${back}&scope=read&scope=write`)).toBe('invalid_request')
    expect(await send(`resource=${back}`, { dpop: 'a.b.c' })).toBe('invalid_dpop_proof')
    await admin.api.apis.updateApi({
      params: { apiId: ids[back] ?? '' },
      body: { clients: [{ clientId: 'agent' }, { clientId: 'other' }] },
    })
    expect(await send(`resource=${back}`)).toBe('invalid_target')
  })
})
