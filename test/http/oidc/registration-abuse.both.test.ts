/** Limits of clients that register themselves, also with simultaneous requests to two nodes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { authorizePath, codeFor, offline, redeem, redirectUri, refresh, uidOf, userinfo } from './flow.ts'
import { refusal, registered, registers, send } from './registering.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp({ config: { oidc: { registration: 'open', registrationMaxUnknown: 30 } } })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort()
const eight = (work: (node: TestApp, index: number) => Promise<{ readonly status: number }>) =>
  Promise.all(Array.from({ length: 8 }, (_, i) => work(i % 2 === 0 ? t : other, i)))
const unknown = async () =>
  Number((await t.app.core.db.knex('oauth_client').where({ registered_by: 'anonymous' }).count({ n: '*' }))[0]?.['n'])

describe('clients that register themselves on two nodes at the same time', () => {
  test('of eight simultaneous updates with one registration token exactly one succeeds, and only its new registration token is valid', async () => {
    const client = await registered(t)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        send(
          i % 2 === 0 ? t : other,
          ...(['PUT', client.path] as const),
          { client_id: client.clientId, redirect_uris: [redirectUri], client_name: `Name ${i}` },
          client.token,
        ),
      ),
    )
    expect(statuses(answers)).toEqual([200, 401, 401, 401, 401, 401, 401, 401])
    const winner = answers.find(({ status }) => status === 200)?.json
    const { json } = await send(other, 'GET', client.path, undefined, String(winner?.['registration_access_token']))
    expect(json['client_name']).toBe(winner?.['client_name'])
  })

  test('a deletion of a client during an update leaves either no client, or an updated client whose former registration token is invalid', async () => {
    for (let round = 0; round < 5; round++) {
      const client = await registered(t)
      const [deleted, updated] = await Promise.all([
        send(t, 'DELETE', client.path, undefined, client.token),
        send(other, 'PUT', client.path, { client_id: client.clientId, redirect_uris: [redirectUri] }, client.token),
      ])
      expect(statuses([deleted, updated])).toEqual(deleted.status === 204 ? [204, 401] : [200, 401])
      expect((await send(t, 'GET', client.path, undefined, client.token)).status).toBe(401)
      await t.app.core.db.knex('oauth_client').where({ client_id: client.clientId }).delete()
    }
  })

  test('a client deleted on one node gets no token on the other', async () => {
    const ann = await t.signedIn('deleted@example.com')
    const client = await registered(t)
    const code = await codeFor(ann, client)
    const [, redeemed] = await Promise.all([send(t, 'DELETE', client.path, undefined, client.token), redeem(other, client, code)])
    expect([200, 400, 401]).toContain(redeemed.status)
    if (redeemed.status === 200) expect((await userinfo(other, redeemed.json['access_token'])).status).toBe(401)
  })

  test('an update to other redirect addresses leaves no consent and no token of a simultaneous consent, redemption or refresh', async () => {
    const ann = await t.signedIn('elsewhere@example.com')
    for (let round = 0; round < 3; round++) {
      const client = await registered(t)
      const { json } = await redeem(t, client, await codeFor(ann, client, offline))
      const code = await codeFor(ann, client, offline)
      const uid = uidOf(await ann.request(authorizePath(client, { scope: 'openid email' })))
      const body = { client_id: client.clientId, redirect_uris: ['https://elsewhere.example/'] }
      const [updated, redeemed, refreshed] = await Promise.all([
        send(t, 'PUT', client.path, body, client.token),
        redeem(other, client, code),
        refresh(other, client, json['refresh_token']),
        ann.api.oidc.consent({ body: { accept: true, interaction: uid } }).catch(() => undefined),
      ])
      expect(updated.status).toBe(200)
      for (const { json: tokens } of [{ json }, redeemed, refreshed])
        if (tokens['access_token'] !== undefined) expect((await userinfo(other, tokens['access_token'])).status).toBe(401)
      const { client_id } = body
      expect(await t.app.core.db.knex('oidc_artifact').where({ client_id })).toEqual([])
      expect(await t.app.core.db.knex('oauth_consent').where({ client_id, consent_given: true })).toEqual([])
    }
  })

  test('an initial access token registers at most its number of clients, however many requests are simultaneous', async () => {
    const { value } = await t.app.oidc.initialAccessTokens.create(systemPrincipal('test'), {
      ...{ name: 'Three', types: ['web'], scopes: null, redirectHosts: null, maxClients: 3, expiresInSeconds: 600 },
    })
    expect(statuses(await eight((node) => registers(node, {}, value)))).toEqual([201, 201, 201, 401, 401, 401, 401, 401])
  })

  test('strangers register only the allowed number of clients, however many requests are simultaneous', async () => {
    while ((await unknown()) < 27) await registered(t)
    const answers = await eight((node) => registers(node))
    expect(statuses(answers)).toEqual([201, 201, 201, 503, 503, 503, 503, 503])
    expect(await unknown()).toBe(30)
    expect(refusal(await registers(other))).toEqual([503, 'temporarily_unavailable', 'Too many unknown clients'])
  })
})

describe('unused clients of strangers', () => {
  test('unused clients of strangers are deleted after a day, unless somebody signed in to the client or an administrator reviewed it', async () => {
    await t.app.core.db.knex('oauth_client').where({ registered_by: 'anonymous' }).delete()
    const ann = await t.signedIn('ann@example.com')
    const [unused, used, approved, restricted, unasked] = [
      ...([await registered(t), await registered(t), await registered(t)] as const),
      ...([await registered(t), await registered(t)] as const),
    ]
    await codeFor(ann, used)
    const review = (clientId: string, to: 'approved' | 'restricted') =>
      t.app.oidc.applications.update(systemPrincipal('test'), clientId, { review: to })
    await review(approved.clientId, 'approved')
    await review(restricted.clientId, 'restricted')
    // Nobody gives consent to this client, so no row shows whether anybody has signed in to it.
    await t.app.oidc.applications.update(systemPrincipal('test'), unasked.clientId, { skipConsent: true })
    const isThere = async ({ clientId }: { clientId: string }) =>
      (await t.app.core.db.knex('oauth_client').where({ client_id: clientId })).length === 1
    await t.app.oidc.sweep()
    expect(await isThere(unused)).toBe(true)
    t.clock.advance({ hours: 24, seconds: 1 })
    const [one, two] = await Promise.all([t.app.oidc.deleteUnusedClients(), other.app.oidc.deleteUnusedClients()])
    expect(one + two).toBe(1)
    expect(await Promise.all([unused, used, approved, restricted, unasked].map(isThere))).toEqual([false, true, true, true, true])
    const [event] = await t.app.core.db.knex('event').where({ type: 'client.deleted', subject_id: unused.clientId })
    expect([event.actor_kind, event.actor_id]).toEqual(['system', 'unused-clients'])
  })
})
