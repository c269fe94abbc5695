/** Administration of one user: nobody gives more permissions than they have, or acts on a user with more. */
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      access: {
        roles: {
          clerk: { permissions: ['users:*', 'user-sessions:*'] },
          recruiter: { permissions: ['users:read', 'users:create'] },
        },
      },
      users: { fields: { plan: { type: 'string', values: ['free', 'pro'], writableBy: 'operator' }, seats: { type: 'number' } } },
    },
  })
})
afterAll(() => t.stop())

const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const codeOf = ({ status, json }: Answer) => [status, json['code']]
const more = [403, 'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS']

describeOnBoth('permissions', () => {
  test('a user with some permissions cannot act on a user with more permissions, and nothing is changed', async () => {
    const clerk = await signedInAs(t, 'clerk')
    const boss = await signedInAs(t, 'admin', 'boss@example.com')
    const userId = await idOf('boss@example.com')
    const sessionToken = (await boss.api.sessions.getSession())?.session.id
    const calls: readonly (readonly [path: string, body: object])[] = [
      ['ban-user', { userId }],
      ['unban-user', { userId }],
      ['set-role', { userId, role: 'user' }],
      ['set-user-password', { userId, newPassword: 'another battery staple' }],
      ['remove-user', { userId }],
      [`users/${userId}/recovery-link`, {}],
      ['revoke-user-session', { sessionToken }],
      ['revoke-user-sessions', { userId }],
    ]
    for (const [path, body] of calls) expect([path, ...codeOf(await clerk.post(`/admin/${path}`, body))]).toEqual([path, ...more])
    expect(await boss.api.sessions.getSession()).toMatchObject({ user: { role: 'admin' } })
    // Administrators with the same permissions can act on each other.
    await t.signedIn('plain@example.com')
    expect((await clerk.post('/admin/ban-user', { userId: await idOf('plain@example.com') })).status).toBe(200)
  })

  test('an administrator cannot give a role with more permissions than their own, at creation or later', async () => {
    const clerk = await signedInAs(t, 'clerk', 'clerk2@example.com')
    await t.signedIn('raised@example.com')
    await t.verify('raised@example.com')
    const userId = await idOf('raised@example.com')
    const give = 'YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE'
    const ownId = await idOf('clerk2@example.com')
    for (const id of [userId, ownId])
      for (const role of ['admin', 'auditor', 'user,admin'])
        expect(codeOf(await clerk.post('/admin/set-role', { userId: id, role }))).toEqual([403, give])
    const account = { email: 'made@example.com', name: 'Made', password }
    expect(codeOf(await clerk.post('/admin/create-user', { ...account, role: 'admin' }))).toEqual([403, give])
    expect(codeOf(await clerk.post('/admin/create-user', { ...account, data: { role: 'admin' } }))).toEqual([403, give])
    const set = await clerk.post('/admin/set-role', { userId, role: ['user', 'clerk'] })
    expect(set.json['user']).toMatchObject({ role: 'user,clerk' })
    const recruiter = await signedInAs(t, 'recruiter')
    expect((await recruiter.post('/admin/create-user', account)).status).toBe(200)
    const withRole = await recruiter.post('/admin/create-user', { ...account, email: 'made2@example.com', role: 'recruiter' })
    expect(codeOf(withRole)).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'])
  })

  test('an API key of an administrator bans users, but nobody with more permissions than the API key', async () => {
    const boss = await signedInAs(t, 'admin', 'keys@example.com')
    const userId = await idOf('keys@example.com')
    const created = await boss.post('/api-key/create', { name: 'script', permissions: ['users:ban', 'users:read'] })
    expect(created.status).toBe(200)
    const headers = { authorization: `Bearer ${String(created.json['key'])}` }
    await t.signedIn('by-key@example.com')
    const call = (id: string) => t.client().post('/admin/ban-user', { userId: id }, headers)
    // The key has fewer permissions than its person.
    expect(codeOf(await call(userId))).toEqual(more)
    expect((await call(await idOf('by-key@example.com'))).status).toBe(200)
  })

  testOnBoth(
    'the last administrator cannot be banned, demoted or removed, and if two administrators do so to each other, one stays',
    async () => {
      const s = await testApp()
      const [one, two] = [await signedInAs(s, 'admin', 'one@example.com'), await signedInAs(s, 'admin', 'two@example.com')]
      const [first, second] = (await s.app.core.db.knex('user').orderBy('email').pluck('id')) as [string, string]
      const answers = await Promise.all([
        one.post('/admin/set-role', { userId: second, role: 'user' }),
        two.post('/admin/ban-user', { userId: first }),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      const left = await s.app.core.db.knex('user').where({ role: 'admin' }).whereNull('banned_at')
      expect(left.length).toBeGreaterThanOrEqual(1)
      const system = s.app.administration
      const principal = { kind: 'system', address: '', userAgent: '', requestId: 'test' } as const
      for (const { id } of left.slice(1)) await system.setRole(principal, id, 'user')
      const last = (left[0] as { id: string }).id
      const code = 'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED'
      await expect(system.ban(principal, last, undefined, undefined)).rejects.toMatchObject({ code })
      await expect(system.setRole(principal, last, 'user')).rejects.toMatchObject({ code })
      await expect(system.remove(principal, last)).rejects.toMatchObject({ code })
      await s.stop()
    },
  )
})

describe('input', () => {
  test('a created user has only fields that the configuration knows', async () => {
    const boss = await signedInAs(t, 'admin', 'fields@example.com')
    const account = { name: 'Fields', password }
    const made = await boss.post('/admin/create-user', { ...account, email: 'f1@example.com', data: { plan: 'pro', seats: 3 } })
    expect(made.json['user']).toMatchObject({ plan: 'pro', seats: 3, banned: false })
    for (const data of [{ plan: 'gold' }, { banned: true }, { seats: 'many' }, { emailVerified: 'yes' }, { id: 'x' }])
      expect(codeOf(await boss.post('/admin/create-user', { ...account, email: 'f2@example.com', data }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
    expect(codeOf(await boss.post('/admin/create-user', { ...account, email: 'no address' }))).toEqual([400, 'INVALID_EMAIL'])
  })

  test('the duration and the reason of a ban are limited', async () => {
    const boss = await signedInAs(t, 'admin', 'sizes@example.com')
    await t.signedIn('sized@example.com')
    const userId = await idOf('sized@example.com')
    for (const body of [{ banExpiresIn: -1 }, { banExpiresIn: 1e12 }, { banExpiresIn: 'x' }, { banReason: 'x'.repeat(501) }])
      expect(codeOf(await boss.post('/admin/ban-user', { userId, ...body }))).toEqual([400, 'VALIDATION_ERROR'])
    const { json } = await boss.post('/admin/ban-user', { userId, banExpiresIn: 0, banReason: '' })
    expect(json['user']).toMatchObject({ banned: true, banExpires: null, banReason: 'No reason' })
    expect(codeOf(await boss.post('/admin/has-permission', {}))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('a change of roles is recorded with the former and the new roles', async () => {
    const boss = await signedInAs(t, 'admin', 'recorder@example.com')
    await t.signedIn('recorded@example.com')
    await t.verify('recorded@example.com')
    const userId = await idOf('recorded@example.com')
    await boss.post('/admin/set-role', { userId, role: 'support' })
    await boss.post('/admin/set-role', { userId, role: 'support' })
    const rows = await t.app.core.db.knex('event').where({ subject_id: userId, type: 'user.role_changed' }).select('data')
    expect(rows.map(({ data }) => JSON.parse(data))).toEqual([{ from: 'user', to: 'support' }])
  })
})
