import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { operator } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const path = '/hosted/only-owned-organizations'

test('the account lists organizations whose only owner is the person, and cannot be deleted while the list is not empty', async () => {
  const ann = await t.signedIn('ann@example.com')
  const bob = await t.signedIn('bob@example.com')
  for (const [slug, owner] of [
    ['acme', 'ann@example.com'],
    ['shared', 'ann@example.com'],
    ['foreign', 'bob@example.com'],
  ] as const)
    await t.app.organizations.createFor(operator, { name: slug, slug }, owner, true)
  const { knex } = t.app.core.db
  const [shared] = await knex('organization').where({ slug: 'shared' })
  const [other] = await knex('user').where({ email: 'bob@example.com' })
  const member = { id: 'm1', organization_id: shared.id, user_id: other.id, role: 'owner', created_at: new Date() }
  await knex('member').insert(member)
  await knex('member_role').insert({ organization_id: shared.id, user_id: other.id, role: 'owner' })
  const read = async () => ((await ann.request(path)).json as { organizations: { slug: string }[] }).organizations
  expect((await read()).map(({ slug }) => slug)).toEqual(['acme'])
  expect((await ann.post('/delete-user', { password })).json).toMatchObject({
    code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
  })
  const [acme] = await knex('organization').where({ slug: 'acme' })
  await ann.post('/organization/delete', { organizationId: acme.id })
  expect(await read()).toEqual([])
  expect((await ann.post('/delete-user', { password })).status).toBe(200)
  expect((await bob.request(path)).json).toMatchObject({ organizations: [{ slug: 'foreign' }, { slug: 'shared' }] })
  expect((await t.client().request(path)).status).toBe(401)
})
