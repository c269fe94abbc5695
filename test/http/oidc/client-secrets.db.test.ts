import { afterAll, beforeAll, expect } from 'vitest'
import * as migration from '../../../migrations/202611230140_client_secrets.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { createDatabase } from '../../support/database.ts'
import { countStatements } from '../organizations/people.ts'
import { type Application, codeFor, offline, postForm, redeem, redirectUri, refresh, register } from './flow.ts'

const operator = systemPrincipal('test')
const day = 86_400

let t: TestApp
let other: TestApp
let ann: Browser
beforeAll(async () => {
  t = await testApp()
  other = await t.node()
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const secrets = () => t.app.oidc.clientSecrets
const rotate = async (app: Application, overlapSeconds = 7 * day, secret?: string) => {
  const made = await secrets().rotate(operator, app.clientId, { overlapSeconds, secret })
  return { ...app, secret: made.secret, secretId: made.secretId }
}
/** Whether the token endpoint accepts the secret. It looks at the invalid code only after the secret matched. */
const isKnown = async (node: TestApp, app: Application) => {
  const { json } = await redeem(node, app, 'none')
  if (json['error'] === 'invalid_grant') return true
  expect(json).toMatchObject({ error: 'invalid_client', error_description: 'invalid client_secret' })
  return false
}
const becomesUnknown = (app: Application) => expect.poll(() => isKnown(other, app)).toBe(false)

describeOnBoth('the rotation of a client secret', () => {
  testOnBoth(
    'a rotation keeps both secrets valid during the overlap, at every endpoint where a client authenticates',
    async () => {
      const old = await register(t)
      const { json } = await redeem(t, old, await codeFor(ann, old, offline))
      const fresh = await rotate(old)
      expect(fresh.secret).not.toBe(old.secret)
      for (const app of [old, fresh]) {
        expect(await isKnown(t, app)).toBe(true)
        const token = String(json['access_token'])
        expect((await postForm(t, app, '/oauth2/introspect', { token })).json).toMatchObject({ active: true })
        expect((await postForm(t, app, '/oauth2/revoke', { token: 'none' })).status).toBe(200)
        const pushed = await postForm(t, app, '/oauth2/par', {
          response_type: 'code',
          redirect_uri: redirectUri,
          scope: 'openid',
        })
        expect(pushed.json['error']).not.toBe('invalid_client')
        const { clientId, secret = '' } = app
        const inBody = await postForm(t, { clientId, secret: undefined }, '/oauth2/introspect', { token, client_secret: secret })
        expect(inBody.json).toMatchObject({ active: true })
      }
      t.clock.advance({ seconds: 7 * day + 1 })
      expect(await isKnown(t, old)).toBe(false)
      expect(await isKnown(other, old)).toBe(false)
      expect(await isKnown(t, fresh)).toBe(true)
    },
  )

  testOnBoth('a refresh works with either secret during the overlap of a rotation', async () => {
    const old = await register(t)
    const bob = await t.signedIn('refreshing@example.com')
    const first = (await redeem(t, old, await codeFor(bob, old, offline))).json['refresh_token']
    const [fresh, second] = await Promise.all([rotate(old), refresh(t, old, first)])
    const third = await refresh(t, fresh, second.json['refresh_token'])
    expect((await refresh(t, old, third.json['refresh_token'])).status).toBe(200)
  })

  testOnBoth('a rotation with --now ends the earlier secret on every node at once', async () => {
    const old = await register(t)
    expect(await isKnown(other, old)).toBe(true)
    const fresh = await rotate(old, 0)
    expect(await isKnown(t, old)).toBe(false)
    await becomesUnknown(old)
    expect(await isKnown(other, fresh)).toBe(true)
  })

  test('the overlap of two secrets lasts as long as the setting says, unless the rotation names another duration', async () => {
    const { clientId } = await register(t)
    const node = await t.node({ oidc: { secretOverlapSeconds: day } })
    try {
      const before = Date.now()
      const { secrets: listed } = await node.app.oidc.clientSecrets.rotate(operator, clientId, {})
      const ending = listed.find(({ state }) => state === 'ending')?.expiresAt?.getTime() ?? 0
      expect(Math.abs(ending - before - day * 1000)).toBeLessThan(60_000)
    } finally {
      await node.stop()
    }
  })

  test('a second rotation is refused while two secrets are valid, and the error says until when both are valid', async () => {
    const app = await rotate(await register(t))
    await expect(rotate(app)).rejects.toMatchObject({
      code: 'SECRET_ROTATION_IS_UNDER_WAY',
      message: expect.stringMatching(/until 20\d\d-/),
    })
    // A rotation without overlap, as after a leak, ends all earlier secrets.
    const fresh = await rotate(app, 0)
    expect(await isKnown(t, app)).toBe(false)
    expect((await secrets().list(operator, app.clientId)).map(({ id }) => id)).toEqual([fresh.secretId])
  })

  testOnBoth('of several simultaneous rotations one succeeds, and there are never three valid secrets', async () => {
    for (const overlap of [day, 0]) {
      const app = await register(t)
      const nodes = [t, other, t, other]
      const rotations = await Promise.allSettled(
        nodes.map((node) => node.app.oidc.clientSecrets.rotate(operator, app.clientId, { overlapSeconds: overlap })),
      )
      const won = rotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const lost = rotations.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      for (const error of lost) expect(error).toMatchObject({ code: 'SECRET_ROTATION_IS_UNDER_WAY' })
      const listed = await secrets().list(operator, app.clientId)
      expect(listed.length).toBeLessThanOrEqual(2)
      // A rotation without overlap that begins after another has finished ends the other one's secret on purpose.
      expect(listed[0]?.id).toBe(won.find(({ secretId }) => secretId === listed[0]?.id)?.secretId)
      if (overlap > 0) expect(won).toHaveLength(1)
    }
  })

  test('the database refuses a third secret of a client', async () => {
    const app = await rotate(await register(t))
    const { knex } = t.app.core.db
    const [row] = await knex('client_secret')
      .join('oauth_client as c', 'c.id', 'oauth_client_id')
      .where('c.client_id', app.clientId)
    const insert = (slot: number) =>
      knex('client_secret').insert({
        ...{ id: `third${slot}`, oauth_client_id: row.oauth_client_id, slot, secret: 'x', created_at: new Date() },
      })
    await expect(insert(1)).rejects.toThrow(/unique/i)
    await expect(insert(3)).rejects.toThrow(/check/i)
  })

  test('a rotation accepts a secret chosen by the operator only if the secret is hard to guess', async () => {
    const app = await register(t)
    for (const weak of ['too short', 'x'.repeat(40), 'abcdefgh'.repeat(5), `${'ab '.repeat(14)}`, `ü${app.secret}`])
      await expect(rotate(app, day, weak)).rejects.toMatchObject({ code: 'CLIENT_SECRET_IS_TOO_WEAK' })
    const own = 'own-4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO+/=~'
    expect((await rotate(app, day, own)).secret).toBe(own)
    // RFC 6749, section 2.3.1: the secret is form-encoded in HTTP Basic.
    expect(await isKnown(t, { ...app, secret: encodeURIComponent(own) })).toBe(true)
  })

  test('a rotation is refused for clients without a secret and for unknown clients', async () => {
    const spa = await register(t, { type: 'spa' })
    await expect(rotate(spa)).rejects.toMatchObject({ code: 'CLIENT_HAS_NO_SECRET' })
    await expect(rotate({ ...spa, clientId: 'none' })).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    await expect(register(t, { type: 'spa', secret: 'own-4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO' })).rejects.toMatchObject({
      code: 'CLIENT_HAS_NO_SECRET',
    })
  })
})

describeOnBoth('a revoked client secret', () => {
  testOnBoth('a revoked secret is refused on every node, and the other secret stays valid', async () => {
    const old = await register(t)
    const fresh = await rotate(old)
    expect(await isKnown(other, old)).toBe(true)
    const [, oldSecret] = await secrets().list(operator, old.clientId)
    expect(oldSecret).toMatchObject({ hint: old.secret?.slice(0, 4), state: 'ending' })
    const left = await secrets().revoke(operator, old.clientId, oldSecret?.id ?? '')
    expect(left).toEqual([expect.objectContaining({ id: fresh.secretId, state: 'active', hint: fresh.secret.slice(0, 4) })])
    expect(await isKnown(t, old)).toBe(false)
    await becomesUnknown(old)
    expect(await isKnown(other, fresh)).toBe(true)
    const again = secrets().revoke(operator, old.clientId, oldSecret?.id ?? '')
    await expect(again).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' })
  })

  test('the last secret of a client can be revoked, and then the client cannot authenticate until it gets a new secret', async () => {
    for (const idTokenAlg of ['RS256', 'HS256'] as const) {
      const app = await register(t, { idTokenAlg })
      const [only] = await secrets().list(operator, app.clientId)
      expect(await secrets().revoke(operator, app.clientId, only?.id ?? '')).toEqual([])
      expect(await isKnown(t, app)).toBe(false)
      expect(await isKnown(t, { ...app, secret: 'undefined' })).toBe(false)
      expect(await isKnown(t, await rotate(app))).toBe(true)
    }
  })

  test('a secret cannot be revoked under the id of another client', async () => {
    const [shop, blog] = [await register(t), await register(t)]
    const [secret] = await secrets().list(operator, shop.clientId)
    const stolen = secrets().revoke(operator, blog.clientId, secret?.id ?? '')
    await expect(stolen).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' })
    expect(await isKnown(t, shop)).toBe(true)
  })
})

describe('the last use of a client secret', () => {
  const lastUses = async (app: Application) =>
    (await secrets().list(operator, app.clientId)).map(({ lastUsedAt }) => lastUsedAt?.getTime() ?? null)

  test('the last use of each secret is recorded without a further statement at the token endpoint, and written only every few minutes', async () => {
    const old = await register(t)
    const fresh = await rotate(old)
    t.clock.hold()
    await isKnown(t, old)
    expect(await countStatements(t, () => isKnown(t, old))).toEqual(
      expect.not.arrayContaining([expect.stringContaining('client_secret')]),
    )
    expect(await lastUses(old)).toEqual([null, null])
    await t.app.oidc.clients.flushUsage()
    const first = t.app.core.clock.now().getTime()
    expect(await lastUses(old)).toEqual([null, first])
    t.clock.advance({ seconds: 60 })
    await isKnown(t, old)
    await isKnown(t, fresh)
    await t.app.oidc.clients.flushUsage()
    expect(await lastUses(old)).toEqual([first + 60_000, first])
    t.clock.advance({ seconds: 300 })
    await isKnown(t, old)
    await t.app.oidc.clients.flushUsage()
    expect(await lastUses(old)).toEqual([first + 60_000, first + 360_000])
    expect(await isKnown(t, { ...old, secret: 'wrong' })).toBe(false)
  })
})

test('a secret that is still used shortly before it expires is reported', async () => {
  t.clock.hold()
  const [late, soon, unused] = [await register(t), await register(t), await register(t)]
  const inUse = async () => (await secrets().endingInUse()).map(({ clientId }) => clientId)
  await rotate(late, 7 * day)
  await rotate(soon, day)
  await rotate(unused, day)
  for (const app of [late, soon]) await isKnown(t, app)
  await t.app.oidc.clients.flushUsage()
  expect(await inUse()).toEqual([soon.clientId])
  t.clock.advance({ seconds: 6 * day })
  expect(await inUse()).toEqual([])
  await isKnown(t, late)
  await t.app.oidc.clients.flushUsage()
  expect(await secrets().endingInUse()).toEqual([
    {
      ...{ clientId: late.clientId, secretId: expect.any(String), lastUsedAt: t.app.core.clock.now() },
      expiresAt: new Date(t.app.core.clock.now().getTime() + day * 1000),
    },
  ])
})

test('a rotation and a revocation are recorded, and no event contains a secret or part of one', async () => {
  const app = await register(t)
  const fresh = await rotate(app)
  await secrets().revoke(operator, app.clientId, fresh.secretId)
  const events = await t.app.core.db.knex('event').where({ subject_id: app.clientId }).orderBy('id')
  expect(events.map(({ type }) => type)).toEqual(['client.created', 'client.secret_rotated', 'client.secret_revoked'])
  const text = JSON.stringify(events)
  for (const secret of [app.secret, fresh.secret]) expect(text).not.toContain(secret)
  expect(JSON.parse(events[1].data)).toEqual({
    ...{ id: fresh.secretId, ended: [] },
    ending: [{ id: expect.any(String), at: expect.stringMatching(/^20/) }],
  })
})

testOnBoth('the migration to several secrets keeps the secret of every client, up and down', async () => {
  const place = await createDatabase()
  const { openDatabase } = await import('../../../src/core/db/database.ts')
  const database = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
  const { knex } = database.db
  await knex.schema.createTable('oauth_client', (table) => {
    table.string('id', 32).primary()
    table.string('name', 200)
    table.text('client_secret')
    table.timestamp('created_at')
  })
  await knex.schema.createTable('oauth_consent', (table) => {
    table.string('id')
    table.string('client_id')
    table.string('user_id')
    table.timestamp('updated_at')
  })
  const at = new Date()
  await knex('oauth_client').insert([
    { id: 'hashed', name: 'Ärger & Co', client_secret: 'a hash', created_at: at },
    { id: 'sealed', name: 'Shop', client_secret: '01 sealed', created_at: at },
    { id: 'public', name: 'Page', client_secret: null, created_at: at },
  ])
  const before = await knex('oauth_client').select('id', 'client_secret').orderBy('id')
  await migration.up(knex)
  expect(await knex('client_secret').select('oauth_client_id', 'secret', 'slot').orderBy('oauth_client_id')).toEqual([
    { oauth_client_id: 'hashed', secret: 'a hash', slot: 1 },
    { oauth_client_id: 'sealed', secret: '01 sealed', slot: 1 },
  ])
  expect(await knex('oauth_client').where({ id: 'hashed' }).first('name_key')).toEqual({ name_key: 'ärger & co' })
  await migration.down(knex)
  expect(await knex('oauth_client').select('id', 'client_secret').orderBy('id')).toEqual(before)
  await migration.up(knex)
  // Of two secrets in a rotation, the one without an expiry is kept.
  const row = { oauth_client_id: 'hashed', slot: 2, secret: 'newer', created_at: at }
  await knex('client_secret').insert({ ...row, id: 'newer' })
  await knex('client_secret')
    .where({ id: 'hashed' })
    .update({ expires_at: new Date(Date.now() + 60_000) })
  await migration.down(knex)
  expect(await knex('oauth_client').where({ id: 'hashed' }).first('client_secret')).toEqual({ client_secret: 'newer' })
  await database.destroy()
  await place.drop()
})
