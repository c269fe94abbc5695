import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/core/crypto.ts'
import { consumeArtifacts, deleteGrants } from '../../../src/oidc/artifacts/store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client as Browser, Json } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { overlap } from '../../support/overlap.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Application, codeFor, offline, postForm, redeem, refresh, register, userinfo } from './flow.ts'

const oidc = { rsaModulusLength: 2048 }
const logged: string[] = []
let t: TestApp
let other: TestApp
let shop: Application
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc }, onLog: (line) => logged.push(line) })
  other = await t.node()
  shop = await register(t)
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const tokens = async (): Promise<Json> => (await redeem(t, shop, await codeFor(ann, shop, offline))).json
const use = (node: TestApp, { refresh_token }: Json, application = shop): Promise<Answer> =>
  refresh(node, application, refresh_token)
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)
/** Whether the tokens of each answer are still valid. The check uses the refresh token up. */
const live = async (...given: readonly Json[]): Promise<boolean[]> => {
  const answers = []
  for (const one of given) answers.push((await userinfo(t, one['access_token'])).status, (await use(t, one)).status)
  return answers.map((status) => status === 200)
}
const rowsOf = (grantId: string) => t.app.core.db.knex('oidc_artifact').where({ grant_id: grantId }).pluck('kind')
const rowOf = async ({ refresh_token }: Json): Promise<{ readonly id: string; readonly grant_id: string }> =>
  await t.app.core.db
    .knex('oidc_artifact')
    .where({ id: sha256(String(refresh_token)) })
    .first()

describe('a refresh token within its grace period', () => {
  test('three simultaneous refreshes on two nodes all succeed, and each of the new tokens is valid', async () => {
    for (const kept of [0, 1, 2]) {
      const first = await tokens()
      const answers = await Promise.all([use(t, first), use(other, first), use(t, first)])
      expect(statuses(answers)).toEqual([200, 200, 200])
      expect(new Set(answers.map(({ json }) => json['refresh_token'])).size).toBe(3)
      for (const { json } of answers) expect((await userinfo(other, json['access_token'])).status).toBe(200)
      const [next, ...forgotten] = [...answers.slice(kept), ...answers.slice(0, kept)].map(({ json }) => json)
      t.clock.advance({ minutes: 50 })
      const later = await use(other, next ?? {})
      expect(later.status).toBe(200)
      // The first use of a sibling token shows that two parties have tokens of the family.
      t.clock.advance({ seconds: 31 })
      expect((await use(t, forgotten[0] ?? {})).json['error']).toBe('invalid_grant')
      expect(await live(later.json)).toEqual([false, false])
    }
  })

  test('a refresh token can be used again within its grace period after a lost answer, and the second use does not prolong the period', async () => {
    const first = await tokens()
    const lost = await use(t, first)
    t.clock.advance({ seconds: 20 })
    const again = await use(other, first)
    expect(statuses([lost, again])).toEqual([200, 200])
    expect(logged.filter((line) => line.includes('used again within its grace'))).not.toEqual([])
    t.clock.advance({ seconds: 11 })
    expect((await use(t, first)).json).toEqual({ error: 'invalid_grant', error_description: 'invalid refresh token' })
    expect(await live(lost.json, again.json)).toEqual([false, false, false, false])
  })

  test('using a refresh token older than the last used one ends the whole token family at once', async () => {
    const first = await tokens()
    const [second, beside] = [await use(t, first), await use(other, first)]
    const third = await use(t, second.json)
    expect((await use(other, first)).json['error']).toBe('invalid_grant')
    expect(await live(second.json, beside.json, third.json)).toEqual(Array(6).fill(false))
  })

  test('using a successor of one sibling refresh token invalidates the other siblings, and reusing a sibling ends the token family', async () => {
    const first = await tokens()
    const [second, beside] = [await use(t, first), await use(other, first)]
    const [third, another] = [await use(t, beside.json), await use(other, second.json)]
    const fourth = await use(t, another.json)
    expect(statuses([second, beside, third, another, fourth])).toEqual(Array(5).fill(200))
    const seen = await postForm(t, shop, '/oauth2/introspect', { token: String(beside.json['refresh_token']) })
    expect(seen.json).toEqual({ active: false })
    expect((await use(other, beside.json)).status).toBe(400)
    expect(await live(third.json, fourth.json)).toEqual(Array(4).fill(false))
  })

  test('another client cannot use a consumed refresh token, and the attempt changes nothing', async () => {
    const first = await tokens()
    const second = await use(t, first)
    expect((await use(t, first, await register(t))).json['error']).toBe('invalid_grant')
    expect((await use(t, first, { ...shop, secret: 'wrong' })).status).toBe(401)
    const third = await use(t, first)
    expect(await live(second.json)).toEqual([true, true])
    expect((await userinfo(t, third.json['access_token'])).status).toBe(200)
  })

  test('revoking one refresh token revokes its siblings', async () => {
    const first = await tokens()
    const [second, beside] = [await use(t, first), await use(other, first)]
    expect((await postForm(other, shop, '/oauth2/revoke', { token: String(second.json['refresh_token']) })).status).toBe(200)
    expect(await live(beside.json)).toEqual([false, false])
    expect((await use(t, first)).status).toBe(400)
  })
})

test('without a grace period, exactly one of eight simultaneous uses on two nodes succeeds, and the token family ends', async () => {
  const strict = { oidc: { ...oidc, refreshTokenGraceSeconds: 0 } }
  const nodes = [await t.node(strict), await t.node(strict)] as const
  for (let round = 0; round < 5; round++) {
    const first = await tokens()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => use(nodes[i % 2 === 0 ? 0 : 1], first)))
    expect(statuses(answers).sort()).toEqual([200, ...Array(7).fill(400)])
    expect(await live(answers.find(({ status }) => status === 200)?.json ?? {})).toEqual([false, false])
  }
  for (const node of nodes) await node.stop()
})

describe('a token family that ends on one node', () => {
  test('ending a token family leaves no token of a simultaneous refresh on another node', async () => {
    const first = await tokens()
    const { id, grant_id: grantId, ...row } = await rowOf(first)
    await overlap(
      [t, other],
      async (tx) => {
        await consumeArtifacts(tx, [id], new Date())
        await tx.knex('oidc_artifact').insert({ ...row, id: sha256('given meanwhile'), grant_id: grantId })
      },
      () => other.app.core.transact((tx) => deleteGrants(tx, [grantId])),
    )
    expect(await rowsOf(grantId)).toEqual([])
  })

  test('ending a token family during a second use of a refresh token within its grace period leaves no valid token', async () => {
    const first = await tokens()
    const { grant_id: grantId } = await rowOf(first)
    await use(t, first)
    let late: Answer | undefined
    await overlap(
      [t, other],
      (tx) => deleteGrants(tx, [grantId]),
      async () => {
        late = await use(other, first)
      },
    )
    expect(late?.json['error']).toBe('invalid_grant')
    expect(await rowsOf(grantId)).toEqual([])
  })
})

test('a refresh is one read and one write: a single statement on PostgreSQL, a transaction of two statements on SQLite', async () => {
  const first = await tokens()
  const sent = await statementsOf(t, async () => expect((await use(t, first)).status).toBe(200))
  expect(sent.map(({ sql }) => sql.split(' ', 1)[0]?.replace(/;.*/, '').toLowerCase())).toEqual([
    'select',
    ...(dialect === 'postgres' ? ['with'] : ['begin', 'insert', 'update', 'commit']),
  ])
})
