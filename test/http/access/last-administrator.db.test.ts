import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type PermittedPrincipal, systemPrincipal } from '../../../src/access/principal.ts'
import { anyState } from '../../../src/core/etag.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let round = 0
beforeAll(async () => {
  t = await testApp({ config: { access: { roles: { giver: { permissions: ['users:set-role', 'users:read'] } } } } })
})
afterAll(() => t.stop())
beforeEach(async () => {
  round += 1
  await t.app.core.transact((tx) => tx.knex('user').whereNot({ role: 'user' }).update({ role: 'user' }))
})

const system = systemPrincipal('test')
const setRole = (principal: PermittedPrincipal, id: string, role: string | readonly string[]) =>
  t.app.administration.setRole(principal, id, role)

/** A user with the role: their browser, id, and present principal. */
const person = async (name: string, role: string) => {
  const client = await t.signedIn(`${name}-${round}@last.example`)
  const session = await client.api.sessions.getSession()
  const id = session?.user.id ?? ''
  await t.app.core.transact((tx) => tx.knex('user').where({ id }).update({ role, email_verified: true }))
  const found = await t.app.sessions.authenticate(
    (await client.post('/sign-in/email', { email: `${name}-${round}@last.example`, password })).json['token'] as string,
    { address: '', userAgent: '', requestId: 'test' },
    { extend: false },
  )
  if (found === undefined) throw new Error('no session')
  return { client, id, principal: found.principal }
}
const roleOf = async (id: string) => (await t.app.users.require(t.app.core.db, id)).role
const codes = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as { code: string }).code)).sort()

test('the administrator role cannot be taken from the last administrator, but can be taken from others', async () => {
  const ann = await person('ann', 'support,admin')
  const ben = await person('ben', 'admin')
  expect((await setRole(ann.principal, ben.id, 'support')).role).toBe('support')
  for (const principal of [system, ann.principal])
    await expect(setRole(principal, ann.id, 'support')).rejects.toMatchObject({
      code: 'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
    })
  expect((await setRole(ann.principal, ann.id, ['admin', 'auditor'])).role).toBe('admin,auditor')
  expect(await t.app.audit.list({}, 2)).toMatchObject([
    {
      type: 'user.role_changed',
      subjectId: ann.id,
      actorId: ann.id,
      data: { to: 'admin,auditor', from: 'support,admin' },
    },
    { type: 'user.role_changed', subjectId: ben.id, actorId: ann.id, data: { to: 'support', from: 'admin' } },
  ])
})

test('the last administrator can be deleted neither by an operator nor by themselves, even with several roles', async () => {
  const ann = await person('ann', 'user,admin')
  expect((await ann.client.post('/delete-user', { password })).json).toMatchObject({
    code: 'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
  })
  const user = await t.app.users.require(t.app.core.db, ann.id)
  await expect(t.app.core.transact((tx) => t.app.deletion.remove(tx, system, user))).rejects.toMatchObject({
    code: 'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
  })
  await person('ben', 'admin')
  expect((await ann.client.post('/delete-user', { password })).status).toBe(200)
})

testOnBoth('if two administrators take the role from each other at the same moment, one keeps the role', async () => {
  const [ann, ben] = [await person('ann', 'admin'), await person('ben', 'admin')]
  const results = await Promise.allSettled([setRole(ann.principal, ben.id, 'user'), setRole(ben.principal, ann.id, 'user')])
  expect(codes(results)).toEqual(['FORBIDDEN', 'done'])
  expect([await roleOf(ann.id), await roleOf(ben.id)].sort()).toEqual(['admin', 'user'])
})

testOnBoth(
  'an administrator who loses the role at the same moment cannot take the role from anybody, even if a third administrator stays',
  async () => {
    const [ann, ben] = [await person('ann', 'admin'), await person('ben', 'admin')]
    await person('cid', 'admin')
    const results = await Promise.allSettled([setRole(ann.principal, ben.id, 'user'), setRole(ben.principal, ann.id, 'user')])
    expect(codes(results)).toEqual(['FORBIDDEN', 'done'])
  },
)

testOnBoth(
  'if two administrators ban each other at the same moment, one is banned, even if a third administrator stays',
  async () => {
    const [ann, ben] = [await person('ann', 'admin'), await person('ben', 'admin')]
    await person('cid', 'admin')
    const ban = (principal: PermittedPrincipal, id: string) => t.app.administration.ban(principal, id, undefined, undefined)
    const results = await Promise.allSettled([ban(ann.principal, ben.id), ban(ben.principal, ann.id)])
    expect(codes(results)).toEqual(['UNAUTHORIZED', 'done'])
  },
)

test('an administrator who loses the role during a call can set no password or address, end no session and create no administrator', async () => {
  const [ann, ben] = [await person('ann', 'admin'), await person('ben', 'admin')]
  await setRole(ben.principal, ann.id, 'support')
  const { administration, sessionAdministration, core } = t.app
  const address = { email: `taken-${round}@last.example` }
  const account = { ...address, name: 'Eve', role: 'admin' }
  const session = ben.principal.kind === 'user' ? ben.principal.session.id : ''
  const forbidden = { code: 'FORBIDDEN' }
  await expect(
    administration.setPassword(ann.principal, ben.id, 'another battery staple', { replaces: true }),
  ).rejects.toMatchObject(forbidden)
  await expect(administration.update(ann.principal, ben.id, address, anyState)).rejects.toMatchObject(forbidden)
  await expect(administration.create(ann.principal, account)).rejects.toMatchObject(forbidden)
  await expect(administration.create(ann.principal, { ...account, password })).rejects.toMatchObject(forbidden)
  await expect(administration.endSession(ann.principal, session)).rejects.toMatchObject(forbidden)
  await expect(sessionAdministration.end(ann.principal, session)).rejects.toMatchObject(forbidden)
  expect(await core.db.knex('user').where(address)).toEqual([])
  expect((await ben.client.api.sessions.getSession())?.user.id).toBe(ben.id)
})

test('the last administrator who can sign in cannot be banned, and banned administrators do not count', async () => {
  const [ann, ben] = [await person('ann', 'admin'), await person('ben', 'admin')]
  await t.app.administration.ban(system, ben.id, undefined, 60)
  const last = { code: 'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED' }
  await expect(t.app.administration.ban(system, ann.id, undefined, 60)).rejects.toMatchObject(last)
  await expect(setRole(system, ann.id, 'user')).rejects.toMatchObject(last)
  await expect(t.app.administration.remove(system, ann.id)).rejects.toMatchObject(last)
  await t.app.administration.unban(system, ben.id)
  expect((await setRole(system, ann.id, 'user')).role).toBe('user')
})

testOnBoth('one administrator stays when all administrators delete themselves or lose the role at the same moment', async () => {
  const people = await Promise.all(['ann', 'ben', 'cid', 'dan'].map((name) => person(name, 'admin')))
  const results = await Promise.allSettled(
    people.map(async ({ client, id }, index) => {
      if (index % 2 === 0) return setRole(system, id, 'auditor')
      const { json, status } = await client.post('/delete-user', { password })
      if (status !== 200) throw json
      return undefined
    }),
  )
  expect(codes(results)).toEqual(['THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED', 'done', 'done', 'done'])
  expect(await t.app.users.hasAdministrator(t.app.core.db)).toBe(true)
})

test('a role is given and taken only by users with the permission to change roles and with all permissions of the role', async () => {
  await person('root', 'admin')
  const [gil, sue, ray, bob] = [
    await person('gil', 'giver'),
    await person('sue', 'support'),
    await person('ray', 'admin'),
    await person('bob', 'user'),
  ]
  const tooMuch = { code: 'YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE' }
  const above = { code: 'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS' }
  for (const role of ['admin', 'support', 'auditor', 'user,admin'])
    await expect(setRole(gil.principal, bob.id, role), role).rejects.toMatchObject(tooMuch)
  await expect(setRole(gil.principal, gil.id, 'giver,admin')).rejects.toMatchObject(tooMuch)
  for (const { id } of [ray, sue]) await expect(setRole(gil.principal, id, 'user')).rejects.toMatchObject(above)
  for (const { principal } of [sue, bob])
    await expect(setRole(principal, bob.id, 'user')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await setRole(gil.principal, bob.id, 'giver')).role).toBe('giver')
  await expect(setRole(system, bob.id, 'boss')).rejects.toMatchObject({ code: 'ROLE_IS_NOT_KNOWN' })
  await expect(setRole(system, 'none', 'user')).rejects.toMatchObject({ code: 'USER_NOT_FOUND', status: 404 })
})

test('setting the role that a user already has records no event', async () => {
  const ann = await person('ann', 'admin')
  const before = (await t.app.audit.list({}, 1))[0]?.id
  await setRole(system, ann.id, 'admin')
  expect((await t.app.audit.list({}, 1))[0]?.id).toBe(before)
})

testOnBoth('the queries for administrators and for unknown stored roles use an index of users with a role', async () => {
  const many = await testApp()
  await many.app.jobs.stop()
  const made = { created_at: secondsIn2026, updated_at: secondsIn2026, email_verified: 'true', email_ever_verified: 'true' }
  const row = { id: "'u' || n.n", name: "'Ann'", email: "'u' || n.n || '@last.example'", email_version: '0' }
  await fill(many, 'user', 6_000, { ...row, ...made, role: "case when n.n % 1000 = 0 then 'user,admin' else 'user' end" })
  const { users, core } = many.app
  const ask = async () => {
    expect(await users.hasAdministrator(core.db)).toBe(true)
    expect(await users.unknownRoles(core.db)).toEqual([])
    await core.transact((tx) => users.requireOtherAdministrator(tx, 'u1000'))
  }
  expect(await planFaults(many, { tables: ['user'], sorts: true }, ask)).toEqual([])
  await many.stop()
})
