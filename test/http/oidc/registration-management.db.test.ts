import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { authorizePath, codeFor, offline, queryOf, redeem, redirectUri, refresh, uidOf, userinfo } from './flow.ts'
import { refusal, registered, send } from './registering.ts'

let t: TestApp
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc: { registration: 'open' } } })
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

type Registered = Awaited<ReturnType<typeof registered>>
const read = (client: Registered, token = client.token) => send(t, 'GET', client.path, undefined, token)
const replace = (client: Registered, more: object, token = client.token) =>
  send(t, 'PUT', client.path, { client_id: client.clientId, redirect_uris: [redirectUri], ...more }, token)
const remove = (client: Registered, token = client.token) => send(t, 'DELETE', client.path, undefined, token)
const unauthorized = [401, 'invalid_token', 'Registration token is invalid']

describe('the token that manages a registered client', () => {
  test("a registration token reads the client's metadata, without the secret, at the root and below /api/auth", async () => {
    const client = await registered(t, { client_name: 'Read' })
    const { client_secret: _, client_secret_expires_at: __, ...rest } = client.json
    expect((await read(client)).json).toEqual(rest)
    expect((await send(t, 'GET', `/api/auth${client.path}`, undefined, client.token)).json).toEqual(rest)
  })

  test("a missing token, another client's registration token and an unknown client get the same answer", async () => {
    const [client, other] = [await registered(t), await registered(t)]
    const nobody = { ...client, path: '/oauth2/register/nobody', clientId: 'nobody' }
    const secret = client.secret ?? ''
    for (const answer of [
      ...[await send(t, 'GET', client.path), await read(client, other.token), await read(client, secret), await read(nobody)],
      ...[
        await replace(client, {}, other.token),
        await replace(nobody, {}),
        await remove(client, other.token),
        await remove(nobody),
      ],
    ]) {
      expect(refusal(answer)).toEqual(unauthorized)
      expect(answer.headers.get('www-authenticate')).toContain('invalid_token')
    }
  })

  test('a client registered by an administrator cannot be managed by a registration token', async () => {
    const { client } = await t.app.oidc.clients.register(
      { kind: 'system', address: '', userAgent: '', requestId: 'test' },
      { name: 'Shop', type: 'web', redirectUris: [redirectUri] },
    )
    const path = `/oauth2/register/${client.clientId}`
    for (const token of [undefined, 'null', ''])
      expect(refusal(await send(t, 'GET', path, undefined, token))).toEqual(unauthorized)
  })

  test('a registration token is stored only as a hash', async () => {
    const client = await registered(t)
    const rows = [
      await t.app.core.db.knex('oauth_client').where({ client_id: client.clientId }),
      await t.app.core.db.knex('event').where({ subject_id: client.clientId }),
    ]
    expect(JSON.stringify(rows)).not.toContain(client.token)
    expect(JSON.stringify(rows)).not.toContain(client.secret)
  })
})

describe('updates of a registered client', () => {
  test('an update replaces all metadata and the registration token, and the earlier registration token becomes invalid', async () => {
    const client = await registered(t, { client_name: 'Before', contacts: ['a@rp.example'], scope: 'openid' })
    const { json, status } = await replace(client, { client_name: 'After', client_secret: client.secret })
    expect([status, json['client_name'], json['contacts'], json['scope']]).toEqual([
      ...[200, 'After', undefined, 'openid profile email offline_access'],
    ])
    expect(json['registration_access_token']).not.toBe(client.token)
    expect(refusal(await read(client))).toEqual(unauthorized)
    expect(refusal(await replace(client, {}))).toEqual(unauthorized)
    expect((await read(client, String(json['registration_access_token']))).json).toEqual(json)
  })

  test('an update of redirect addresses makes new addresses valid and removed addresses invalid at once', async () => {
    const client = await registered(t)
    const next = 'https://rp.example/next'
    await replace(client, { redirect_uris: [next] })
    expect(queryOf((await ann.request(authorizePath(client))).location)['code']).toBeUndefined()
    expect(await codeFor(ann, client, { redirect_uri: next })).toBeTruthy()
  })

  test('an update must contain the client id, and is refused with a wrong client secret', async () => {
    const [client, other] = [await registered(t), await registered(t)]
    for (const more of [
      ...[{ client_id: undefined }, { client_id: other.clientId }, { client_secret: 'another' }, { client_secret: other.secret }],
      ...[{ client_secret: { toString: 1 } }],
      ...[{ registration_access_token: client.token }, { client_id_issued_at: 1 }, { client_secret_expires_at: 0 }],
      ...[{ skip_consent: true }, { redirect_uris: [] }, { token_endpoint_auth_method: 'none' }, { disabled: false }],
    ])
      expect((await replace(client, more)).status, JSON.stringify(more)).toBe(400)
    expect((await read(client)).status).toBe(200)
  })

  test('an update stores and records protocol settings of the client, even if nothing else changes', async () => {
    const client = await registered(t)
    const sent = { token_endpoint_auth_method: 'client_secret_post', grant_types: ['authorization_code', 'refresh_token'] }
    const { json } = await replace(client, sent)
    expect(json).toMatchObject(sent)
    expect((await read(client, String(json['registration_access_token']))).json).toMatchObject(sent)
    const [event] = await t.app.core.db.knex('event').where({ type: 'client.updated', subject_id: client.clientId })
    expect(JSON.parse(event.data)).toMatchObject({
      fields: ['authMethod', 'grantTypes'],
      after: { grantTypes: sent.grant_types },
    })
    const page = await registered(t, { token_endpoint_auth_method: 'none' })
    const native = await replace(page, { token_endpoint_auth_method: 'none', application_type: 'native' })
    expect(native.json['application_type']).toBe('native')
  })

  test('an update of an approved client cancels the approval, its skipped consent and its use of the claim act', async () => {
    const admin = await signedInAs(t, 'admin')
    const client = await registered(t)
    const params = { clientId: client.clientId }
    const allowed = { review: 'approved', skipConsent: true, understandsAct: true, requireAcr: '2fa' } as const
    await admin.api.applications.updateApplication({ params, body: allowed })
    expect((await replace(client, { redirect_uris: ['https://evil.example/'] })).status).toBe(200)
    expect(await admin.api.applications.getApplication({ params })).toMatchObject({
      ...{ review: null, skipConsent: false, understandsAct: false, requireAcr: '2fa', redirectUris: ['https://evil.example/'] },
    })
  })

  test('an update to another redirect host ends consents and tokens, and an update to another path of the same host does not', async () => {
    const client = await registered(t, { redirect_uris: [redirectUri, 'http://localhost:3334/callback'] })
    const { json } = await redeem(t, client, await codeFor(ann, client, offline))
    const pending = uidOf(await ann.request(authorizePath(client, { scope: 'openid profile' })))
    const same = { redirect_uris: ['https://rp.example/next', 'http://localhost:3335/callback'] }
    const { json: updated } = await replace(client, same)
    const asked = async (redirect_uri: string) =>
      new URL((await ann.request(authorizePath(client, { redirect_uri }))).location ?? '', t.url).pathname
    expect(await asked('https://rp.example/next')).toBe('/next')
    expect((await userinfo(t, json['access_token'])).status).toBe(200)
    const elsewhere = { redirect_uris: ['https://rp.example/next', 'https://elsewhere.example/'] }
    expect((await replace(client, elsewhere, String(updated['registration_access_token']))).status).toBe(200)
    expect(await asked('https://elsewhere.example/')).toBe('/consent')
    expect(await asked('https://rp.example/next')).toBe('/consent')
    expect((await userinfo(t, json['access_token'])).status).toBe(401)
    expect((await refresh(t, client, json['refresh_token'])).status).toBe(400)
    // The earlier consent page named the old host, so its answer is refused.
    await expect(ann.api.oidc.consent({ body: { accept: true, interaction: pending } })).rejects.toThrow(
      'No consent prompt found',
    )
  })

  test('an update of a client disabled by an administrator is refused, and the client stays disabled', async () => {
    const admin = await signedInAs(t, 'admin', 'off@staff.example')
    const client = await registered(t)
    const params = { clientId: client.clientId }
    await admin.api.applications.updateApplication({ params, body: { disabled: true } })
    expect(refusal(await replace(client, {})).slice(0, 2)).toEqual([403, 'access_denied'])
    expect((await admin.api.applications.getApplication({ params })).disabled).toBe(true)
    expect((await remove(client)).status).toBe(204)
  })

  test('an update can make a public web client native, but gives no client a secret', async () => {
    const client = await registered(t, { token_endpoint_auth_method: 'none' })
    const { json } = await replace(client, { token_endpoint_auth_method: 'none', redirect_uris: ['http://localhost:1234/'] })
    expect(json['application_type']).toBe('native')
    expect((await replace(client, {}, String(json['registration_access_token']))).status).toBe(400)
  })

  test('an update is recorded with the client as its actor', async () => {
    const client = await registered(t)
    await replace(client, { client_name: 'Recorded' })
    const [event] = await t.app.core.db.knex('event').where({ type: 'client.updated', subject_id: client.clientId })
    expect([event.actor_kind, event.actor_id]).toEqual(['application', client.clientId])
    expect(JSON.parse(event.data)).toMatchObject({ fields: ['name'], after: { name: 'Recorded' } })
  })
})

describe('deletion of a registered client', () => {
  test('a client that deletes itself loses codes, tokens, consents and its registration token at once', async () => {
    const client = await registered(t)
    const { json } = await redeem(t, client, await codeFor(ann, client, offline))
    const code = await codeFor(ann, client)
    const answer = await remove(client)
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([204, '', 'no-store'])
    expect((await userinfo(t, json['access_token'])).status).toBe(401)
    expect((await refresh(t, client, json['refresh_token'])).status).toBe(401)
    expect((await redeem(t, client, code)).status).toBe(401)
    expect(await t.app.core.db.knex('oauth_consent').where({ client_id: client.clientId })).toEqual([])
    expect(refusal(await read(client))).toEqual(unauthorized)
    expect(refusal(await remove(client))).toEqual(unauthorized)
  })
})
