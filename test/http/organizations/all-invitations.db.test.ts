/** Invitations of all organizations for operators. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
let auditor: Client
beforeAll(async () => {
  t = await testApp({ config: { organizations: { invitationTtlSeconds: 3600 } } })
  admin = await signedInAs(t, 'admin')
  auditor = await signedInAs(t, 'auditor')
})
afterAll(() => t.stop())
beforeEach(() => t.app.core.transact((tx) => tx.knex('invitation').delete()))

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )
const list = async (query: Record<string, string | number> = {}, client = admin) =>
  client.api.allOrganizations.adminListAllInvitations({ query: query as { email?: string } })
const addresses = async (query: Record<string, string | number> = {}) => (await list(query)).invitations.map(({ email }) => email)

let count = 0
/** An organization with an owner who can invite. */
const organization = async () => {
  count += 1
  const owner = await t.signedIn(`owner${count}@example.com`, `Owner ${count}`)
  await t.verify(`owner${count}@example.com`)
  const slug = `org-${count}`
  const { json } = await owner.post('/organization/create', { name: `Org ${count}`, slug })
  const id = String(json['id'])
  const invite = async (email: string) => {
    t.clock.advance({ seconds: 1 })
    const made = await owner.post('/organization/invite-member', { organizationId: id, email, role: 'member' })
    expect(made.status).toBe(200)
    return String(made.json['id'])
  }
  return { id, slug, owner, invite }
}

test('an operator lists the invitations of all organizations, newest first, with organization and inviter', async () => {
  const one = await organization()
  const two = await organization()
  const first = await one.invite('ann@example.com')
  t.clock.advance({ seconds: 1 })
  await admin.api.allOrganizations.adminInvite({ params: { id: two.id }, body: { email: 'ben@example.com', role: 'owner' } })
  const { invitations, next } = await list()
  expect(invitations).toMatchObject([
    {
      ...{ email: 'ben@example.com', organizationSlug: two.slug, role: 'owner', status: 'pending' },
      ...{ inviter: null, byOperator: true },
    },
    {
      ...{ id: first, email: 'ann@example.com', organizationId: one.id, byOperator: false },
      inviter: { name: expect.stringContaining('Owner'), email: expect.stringContaining('owner') },
    },
  ])
  expect(next).toBeNull()
})

test('invitations are filtered by email address in upper or lower case, organization, inviter, id and state', async () => {
  const one = await organization()
  const two = await organization()
  const old = await one.invite('old@example.com')
  t.clock.advance({ hours: 2 })
  const canceled = await one.invite('canceled@example.com')
  await one.owner.post('/organization/cancel-invitation', { invitationId: canceled })
  await one.invite('wanted@example.com')
  await two.invite('wanted@example.com')
  expect(await addresses({ status: 'expired' })).toEqual(['old@example.com'])
  expect((await list({ status: 'expired' })).invitations).toMatchObject([{ id: old, status: 'expired' }])
  expect(await addresses({ status: 'canceled' })).toEqual(['canceled@example.com'])
  expect(await addresses({ status: 'pending' })).toEqual(['wanted@example.com', 'wanted@example.com'])
  expect(await addresses({ status: 'accepted' })).toEqual([])
  expect(await addresses({ organizationId: two.id })).toEqual(['wanted@example.com'])
  expect(await addresses({ email: ' Wanted@Example.com', order: 'asc' })).toHaveLength(2)
  expect(await addresses({ email: 'wanted@example.com', organizationId: one.id })).toHaveLength(1)
  expect(await addresses({ email: 'wanted@' })).toEqual([])
  expect(await addresses({ id: old, status: 'pending' })).toEqual([])
  expect(await addresses({ id: old })).toEqual(['old@example.com'])
  const inviterId = (await list({ organizationId: one.id })).invitations[0]?.inviter?.id ?? ''
  expect(await addresses({ inviterId })).toHaveLength(3)
  expect(await addresses({ inviterId, organizationId: two.id })).toEqual([])
  expect(await codeOf(list({ status: 'lost' }))).toBe('400 VALIDATION_ERROR')
})

test('the pages of invitations have no gap or overlap, even among invitations of the same moment', async () => {
  const { id } = await organization()
  const expected = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`)
  for (const email of expected) await admin.api.allOrganizations.adminInvite({ params: { id }, body: { email, role: 'member' } })
  for (const read of [
    (after?: string) => list({ limit: 2, order: 'asc', ...(after === undefined ? {} : { after }) }),
    (after?: string) =>
      auditor.api.allOrganizations.adminListInvitations({ params: { id }, query: { limit: 2, order: 'asc', after } }),
  ]) {
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await read(after)
      seen.push(...page.invitations.map(({ email }) => email))
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(seen.sort()).toEqual(expected)
  }
})

test('neither rows nor cursors of the list reveal an invitation id to somebody who cannot cancel the invitation', async () => {
  const one = await organization()
  const ids = [await one.invite('ann@example.com'), await one.invite('ben@example.com')]
  const params = { id: one.id }
  for (const page of [
    await list({ limit: 1 }, auditor),
    await auditor.api.allOrganizations.adminListInvitations({ params, query: { limit: 1 } }),
  ]) {
    const told = `${JSON.stringify(page)} ${Buffer.from(page.next ?? '', 'base64url').toString()}`
    expect(page.invitations).toHaveLength(1)
    expect(page.next).toEqual(expect.any(String))
    for (const id of ids) expect(told).not.toContain(id)
    expect(page.invitations[0]?.id).toMatch(/^[\da-f]{32}$/)
  }
  expect((await list()).invitations.map(({ id }) => id)).toEqual([...ids].reverse())
  const made = Buffer.from(JSON.stringify(['createdAt', 'desc', Date.now(), ids[0]])).toString('base64url')
  expect(await codeOf(list({ after: made }))).toBe('400 VALIDATION_ERROR')
  const sealed = (await list({ limit: 1 })).next ?? ''
  const [sort, order, value, place] = JSON.parse(Buffer.from(sealed, 'base64url').toString()) as [string, string, number, string]
  const changed = `${place.slice(0, -2)}${place.endsWith('00') ? '11' : '00'}`
  const forged = Buffer.from(JSON.stringify([sort, order, value, changed])).toString('base64url')
  expect(await codeOf(list({ after: forged }))).toBe('400 VALIDATION_ERROR')
})

test('callers without the permission to read all organizations cannot list the invitations of all organizations', async () => {
  const { owner } = await organization()
  expect(await codeOf(list({}, owner))).toBe('403 FORBIDDEN')
  expect(await codeOf(list({}, t.client()))).toBe('401 UNAUTHORIZED')
})
