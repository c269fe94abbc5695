import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
const lines: string[] = []
beforeAll(async () => {
  t = await testApp({ onLog: (line) => lines.push(line) })
})
afterAll(() => t.stop())

const giveRole = (email: string, role: string) => t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))

testOnBoth('an unknown stored role gives no permission, and each node logs the role at start', async () => {
  const ann = await t.signedIn('ann@roles.example')
  await giveRole('ann@roles.example', 'auditor,forgotten')
  expect((await ann.request('/admin/billing/customers')).status).toBe(200)
  await giveRole('ann@roles.example', 'forgotten,user')
  expect((await ann.request('/admin/billing/customers')).status).toBe(403)
  expect(await t.app.users.unknownRoles(t.app.core.db)).toEqual(['forgotten'])
  const node = await t.node()
  await node.stop()
  expect(lines.filter((line) => line.includes('access.roles')).map((line) => JSON.parse(line))).toMatchObject([
    { role: 'forgotten' },
  ])
})

test('a role given or taken applies to the next request of a session that was already open', async () => {
  const ben = await t.signedIn('ben@roles.example')
  const read = async () => (await ben.request('/admin/billing/customers')).status
  expect(await read()).toBe(403)
  await giveRole('ben@roles.example', 'user,auditor')
  expect(await read()).toBe(200)
  await giveRole('ben@roles.example', 'user')
  expect(await read()).toBe(403)
})

test('a user with an instance permission cannot have a common password, and other users can', async () => {
  const prepare = (role: string) =>
    t.app.accounts.prepare(
      { kind: 'system', address: '', userAgent: '', requestId: 'test' },
      { name: 'Cy', email: `cy-${role.length}@roles.example`, password: 'password1234', role, emailVerified: true },
    )
  await expect(prepare('user,support')).rejects.toMatchObject({ code: 'PASSWORD_TOO_COMMON' })
  await expect(prepare('boss')).rejects.toMatchObject({ code: 'ROLE_IS_NOT_KNOWN' })
  await prepare('user')
})
