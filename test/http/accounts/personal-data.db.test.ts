import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPostgres } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { codeFor, redeem, register } from '../oidc/flow.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      oidc: { rsaModulusLength: 2048 },
      users: { fields: { nickname: { type: 'string' }, score: { type: 'number', returned: false } } },
    },
  })
})
afterAll(() => t.stop())

type Data = Readonly<Record<string, readonly Record<string, unknown>[]>>
const download = async (client: Awaited<ReturnType<TestApp['signedIn']>>) => {
  const answer = await client.request('/download-user-data')
  expect(answer.status).toBe(200)
  return { answer, data: JSON.parse(answer.text) as Data }
}

/** Columns that name a user, in all tables. */
const naming = /^(user_id|account_id|inviter_id|created_by|impersonated_by|actor_id|subject_id|impersonator_id)$/

test('each table that names users has a part in the download of personal data, or a stated reason for its absence', async () => {
  const { knex } = t.app.core.db
  const sql = isPostgres(t.app.core.db)
    ? 'select table_name as name, column_name as col from information_schema.columns where table_schema = current_schema()'
    : "select m.name as name, p.name as col from sqlite_master m join pragma_table_info(m.name) p where m.type = 'table'"
  const found = await knex.raw(sql)
  const columns: { readonly name: string; readonly col: string }[] = Array.isArray(found) ? found : found.rows
  const withUsers = [...new Set(columns.filter(({ col }) => naming.test(col)).map(({ name }) => name))].sort()
  const parts = t.app.registered.flatMap(({ personalData = [] }) => personalData.flatMap(({ tables }) => tables))
  const withheld = t.app.registered.flatMap(({ withheldData = [] }) => withheldData)
  expect(withUsers.length).toBeGreaterThan(15)
  expect(withUsers.filter((name) => !parts.includes(name) && !withheld.some(({ table }) => table === name))).toEqual([])
  // A stated reason is outdated when its table does not exist or has a part in the download.
  const tables = new Set(columns.map(({ name }) => name))
  expect(withheld.filter(({ table, why }) => !tables.has(table) || parts.includes(table) || why.length < 20)).toEqual([])
})

test('a person downloads their stored data as one file, without secrets and without data about other people', async () => {
  const ann = await t.signedIn('ann@example.com')
  const bob = await t.signedIn('bob@example.com')
  const organization = (await ann.post('/organization/create', { name: 'Acme', slug: 'acme' })).json
  await t.app.core.db.knex('user').where({ email: 'ann@example.com' }).update({ email_verified: true })
  await ann.post('/organization/invite-member', { email: 'bob@example.com', role: 'member', organizationId: organization['id'] })
  const shop = await register(t)
  const code = await codeFor(ann, shop, { scope: 'openid offline_access', prompt: 'consent' })
  const tokens = (await redeem(t, shop, code)).json
  await ann.post('/update-user', { nickname: 'An' })
  await t.client().post('/sign-in/email', { email: 'ann@example.com', password: 'wrong' })

  const { answer, data } = await download(ann)
  expect(answer.headers.get('content-disposition')).toContain('gatehouse-data.json')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(data['profile']).toMatchObject([{ email: 'ann@example.com', fields: { nickname: 'An' } }])
  expect(data['sessions']).toHaveLength(1)
  expect(data['signInMethods']).toMatchObject([{ providerId: 'credential' }])
  expect(data['memberships']).toMatchObject([{ organizationId: organization['id'], role: 'owner' }])
  expect(data['consents']).toMatchObject([{ clientId: shop.clientId, consentGiven: true }])
  expect(data['applicationTokens']?.map(({ kind }) => kind)).toContain('RefreshToken')
  expect(data['invitationsSent']).toMatchObject([{ status: 'pending', role: 'member' }])
  const types = data['events']?.map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['user.created', 'organization.created', 'user.data_downloaded']))

  // Bob's address is unverified, so mails sent to it may be meant for another person.
  const foreign = await download(bob)
  expect(foreign.data['invitationsReceived']).toEqual([])
  expect(foreign.answer.text).not.toContain('ann@example.com')
  await t.app.core.db.knex('user').where({ email: 'bob@example.com' }).update({ email_verified: true })
  expect((await download(bob)).data['invitationsReceived']).toMatchObject([{ organizationId: organization['id'] }])
  expect(answer.text).not.toContain('bob@example.com')

  const secrets: string[] = [String(tokens['refresh_token']), String(tokens['access_token']), password]
  secrets.push(...[...ann.cookies.values()].map((value) => value.split('.')[0] ?? ''))
  for (const table of ['session', 'account', 'oidc_artifact']) {
    const column = { session: 'token_hash', account: 'password', oidc_artifact: 'id' }[table] ?? ''
    secrets.push(...(await t.app.core.db.knex(table).whereNotNull(column).pluck(column)))
  }
  expect(secrets.filter((secret) => secret.length > 8 && answer.text.includes(secret))).toEqual([])
  const keys = [...answer.text.matchAll(/"(\w+)":/g)].map(([, key]) => key ?? '')
  expect(keys.filter((key) => /hash|secret|password$|tokenValue|publicKey/i.test(key))).toEqual([])
})

test('the download of personal data requires a fresh session and is refused to an impersonating administrator', async () => {
  const late = await t.signedIn('late@example.com')
  t.clock.advance({ hours: 25 })
  const answer = await late.request('/download-user-data')
  expect([answer.status, answer.json['code']]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect((await t.client().request('/download-user-data')).status).toBe(401)
  expect(await t.app.core.db.knex('event').where({ type: 'user.data_downloaded', actor_id: 'late' })).toEqual([])

  const root = await t.signedIn('root@example.com')
  await t.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  const { id } = (await t.app.core.db.knex('user').where({ email: 'late@example.com' }).first('id')) as { id: string }
  const started = await root.post('/admin/impersonate-user', { userId: id, reason: 'help' })
  expect(started.status).toBe(200)
  expect((await root.request('/download-user-data')).status).toBe(403)
})

test('the download of personal data contains all rows, even more rows than one page', async () => {
  const ann = await t.signedIn('many@example.com')
  const { knex } = t.app.core.db
  const { id } = (await knex('user').where({ email: 'many@example.com' }).first('id')) as { id: string }
  const [session] = await knex('session').where({ user_id: id })
  const rows = Array.from({ length: 1_050 }, (_, n) => ({ ...session, id: `many-${n}`, token_hash: `many-${n}` }))
  for (let at = 0; at < rows.length; at += 50) await knex('session').insert(rows.slice(at, at + 50))
  expect((await download(ann)).data['sessions']).toHaveLength(1_051)
})
