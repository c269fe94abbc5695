import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { redirectUri } from './flow.ts'
import { refusal, registered, registers, send } from './registering.ts'

let t: TestApp
let admin: Browser
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const make = async (body: object = {}) => {
  const input = { name: 'Build server', ...body } as Parameters<
    typeof admin.api.initialAccessTokens.createInitialAccessToken
  >[0]['body']
  return admin.api.initialAccessTokens.createInitialAccessToken({ body: input })
}
const list = async () => (await admin.api.initialAccessTokens.listInitialAccessTokens()).tokens
const gone = [401, 'invalid_token', expect.stringContaining('used up, revoked or expired')]

describe('an initial access token', () => {
  test('an initial access token registers a limited number of clients, and administrators see which token registered each client', async () => {
    const { token, value } = await make({ maxClients: 2 })
    expect(value).toMatch(/^[A-Za-z0-9]{32}$/)
    const first = await registered(t, {}, value)
    await registered(t, {}, value)
    expect(refusal(await registers(t, {}, value))).toEqual(gone)
    expect((await list()).find(({ id }) => id === token.id)).toMatchObject({ state: 'used-up', usedClients: 2 })
    const client = await admin.api.applications.getApplication({ params: { clientId: first.clientId } })
    expect(client).toMatchObject({ registeredBy: 'initial-access-token', registrantId: token.id })
  })

  test('the use of an initial access token is counted before the client is stored, and not counted for a refused client', async () => {
    const { token, value } = await make()
    expect((await registers(t, { redirect_uris: ['http://rp.example/'] }, value)).status).toBe(400)
    expect((await list()).find(({ id }) => id === token.id)?.usedClients).toBe(0)
    expect((await registers(t, {}, value)).status).toBe(201)
  })

  test('revoking an initial access token keeps its clients', async () => {
    const { token, value } = await make({ maxClients: 5 })
    const client = await registered(t, {}, value)
    const params = { tokenId: token.id }
    expect((await admin.api.initialAccessTokens.revokeInitialAccessToken({ params })).state).toBe('revoked')
    expect(refusal(await registers(t, {}, value))).toEqual(gone)
    expect((await send(t, 'GET', client.path, undefined, client.token)).status).toBe(200)
    const again = await admin.api.initialAccessTokens.revokeInitialAccessToken({ params })
    expect(again.state).toBe('revoked')
    const events = await t.app.core.db.knex('event').where({ subject_id: token.id }).orderBy('id')
    expect(events.map(({ type }) => type)).toEqual(['client.initial_access_token_created', 'client.initial_access_token_revoked'])
    expect(JSON.stringify(events)).not.toContain(value)
    await expect(admin.api.initialAccessTokens.revokeInitialAccessToken({ params: { tokenId: 'nobody' } })).rejects.toMatchObject(
      { status: 404, code: 'INITIAL_ACCESS_TOKEN_NOT_FOUND' },
    )
  })

  test('an initial access token expires', async () => {
    const { value } = await make({ expiresInSeconds: 60 })
    t.clock.advance({ seconds: 61 })
    expect(refusal(await registers(t, {}, value))).toEqual(gone)
  })

  test('an initial access token limits types, hosts and scopes of its clients, even when the clients change themselves after its revocation', async () => {
    const { token, value } = await make({
      ...{
        types: ['web', 'native'],
        redirectHosts: ['rp.example', 'com.example.app'],
        scopes: ['openid', 'email'],
        maxClients: 9,
      },
    })
    const none = { token_endpoint_auth_method: 'none' }
    for (const [metadata, error] of [
      [{ ...none, redirect_uris: [redirectUri] }, 'invalid_client_metadata'],
      [{ redirect_uris: ['https://other.example/'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://rp.example.evil.example/'] }, 'invalid_redirect_uri'],
      [{ ...none, redirect_uris: ['com.example.other:/callback'] }, 'invalid_redirect_uri'],
      [{ post_logout_redirect_uris: ['https://other.example/'] }, 'invalid_redirect_uri'],
      [{ scope: 'openid profile' }, 'invalid_client_metadata'],
      [{ grant_types: ['client_credentials'], redirect_uris: [] }, 'invalid_client_metadata'],
    ] as const)
      expect(refusal(await registers(t, metadata, value)).slice(0, 2), JSON.stringify(metadata)).toEqual([400, error])
    expect((await registered(t, { ...none, redirect_uris: ['com.example.app:/callback'] }, value)).json['scope']).toBe(
      'openid email',
    )
    const client = await registered(t, { scope: 'openid' }, value)
    await admin.api.initialAccessTokens.revokeInitialAccessToken({ params: { tokenId: token.id } })
    const replace = (more: object) =>
      send(t, 'PUT', client.path, { client_id: client.clientId, redirect_uris: [redirectUri], ...more }, client.token)
    expect((await replace({ redirect_uris: ['https://other.example/'] })).status).toBe(400)
    expect((await replace({ scope: 'openid profile' })).status).toBe(400)
    expect((await replace({})).json['scope']).toBe('openid email')
  })

  test('an initial access token registers machines only if it allows machines', async () => {
    const { value } = await make({ types: ['machine'] })
    expect(
      (await registered(t, { redirect_uris: [], grant_types: ['client_credentials'] }, value)).json['response_types'],
    ).toEqual([])
  })

  test('an initial access token is accepted neither as a session nor as an API key', async () => {
    const { value } = await make()
    expect((await send(t, 'GET', '/admin/clients', undefined, value)).status).toBe(401)
    expect((await send(t, 'GET', '/list-sessions', undefined, value)).status).toBe(401)
  })

  test('in a browser with a session, a registration with an initial access token counts for the token', async () => {
    const { token, value } = await make()
    const ann = await t.signedIn('ann@example.com')
    const answer = await ann.post('/oauth2/register', { redirect_uris: [redirectUri] }, { authorization: `Bearer ${value}` })
    expect(answer.status).toBe(201)
    expect((await list()).find(({ id }) => id === token.id)?.usedClients).toBe(1)
  })

  test('an initial access token cannot be created with an unknown scope', async () => {
    await expect(make({ scopes: ['nosuch'] })).rejects.toMatchObject({ status: 400, code: 'INVALID_SCOPE' })
  })

  test('only administrators create and revoke initial access tokens', async () => {
    const ann = await t.signedIn('nobody@example.com')
    await expect(ann.api.initialAccessTokens.createInitialAccessToken({ body: { name: 'X' } })).rejects.toMatchObject({
      status: 403,
    })
    await expect(ann.api.initialAccessTokens.listInitialAccessTokens()).rejects.toMatchObject({ status: 403 })
  })
})
