import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { activeOf, add, create, operator, said, userOf } from './people.ts'

const running: TestApp[] = []
const start = async (organizations: Record<string, unknown> = {}) => {
  const app = await testApp({ config: { organizations } })
  running.push(app)
  return app
}

let t: TestApp
beforeAll(async () => {
  t = await start()
})
afterAll(() => Promise.all(running.map((app) => app.stop())))

test('the creator of an organization is its owner and a member of its first team, and the organization is active', async () => {
  const ann = await t.signedIn('ann@example.com')
  const user = await userOf(ann)
  const created = await ann.post('/organization/create', { name: 'Acme', slug: 'Acme', metadata: { plan: { seats: 5 } } })
  expect([created.status, created.json]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      name: 'Acme',
      slug: 'acme',
      logo: null,
      metadata: { plan: { seats: 5 } },
      createdAt: expect.stringMatching(/Z$/),
      requiresSecondFactor: false,
      members: [
        {
          id: expect.any(String),
          organizationId: created.json['id'],
          userId: user.id,
          role: 'owner',
          teamId: expect.any(String),
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
    },
  ])
  const full = await ann.api.organizations.getFullOrganization()
  const [member] = full?.members ?? []
  expect(full?.teams).toEqual([expect.objectContaining({ id: member?.teamId, name: 'Acme', updatedAt: null })])
  expect(member?.user).toEqual({ id: user.id, name: 'Ann Example', email: 'ann@example.com', image: null })
  const session = (await ann.api.sessions.getSession())?.session
  expect([session?.activeOrganizationId, session?.activeTeamId]).toEqual([created.json['id'], member?.teamId])
})

test('keepCurrentActiveOrganization keeps the previously active organization', async () => {
  const ann = await t.signedIn('keeps@example.com')
  const first = await create(ann, 'keeps-1')
  await ann.api.organizations.createOrganization({ body: { name: 'B', slug: 'keeps-2', keepCurrentActiveOrganization: true } })
  expect(await activeOf(ann)).toBe(first)
  const slugs = (await ann.api.organizations.listOrganizations()).map(({ slug, role }) => [slug, role])
  expect(slugs).toEqual([
    ['keeps-1', 'owner'],
    ['keeps-2', 'owner'],
  ])
  const second = await ann.api.organizations.listOrganizations({ query: { limit: 1, offset: 1 } })
  expect(second.map(({ slug }) => slug)).toEqual(['keeps-2'])
})

test('a userId in the body is ignored, and the signed-in user becomes the owner', async () => {
  const [ann, bob] = [await t.signedIn('forger@example.com'), await t.signedIn('victim@example.com')]
  const { id } = await userOf(bob)
  const { json } = await ann.post('/organization/create', { name: 'X', slug: 'forged', userId: id })
  expect(json['members']).toEqual([expect.objectContaining({ userId: (await userOf(ann)).id })])
  expect(await bob.api.organizations.listOrganizations()).toEqual([])
})

testOnBoth('of several organizations created with one slug at the same moment one is created', async () => {
  const people = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => t.signedIn(`racer${n}@example.com`)))
  const answers = await Promise.all(
    people.map((client) => said(client.post('/organization/create', { name: 'R', slug: 'Race' }))),
  )
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  expect(answers.filter(([status]) => status !== 200)).toEqual(Array(5).fill([400, 'Organization already exists']))
  expect(await t.app.core.db.knex('organization').where({ slug: 'race' }).select('id')).toHaveLength(1)
})

test('check-slug says to a signed-in user whether a slug is free', async () => {
  const ann = await t.signedIn('slugs@example.com')
  await create(ann, 'taken')
  expect((await ann.post('/organization/check-slug', { slug: 'free' })).json).toEqual({ status: true })
  expect(await said(ann.post('/organization/check-slug', { slug: 'TAKEN' }))).toEqual([400, 'slug is taken'])
  expect(await said(t.client().post('/organization/check-slug', { slug: 'free' }))).toEqual([401, 'Unauthorized'])
})

test.each([
  ['a reserved slug', { slug: 'Admin' }, 'slug'],
  ['a slug with blanks', { slug: 'a b' }, 'slug'],
  ['a long slug', { slug: 'x'.repeat(65) }, 'slug'],
  ['an empty name', { name: '' }, 'name'],
  ['a logo that is a script', { logo: 'javascript:alert(1)' }, 'logo'],
  ['metadata that is a list', { metadata: [1] }, 'metadata'],
  ['metadata that is text', { metadata: '{}' }, 'metadata'],
  ['metadata without bounds', { metadata: { a: 'x'.repeat(16_384) } }, 'metadata'],
])('an organization with %s is refused', async (_, change, path) => {
  const ann = await t.signedIn(`${crypto.randomUUID()}@example.com`)
  const { status, json } = await ann.post('/organization/create', { name: 'A', slug: 'well-formed', ...change })
  expect([status, json['code'], json['issues']]).toEqual([400, 'VALIDATION_ERROR', [expect.objectContaining({ path })]])
})

test('creating an organization requires a session', async () => {
  expect(await said(t.client().post('/organization/create', { name: 'A', slug: 'stranger' }))).toEqual([401, 'Unauthorized'])
})

test('the setting creation decides who creates organizations: people with a verified email address, everybody, administrators or nobody', async () => {
  const refused = [403, 'You are not allowed to create a new organization']
  for (const [creation, allows] of [
    [undefined, ['verified']],
    ['verified', ['verified']],
    ['everybody', ['plain', 'verified', 'admin']],
    ['admins', ['admin']],
    ['nobody', []],
  ] as const) {
    const node = await start({ creation })
    for (const kind of ['plain', 'verified', 'admin'] as const) {
      const email = `${kind}-${creation}@example.com`
      const client = await node.signedIn(email)
      await node.app.core.db
        .knex('user')
        .where({ email })
        .update({ email_verified: kind === 'verified', role: kind === 'admin' ? 'admin' : 'user' })
      const answer = await said(client.post('/organization/create', { name: 'A', slug: `${kind}-${creation}` }))
      expect(answer, email).toEqual(allows.some((one) => one === kind) ? [200, undefined] : refused)
    }
    // The command line can still create one.
    await node.app.organizations.createFor(operator, { name: 'A', slug: `operator-${creation}` }, undefined)
  }
})

testOnBoth(
  'the limit of organizations per user counts only organizations that the user owns, and holds for concurrent creations',
  async () => {
    const node = await start({ limitPerUser: 2 })
    const [ann, bob] = [await node.signedIn('limited@example.com'), await node.signedIn('host@example.com')]
    await add(node, await create(bob, 'host'), ann, 'admin')
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => said(ann.post('/organization/create', { name: 'L', slug: `limited-${n}` }))),
    )
    expect(answers.filter(([status]) => status === 200)).toHaveLength(2)
    expect(answers.filter(([status]) => status !== 200)).toEqual(
      Array(3).fill([403, 'You have reached the maximum number of organizations']),
    )
    // The limit is checked before the slug.
    expect(await said(ann.post('/organization/create', { name: 'L', slug: 'host' }))).toEqual([
      403,
      'You have reached the maximum number of organizations',
    ])
  },
)

test('a user owns at most twenty organizations by default', async () => {
  const many = await t.signedIn('many@example.com')
  const statuses: number[] = []
  for (let n = 0; n < 21; n += 1)
    statuses.push((await many.post('/organization/create', { name: 'M', slug: `many-${n}` })).status)
  expect(statuses).toEqual([...Array(20).fill(200), 403])
})

test('metadata of organizations is limited in bytes, and a list page with much metadata ends early and continues on the next page', async () => {
  const ann = await t.signedIn('bytes@example.com')
  const own = await create(ann, 'bytes')
  const heavy = (letter: string) =>
    ann.post('/organization/update', { organizationId: own, data: { metadata: { a: letter.repeat(9_000) } } })
  expect([(await heavy('x')).status, (await heavy('€')).status]).toEqual([200, 400])
  const { knex } = t.app.core.db
  const userId = (await userOf(ann)).id
  // Metadata longer than the present limit, as accepted by an earlier version, is still returned.
  const metadata = JSON.stringify({ a: '€'.repeat(10_000) })
  const created_at = new Date()
  const ids = Array.from({ length: 70 }, (_, n) => `bytes-${n}`)
  await knex.batchInsert(
    'organization',
    ids.map((id) => ({ id, name: id, slug: id, metadata, created_at })),
    10,
  )
  await knex.batchInsert(
    'member',
    ids.map((id) => ({ id, organization_id: id, user_id: userId, role: 'member', created_at })),
    10,
  )
  const seen: unknown[] = []
  for (let page: unknown[] = [own]; page.length > 0; ) {
    const { status, text } = await ann.request(`/organization/list?offset=${seen.length}`)
    expect([status, Buffer.byteLength(text) < 1_100_000]).toEqual([200, true])
    page = JSON.parse(text)
    seen.push(...page.map((one) => (one as { id: string }).id))
  }
  expect([seen.length, new Set(seen).size]).toEqual([71, 71])
})

test('lists of organization names for tokens and operators do not read metadata', async () => {
  const ann = await t.signedIn('names@example.com')
  const id = await create(ann, 'names')
  const { db } = t.app.core
  await db.knex('organization').where({ id }).update({ metadata: 'cannot be read' })
  const { id: userId } = await userOf(ann)
  expect(await t.app.memberships.listOf(db, userId)).toEqual([
    { id, slug: 'names', name: 'names', logo: null, requiresSecondFactor: false, roles: ['owner'] },
  ])
  const query = { search: 'names', sort: 'createdAt', order: 'desc', limit: 10 } as const
  expect((await t.app.organizationAdministration.list(query)).rows).toMatchObject([{ id, slug: 'names', memberCount: 1 }])
  await db.knex('organization').where({ id }).delete()
})

test('add-member is not an endpoint, and only operators add members without an invitation', async () => {
  const ann = await t.signedIn('adder@example.com')
  const organizationId = await create(ann, 'adder')
  const answer = await ann.post('/organization/add-member', { userId: 'x', role: 'owner', organizationId })
  expect([answer.status, answer.json['code']]).toEqual([404, 'NOT_FOUND'])
  expect(t.app.routes.some(({ endpoint }) => endpoint.path.includes('add-member'))).toBe(false)
})

test('with organizations off their endpoints do not exist, and with teams off a new organization has no team', async () => {
  const off = await start({ enabled: false })
  const ann = await off.signedIn('off@example.com')
  for (const path of ['/organization/create', '/organization/set-active', '/organization/leave'])
    expect((await ann.post(path, { name: 'A', slug: 'off' })).status, path).toBe(404)
  expect((await ann.request('/organization/list')).status).toBe(404)
  const { id: userId } = await userOf(ann)
  const { id } = await off.app.organizations.createFor(operator, { name: 'Off', slug: 'off' }, userId, true)
  const { memberships } = off.app
  const { db } = off.app.core
  expect(await memberships.claimsOf(db, userId, id)).toBeUndefined()
  expect(await memberships.listOf(db, userId)).toEqual([])
  const teamless = await start({ teamsEnabled: false })
  const bob = await teamless.signedIn('teamless@example.com')
  await create(bob, 'teamless')
  const full = await bob.api.organizations.getFullOrganization()
  expect([full?.teams, full?.members[0]?.teamId]).toEqual([[], null])
})
