import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { activeOf, create, joined, owner, rolesIn, said } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const outsider = [400, 'User is not a member of the organization']

test('name, slug, logo and metadata of an organization can each be changed alone, and null removes logo and metadata', async () => {
  const { client, organizationId } = await owner(t, 'ann@example.com', 'update')
  const update = async (data: object) => (await client.post('/organization/update', { data })).json
  const before = await update({ logo: 'https://example.com/a.png', metadata: { plan: ['a', { b: null }] } })
  expect(before).toEqual({
    id: organizationId,
    name: 'update',
    slug: 'update',
    logo: 'https://example.com/a.png',
    metadata: { plan: ['a', { b: null }] },
    createdAt: expect.stringMatching(/Z$/),
    requiresSecondFactor: false,
  })
  expect(await update({ name: 'New', slug: 'NEW-slug' })).toEqual({ ...before, name: 'New', slug: 'new-slug' })
  expect(await update({ logo: null, metadata: null })).toEqual({
    ...before,
    name: 'New',
    slug: 'new-slug',
    logo: null,
    metadata: null,
  })
  // Keeping its own slug is no conflict.
  expect(await update({ slug: 'new-slug' })).toMatchObject({ slug: 'new-slug' })
  expect(await client.api.organizations.getOrganization()).toMatchObject({ name: 'New', slug: 'new-slug', metadata: null })
})

test('an update ignores organization fields that clients may not set', async () => {
  const { client, organizationId } = await owner(t, 'fields@example.com', 'fields')
  const { createdAt } = (await client.request('/organization/get-organization')).json
  const { json } = await client.post('/organization/update', { data: { id: 'x', createdAt: '2000-01-01T00:00:00.000Z' } })
  expect(json).toMatchObject({ id: organizationId, createdAt })
})

test('changing the slug to the slug of another organization is an error and changes nothing', async () => {
  const { client } = await owner(t, 'slug@example.com', 'mine')
  await create(await t.signedIn('other@example.com'), 'theirs')
  expect(await said(client.post('/organization/update', { data: { name: 'Changed', slug: 'Theirs' } }))).toEqual([
    400,
    'Organization already exists',
  ])
  expect(await client.api.organizations.getOrganization()).toMatchObject({ name: 'mine', slug: 'mine' })
})

testOnBoth('if two organizations change to one free slug at the same moment, one gets the slug', async () => {
  const both = await Promise.all(['r1', 'r2'].map((name) => owner(t, `${name}@example.com`, name)))
  const answers = await Promise.all(
    both.map(({ client }) => said(client.post('/organization/update', { data: { slug: 'wanted' } }))),
  )
  expect(answers.map(([status]) => status).sort()).toEqual([200, 400])
})

test('updating an organization checks session, organization, membership and permission in this order', async () => {
  const { organizationId } = await owner(t, 'rights@example.com', 'rights')
  const { client: member } = await joined(t, organizationId, 'member@example.com')
  const { client: admin } = await joined(t, organizationId, 'admin@example.com', 'admin')
  const stranger = await t.signedIn('stranger@example.com')
  const data = { name: 'Changed' }
  const update = (client: typeof member, body: object) => said(client.post('/organization/update', { data, ...body }))
  const anonymous = await t.client().post('/organization/update', { data, organizationId })
  expect([anonymous.status, anonymous.json]).toEqual([401, { code: 'USER_NOT_FOUND', message: 'User not found' }])
  expect(await update(stranger, {})).toEqual([400, 'Organization not found'])
  expect(await update(stranger, { organizationId })).toEqual(outsider)
  expect(await update(stranger, { organizationId: 'nobody-knows' })).toEqual(outsider)
  expect(await update(member, { organizationId })).toEqual([403, 'You are not allowed to update this organization'])
  expect(await update(admin, { organizationId })).toEqual([200, undefined])
})

test('deleting an organization deletes its members, teams and invitations and clears it as active in all sessions', async () => {
  const { client, organizationId } = await owner(t, 'delete@example.com', 'delete')
  const { client: member } = await joined(t, organizationId, 'fellow@example.com')
  await member.api.organizations.setActiveOrganization({ body: { organizationId } })
  const answer = await client.post('/organization/delete', { organizationId })
  expect([answer.status, answer.json]).toEqual([
    200,
    expect.objectContaining({ id: organizationId, name: 'delete', slug: 'delete', logo: null, metadata: null }),
  ])
  expect([await activeOf(client), await activeOf(member)]).toEqual([null, null])
  expect(await client.api.organizations.listOrganizations()).toEqual([])
  const { knex } = t.app.core.db
  for (const table of ['member', 'team', 'team_member', 'invitation'])
    expect(await knex(table).where({ organization_id: organizationId }).select('id'), table).toEqual([])
  expect(await said(client.post('/organization/delete', { organizationId }))).toEqual(outsider)
  // The slug is free again.
  await create(client, 'delete')
})

test('deleting an organization requires a membership and a permission that the role admin lacks', async () => {
  const { organizationId } = await owner(t, 'keep@example.com', 'keep')
  const stranger = await t.signedIn('stranger2@example.com')
  const { client: admin } = await joined(t, organizationId, 'admin2@example.com', 'admin,member')
  const remove = (client: typeof admin, id: string) => said(client.post('/organization/delete', { organizationId: id }))
  expect(await remove(t.client(), organizationId)).toEqual([401, 'Unauthorized'])
  expect(await remove(stranger, organizationId)).toEqual(outsider)
  expect(await remove(stranger, 'nobody-knows')).toEqual(outsider)
  expect(await remove(admin, organizationId)).toEqual([403, 'You are not allowed to delete this organization'])
  expect((await admin.post('/organization/delete', {})).json['code']).toBe('VALIDATION_ERROR')
  expect(await rolesIn(t, organizationId)).toHaveLength(2)
})

test('with deletion off, an organization cannot be deleted and stays active in the session', async () => {
  const fixed = await testApp({ config: { organizations: { deletionEnabled: false } } })
  const { client, organizationId } = await owner(fixed, 'fixed@example.com', 'fixed')
  for (const id of [organizationId, 'nobody-knows']) {
    const { status, json } = await client.post('/organization/delete', { organizationId: id })
    expect([status, json]).toEqual([403, { code: 'FORBIDDEN', message: 'Forbidden' }])
  }
  expect(await activeOf(client)).toBe(organizationId)
  await fixed.stop()
})
