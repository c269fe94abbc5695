/** An organization is named in one way everywhere: `organizationId` takes an id or a slug in every call. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { imageOf } from '../../support/images.ts'
import { idOf, selling, tell } from '../billing/purchases.ts'

let t: TestApp
let owner: Client
let admin: Client
let colleague: Client
const picture = new Uint8Array(await imageOf())
beforeAll(async () => {
  t = await testApp(selling({ entitlements: [{ name: 'pro', product: 'prod_pro' }] }))
  owner = await t.signedIn('ann@example.com')
  colleague = await t.signedIn('bob@example.com')
  for (const email of ['ann@example.com', 'bob@example.com']) await t.verify(email)
  admin = await signedInAs(t, 'admin')
  await tell(t, 'customer.created', { customerId: 'cus_a', email: 'cus_a@example.com', externalId: null })
})
afterAll(() => t.stop())

interface Organization {
  readonly id: string
  readonly slug: string
  readonly userId: string
  readonly memberId: string
  readonly teamId: string
}

let count = 0

/** An organization of the owner with another member and two teams, active in no session. */
const founded = async (): Promise<Organization> => {
  count += 1
  const slug = `acme-${count}`
  const userId = await idOf(colleague)
  const made = await owner.post('/organization/create', { name: 'Acme', slug, keepCurrentActiveOrganization: true })
  const id = String(made.json['id'])
  const member = await admin.post(`/admin/organizations/${id}/members`, { userId, role: 'admin' })
  const first = await owner.post('/organization/create-team', { name: 'One', organizationId: id })
  await owner.post('/organization/create-team', { name: 'Two', organizationId: id })
  return { id, slug, userId, memberId: String(member.json['id']), teamId: String(first.json['id']) }
}

type Call = (of: Organization, name: string) => Promise<Answer>

const get = (paths: readonly string[], client = () => owner): Record<string, Call> =>
  Object.fromEntries(
    paths.map((path): [string, Call] => [`GET ${path}`, (_of, name) => client().request(`${path}?organizationId=${name}`)]),
  )
const post = (path: string, input: (of: Organization) => object = () => ({}), client = () => owner): Record<string, Call> => ({
  [`POST ${path}`]: (of, name) => client().post(path, { organizationId: name, ...input(of) }),
})
const logo = (method: string, body?: Uint8Array): Record<string, Call> => ({
  [`${method} /organization/logo`]: (_of, name) =>
    owner.request(`/organization/logo?organizationId=${name}`, {
      ...{ method, headers: { 'content-type': 'application/octet-stream', origin: t.url } },
      ...(body && { body }),
    }),
})
const member = ({ memberId }: Organization) => ({ memberId, memberIdOrEmail: memberId, role: 'member' })
const teamMember = ({ teamId, userId }: Organization) => ({ teamId, userId })

const reads: Readonly<Record<string, Call>> = {
  ...get(['state', 'subscriptions', 'orders', 'benefits', 'meters'].map((path) => `/billing/${path}`)),
  ...get(['organization', 'full-organization', 'active-member', 'active-member-role'].map((path) => `/organization/get-${path}`)),
  ...get(['members', 'invitations', 'teams', 'user-teams', 'events'].map((path) => `/organization/list-${path}`)),
  'GET /organization/list-team-members': ({ teamId }, name) =>
    owner.request(`/organization/list-team-members?organizationId=${name}&teamId=${teamId}`),
  ...get(['/api-key/list']),
  ...get(['/admin/api-keys', '/admin/invitations'], () => admin),
  ...post('/organization/has-permission', () => ({ permissions: { member: ['read'] } })),
}

const changes: Readonly<Record<string, Call>> = {
  ...post('/api-key/create', () => ({ name: 'Import', permissions: ['member:read'] })),
  ...post('/organization/invite-member', () => ({ email: 'eve@example.com', role: 'member' })),
  ...post('/organization/invite-members', () => ({ emails: ['eve@example.com'], role: 'member' })),
  ...post('/organization/update', () => ({ data: { name: 'Other' } })),
  ...post('/organization/update-member-role', member),
  ...post('/organization/transfer-ownership', member),
  ...post('/organization/create-team', () => ({ name: 'Three' })),
  ...post('/organization/update-team', ({ teamId }) => ({ teamId, data: { name: 'Other' } })),
  ...post('/organization/add-team-member', teamMember),
  ...post('/organization/remove-team-member', teamMember),
  ...post('/organization/remove-team', teamMember),
  ...post('/organization/remove-member', member),
  ...post('/organization/set-active'),
  ...post('/organization/leave', undefined, () => colleague),
  ...logo('PUT', picture),
  ...logo('DELETE'),
  ...post('/organization/delete'),
  'PUT /admin/billing/customers/{id}/link': (_of, name) =>
    admin.request('/admin/billing/customers/cus_a/link', {
      ...{ method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ organizationId: name }) },
    }),
}

/**
 * Steps of a sign-in (test/http/oidc/choose-organization.db.test.ts, consent-organization.db.test.ts), and the end of a consent
 * (grants-organization-races.db.test.ts).
 */
const elsewhere = [
  'POST /oauth2/choose-organization',
  'POST /oauth2/consent',
  'DELETE /admin/users/{userId}/consents/{clientId}/organizations/{organizationId}',
]

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
interface Schema {
  readonly $ref?: string
  readonly properties?: object
}

test('every operation of the API document that takes `organizationId` is called in this file with a slug', async () => {
  const { json } = await t.client().request('/openapi.json')
  const document = json as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const resolved = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  const takes = ({ parameters = [], requestBody }: Operation) =>
    parameters.some(({ name }) => name === 'organizationId') ||
    Object.values(requestBody?.content ?? {}).some(({ schema }) => 'organizationId' in (resolved(schema).properties ?? {}))
  const taking = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (takes(operation) ? [`${method.toUpperCase()} ${path}`] : [])),
  )
  expect(
    Object.keys({ ...reads, ...changes })
      .concat(elsewhere)
      .sort(),
  ).toEqual(taking.sort())
})

test('a call answers the same whether `organizationId` contains the id or the slug of an organization', async () => {
  const of = await founded()
  await owner.post('/organization/add-team-member', { organizationId: of.id, teamId: of.teamId, userId: of.userId })
  await owner.post('/organization/invite-member', { organizationId: of.id, email: 'eve@example.com', role: 'member' })
  await owner.post('/api-key/create', { organizationId: of.id, name: 'Import', permissions: ['member:read'] })
  for (const [name, call] of Object.entries(reads)) {
    const byId = await call(of, of.id)
    const bySlug = await call(of, of.slug)
    expect([bySlug.status, bySlug.json], name).toEqual([200, byId.json])
    expect(JSON.stringify(byId.json).length, name).toBeGreaterThan(3)
  }
})

test('a change with a slug in `organizationId` affects the organization with this slug, and no other', async () => {
  for (const [name, call] of Object.entries(changes)) {
    const of = await founded()
    if (name.endsWith('remove-team-member')) await changes['POST /organization/add-team-member']?.(of, of.id)
    if (name.startsWith('DELETE')) await changes['PUT /organization/logo']?.(of, of.id)
    const recorded = () => t.app.core.db.knex('event').where({ organization_id: of.id })
    const before = (await recorded()).length
    const answer = await call(of, of.slug)
    expect([answer.status, answer.json['code']], name).toEqual([200, undefined])
    // Activating an organization records no event.
    if (name.endsWith('set-active')) expect(answer.json, name).toMatchObject({ id: of.id })
    // A transfer changes the roles of both members.
    else expect((await recorded()).length, name).toBe(before + (name.endsWith('transfer-ownership') ? 2 : 1))
  }
})

test('a slug in capitals names its organization, and a slug never matches the id of another organization', async () => {
  const of = await founded()
  const copy = await founded()
  await t.app.core.db.knex('organization').where({ id: copy.id }).update({ slug: of.id })
  const named = async (name: string) => (await owner.request(`/organization/get-organization?organizationId=${name}`)).json['id']
  expect(await named(of.id)).toBe(of.id)
  expect(await named(of.slug.toUpperCase())).toBe(of.id)
})
