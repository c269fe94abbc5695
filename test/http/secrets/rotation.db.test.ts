import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { createSecrets, isSealed } from '../../../src/core/crypto.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { sealAll } from '../../support/events.ts'
import { tableNames } from '../../support/rows.ts'
import { testSecret } from '../../support/secret.ts'
import { statementsOf } from '../../support/statements.ts'
import { codeFor, redeem, register, userinfo } from '../oidc/flow.ts'

const [leaked, fresh] = [
  'Zm9yIHRlc3RzIG9ubHksIDQ4IHJhbmRvbSBieXRlcyBpbiBiYXNlNjQ',
  'bmV3ZXIgc2VjcmV0LCA0OCByYW5kb20gYnl0ZXMgaW4gYmFzZTY0',
]
const oidc = { rsaModulusLength: 2048 }

const nodes: TestApp[] = []
let t: TestApp
beforeEach(async () => {
  t = await testApp({ config: { oidc, billing: { retentionDays: 30 } } })
})
afterEach(async () => {
  for (const node of nodes.splice(0).reverse()) await node.stop()
  await t.stop()
})
const node = async (...secret: readonly string[]) => {
  const started = await t.node({ secret })
  nodes.push(started)
  return started
}

/** One sealed value in each sealed column. */
const fill = async (t: TestApp) => {
  const { app } = t
  await app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: ['https://rp.example/'],
    idTokenAlg: 'HS256',
  })
  // A former setting, because a node without the secret reports present settings first.
  for (const token of ['a token of 24 characters', undefined])
    await app.settings.change(systemPrincipal('test'), new Map([['metrics.token', token]]))
  await app.billing.endpoints.add(systemPrincipal('test'), 'shop', undefined)
  const now = new Date()
  const row = { name: 'Ann', email: 'ann@example.com', email_verified: true, role: 'user', email_version: 0 }
  const { id: userId } = await app.core.transact((tx) =>
    app.users.create(tx, systemPrincipal('test'), { name: row.name, email: row.email, emailVerified: true }),
  )
  await app.oidc.subjects.inSector('rp.example', userId)
  const { seal } = app.core.secrets
  const { knex } = app.core.db
  await knex('account').insert({
    ...{ id: 'at-github', account_id: '7', provider_id: 'github', user_id: userId, created_at: now, updated_at: now },
    ...Object.fromEntries(
      ['access_token', 'refresh_token', 'id_token'].map((column) => [column, seal(column, `account/${column}/at-github`)]),
    ),
  })
  await knex('totp').insert({
    ...{ id: 'totp-1', user_id: userId, secret: seal('GEZDGNBVGY3TQOJQ', 'totp/secret/totp-1'), issuer: '', created_at: now },
  })
  await knex('recovery_code_list').insert({
    ...{ id: 'list-1', user_id: userId, key: seal('key', 'recovery_code_list/key/list-1'), is_active: true, created_at: now },
  })
  const state = { id: 'state-1', identifier: 'social:state-1', created_at: now, updated_at: now }
  const expires = new Date(now.getTime() + 600_000)
  await knex('verification').insert({ ...state, expires_at: expires, value: seal('flow', 'verification/value/state-1') })
  const task = { id: 'task-1', kind: 'test', status: 'dead', attempts: 1, due_at: now, created_at: now }
  await knex('task').insert({ ...task, payload: seal('{}', 'task.payload.task-1') })
  // The events of the sign-ups, and with them the head and the first checkpoint of their chain.
  await sealAll(t)
  // A changed head, so that sealing begins a segment.
  await knex('event_chain').update({ position: 0 })
  await sealAll(t)
}

/** Every text of the database in the form of a sealed value, by table and column. */
const sealedIn = async ({ app }: TestApp): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { knex } = app.core.db
  const found = new Map<string, string[]>()
  for (const table of await tableNames(knex))
    for (const row of (await knex(table)) as Record<string, unknown>[])
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'string' && /^01[0-9a-f]+$/.test(value) && isSealed(value))
          found.set(`${table}.${column}`, [...(found.get(`${table}.${column}`) ?? []), value])
  return found
}

testOnBoth(
  'reencrypt seals every sealed column with the newest master secret, so that the older secret can be removed',
  async () => {
    await fill(t)
    const src = join(import.meta.dirname, '../../../src')
    const declared = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== join('core', 'table.ts'))
      .flatMap((path) => readFileSync(join(src, path), 'utf8').match(/(?<=[:(] ?)sealed(OrHash)?\(/g) ?? [])
    const before = await sealedIn(t)
    expect(before.size).toBe(declared.length)

    const rotated = await node(fresh, leaked)
    const [newest, older] = rotated.app.core.secrets.ids
    const counted = await rotated.app.masterSecrets.count()
    expect(counted.map(({ column, state }) => [column, state]).sort()).toEqual(
      [...before.keys()].sort().map((column) => [column, 'older']),
    )
    // The older secret cannot be removed before, and the refusal names columns and numbers.
    await expect(node(fresh)).rejects.toThrow(/no configured secret opens .*signing_key\.private_key \(4 values\)/)

    expect(await rotated.app.masterSecrets.reencrypt(systemPrincipal('test'))).toEqual({
      resealed: [...before.values()].flat().length,
      left: [],
    })
    expect(await rotated.app.masterSecrets.reencrypt(systemPrincipal('test'))).toEqual({ resealed: 0, left: [] })
    const after = await sealedIn(rotated)
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    for (const value of [...after.values()].flat()) expect([value.slice(2, 10), newest === older]).toEqual([newest, false])
    // The newest secret alone opens every value.
    const alone = await node(fresh)
    const [shop] = await alone.app.core.db.knex('oauth_client')
    expect([await alone.app.oidc.clients.find(shop.client_id)]).toEqual([
      expect.objectContaining({ secrets: [expect.objectContaining({ plain: expect.stringMatching(/^\w{32}$/) })] }),
    ])
    expect(await alone.app.billing.endpoints.newestSecret('shop')).toMatch(/^whsec_/)
    const identity = await alone.app.core.db.knex('account').where({ id: 'at-github' }).first()
    expect(alone.app.core.secrets.open(identity.refresh_token, 'account/refresh_token/at-github')).toBe('refresh_token')
  },
)

test('the checks count values sealed by older and unknown master secrets, without reading columns that one secret has sealed completely', async () => {
  await fill(t)
  const found = async (on: TestApp) => (await on.app.diagnosis.run()).filter(({ check }) => check === 'master-secret')
  const readsOf = async (on: TestApp) =>
    (await statementsOf(on, () => found(on))).filter(({ sql }) => sql.includes('substr') && !sql.includes('sqlite_')).length
  expect([await readsOf(t), await found(t)]).toEqual([0, [expect.objectContaining({ severity: 'ok' })]])
  const both = await node(fresh, leaked)
  expect(await found(both)).toEqual([
    expect.objectContaining({ severity: 'warning', message: expect.stringContaining('sealed with an older secret') }),
  ])
  await both.app.masterSecrets.reencrypt(systemPrincipal('test'))
  expect(await found(both)).toEqual([expect.objectContaining({ severity: 'ok' })])
  // A node that still has only the old secret.
  expect(await found(t)).toEqual([
    expect.objectContaining({ severity: 'failed', message: expect.stringContaining('a secret that is not configured') }),
  ])
})

testOnBoth('reencrypt keeps a value written while it runs, and reports and keeps a value that cannot be opened', async () => {
  await fill(t)
  const rotated = await node(fresh, leaked)
  const { knex } = t.app.core.db
  const { seal } = t.app.core.secrets
  const lost = createSecrets(['a secret that nobody has configured, 123456'], systemRandom).seal('x', 'task.payload.task-1')
  await knex('task').where({ id: 'task-1' }).update({ payload: lost })
  // A daemon with only the older secret continues to write.
  const write = async () => {
    for (let i = 0; i < 40; i += 1)
      await knex('account')
        .where({ id: 'at-github' })
        .update({ access_token: seal(`token ${i}`, 'account/access_token/at-github') })
  }
  const [result] = await Promise.all([rotated.app.masterSecrets.reencrypt(systemPrincipal('test')), write()])
  expect(result.left).toContainEqual(expect.objectContaining({ column: 'task.payload', state: 'unknown', count: 1 }))
  const { access_token } = await knex('account').where({ id: 'at-github' }).first()
  expect(rotated.app.core.secrets.open(access_token, 'account/access_token/at-github')).toBe('token 39')
  expect((await knex('task').where({ id: 'task-1' }).first()).payload).toBe(lost)
  const { left } = await rotated.app.masterSecrets.reencrypt(systemPrincipal('test'))
  expect(left.map(({ column, state }) => [column, state])).toEqual([['task.payload', 'unknown']])
})

test('a node that cannot open signing keys of a newer master secret still learns which applications are disabled', async () => {
  const shop = await register(t)
  const ann = await t.signedIn('ann@example.com')
  const { json } = await redeem(t, shop, await codeFor(ann, shop))
  const { oidc } = (await node(fresh, testSecret)).app
  await oidc.keys.rotate(systemPrincipal('test'))
  await oidc.applications.update(systemPrincipal('test'), shop.clientId, { disabled: true })
  await vi.waitFor(async () => expect((await userinfo(t, json['access_token'])).status).toBe(401), 60_000)
})

test('reencrypt refuses a master secret that no node has started with, because running nodes could not open the values', async () => {
  const env = { ...environmentOf(t.database), GATEHOUSE_SECRET: `${fresh},${leaked}` }
  const early = await runCommand(['reencrypt', '--json'], env)
  expect([early.exitCode, JSON.parse(early.stderr)]).toMatchObject([3, { code: 'NO_NODE_HAS_STARTED_WITH_THE_NEWEST_SECRET' }])
  await node(fresh, leaked)
  expect((await runCommand(['reencrypt', '--json'], env)).json()).toMatchObject({ left: [] })
})

test('a signature of a retired master secret stays valid on every node for the lifetime of the signed object after the last use of the secret', async () => {
  const ann = await t.signedIn('ann@example.com')
  const rotated = await node(fresh, leaked)
  // Signatures that an attacker with the leaked secret can create at any time.
  const forged = createSecrets([leaked], systemRandom).sign('invitation', 'id:ann@example.com')
  const counts = ({ app }: TestApp) => app.core.secrets.isSigned('invitation', 'id:ann@example.com', forged, 3600)
  t.clock.advance({ minutes: 59 })
  expect(counts(rotated)).toBe(true)
  t.clock.advance({ minutes: 2 })
  const other = await node(fresh, leaked)
  expect([counts(rotated), counts(other)]).toEqual([false, false])
  // A session's cookie lives longer, so it is still valid.
  const browser = other.client()
  for (const [name, value] of ann.cookies) browser.cookies.set(name, value)
  expect(await browser.api.sessions.getSession()).not.toBeNull()
})

test('a master secret that a node still signs with is not retired, and a secret configured again keeps its age', async () => {
  const lastSigned = async () => {
    const rows: { id: string; last_signed_at: unknown }[] = await t.app.core.db.knex('master_secret')
    return new Map(rows.map((row) => [row.id, new Date(row.last_signed_at as string | number | Date).getTime()]))
  }
  const rotated = await node(fresh, leaked)
  const [newest = '', older = ''] = rotated.app.core.secrets.ids
  const before = await lastSigned()
  t.clock.advance({ minutes: 5 })
  await t.app.masterSecrets.refresh()
  await rotated.app.masterSecrets.refresh()
  const now = await lastSigned()
  expect((now.get(older) ?? 0) - (before.get(older) ?? 0)).toBeGreaterThanOrEqual(300_000)
  t.clock.advance({ minutes: 5 })
  // A node with only the former secret would seal with it.
  await t.app.jobs.stop()
  await rotated.app.masterSecrets.reencrypt(systemPrincipal('test'))
  await node(fresh)
  await node(fresh, leaked)
  const then = await lastSigned()
  expect(then.get(older)).toBe(now.get(older))
  expect(then.get(newest)).toBeGreaterThan(now.get(newest) ?? 0)
})
