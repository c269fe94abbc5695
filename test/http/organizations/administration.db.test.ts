import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let admin: Client
let auditor: Client
const ids: Record<string, string> = {}
const idOf = (name: string) => ids[name] ?? ''
beforeAll(async () => {
  t = await testApp({ config: { organizations: { membershipLimit: 3, pendingInvitationLimit: 2 } } })
  admin = await signedInAs(t, 'admin')
  auditor = await signedInAs(t, 'auditor')
  for (const name of ['olga', 'paul', 'rita', 'sven']) {
    await t.signedIn(`${name}@example.com`, name)
    ids[name] = (await t.app.users.require(t.app.core.db, `${name}@example.com`)).id
  }
})
afterAll(() => t.stop())

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )
const api = () => admin.api.allOrganizations
const newest = async () => (await t.app.audit.list({}, 1))[0]
const make = (slug: string, name = slug, ownerId?: string) =>
  api().adminCreateOrganization({ body: { name, slug, ...(ownerId === undefined ? {} : { ownerId, unverified: true }) } })

describe('organizations in the administration', () => {
  test('an administrator creates an organization with an owner, and reads, changes and deletes it', async () => {
    const made = await make('acme', 'Acme Tools', idOf('olga'))
    expect(made).toMatchObject({ slug: 'acme', name: 'Acme Tools', memberCount: 1, metadata: null })
    const params = { id: made.id }
    const read = await api().adminGetOrganization({ params })
    expect(etagOfResult(read)).toBe(etagOfResult(made))
    const changed = await api().adminPatchOrganization({
      params,
      body: { name: 'Acme Works', metadata: { a: 1 } },
      ifMatch: etagOfResult(read),
    })
    expect(changed).toMatchObject({ name: 'Acme Works', slug: 'acme', metadata: { a: 1 } })
    expect(await newest()).toMatchObject({
      type: 'organization.updated',
      subjectId: made.id,
      data: { fields: ['name', 'metadata'], before: { name: 'Acme Tools' }, after: { name: 'Acme Works' } },
    })
    const stale = etagOfResult(read)
    expect(await codeOf(api().adminPatchOrganization({ params, body: { name: 'X' }, ifMatch: stale }))).toBe(
      '412 PRECONDITION_FAILED',
    )
    expect(await codeOf(api().adminDeleteOrganization({ params, ifMatch: stale }))).toBe('412 PRECONDITION_FAILED')
    expect(await api().adminDeleteOrganization({ params, ifMatch: etagOfResult(changed) })).toEqual({ success: true })
    for (const call of [
      () => api().adminGetOrganization({ params }),
      () => api().adminDeleteOrganization({ params }),
      () => api().adminPatchOrganization({ params, body: {} }),
    ])
      expect(await codeOf(call())).toBe('404 NOT_FOUND')
  })

  test('creating an organization with a taken slug or an unknown owner is refused', async () => {
    const { id } = await make('taken')
    await make('other')
    expect(await codeOf(make('taken'))).toBe('400 ORGANIZATION_ALREADY_EXISTS')
    expect(await codeOf(make('fresh', 'Fresh', 'nobody'))).toBe('404 NOT_FOUND')
    expect(await codeOf(api().adminPatchOrganization({ params: { id }, body: { slug: 'other' } }))).toBe(
      '400 ORGANIZATION_ALREADY_EXISTS',
    )
  })

  test('the list of organizations is paged, sorted and searched by words, and a search finds changed names', async () => {
    const { id } = await make('globex', 'Globex Çorporation')
    const slugs = async (query: object) => (await api().adminListOrganizations({ query })).organizations.map(({ slug }) => slug)
    expect(await slugs({ limit: 1 })).toEqual(['globex'])
    expect(await slugs({ sort: 'slug', order: 'asc' })).toEqual(['globex', 'other', 'taken'])
    expect(await slugs({ sort: 'name', order: 'asc', limit: 1 })).toEqual(['globex'])
    expect(await slugs({ search: 'corp' })).toEqual(['globex'])
    expect([await slugs({ search: 'orporat' }), await slugs({ search: 'lobe corp' })]).toEqual([['globex'], ['globex']])
    await api().adminPatchOrganization({ params: { id }, body: { name: 'Initech' } })
    expect([await slugs({ search: 'corp' }), await slugs({ search: 'init glob' })]).toEqual([[], ['globex']])
    expect([await slugs({ search: 'orporat' }), await slugs({ search: 'itech' })]).toEqual([[], ['globex']])
    expect(await slugs({ createdUntil: '2020-01-01T00:00:00Z' })).toEqual([])
    for (const query of [
      { search: 'a', sort: 'name' as const },
      { createdSince: '2020-01-01T00:00:00Z', sort: 'slug' as const },
    ])
      expect(await codeOf(api().adminListOrganizations({ query }))).toBe('400 VALIDATION_ERROR')
  })

  test('an auditor reads all data of an organization and changes nothing', async () => {
    const { id } = await make('audited', 'Audited', idOf('olga'))
    const calls = auditor.api.allOrganizations
    const params = { id }
    await calls.adminListOrganizations({ query: {} })
    const { members } = await calls.adminListMembers({ params, query: {} })
    const ofMember = { id, memberId: members[0]?.id ?? '' }
    await calls.adminGetMember({ params: ofMember })
    for (const call of [
      () => calls.adminCreateOrganization({ body: { name: 'X', slug: 'x' } }),
      () => calls.adminPatchOrganization({ params, body: { name: 'X' } }),
      () => calls.adminDeleteOrganization({ params }),
      () => calls.adminAddMember({ params, body: { userId: idOf('paul'), role: 'member', unverified: true } }),
      () => calls.adminPatchMember({ params: ofMember, body: { role: 'member' } }),
      () => calls.adminRemoveMember({ params: ofMember }),
      () => calls.adminInvite({ params, body: { email: 'x@example.com', role: 'member' } }),
      () => calls.adminCancelInvitation({ params: { id, invitationId: 'x' } }),
    ])
      expect(await codeOf(call())).toBe('403 FORBIDDEN')
  })
})

describeOnBoth('members in the administration', () => {
  testOnBoth(
    'an administrator adds and removes members and changes their roles, within the limit, and an organization never loses its last owner',
    async () => {
      const { id } = await make('crew', 'Crew', idOf('olga'))
      const params = { id }
      const add = (userId: string, role = 'member') => api().adminAddMember({ params, body: { userId, role, unverified: true } })
      const paul = await add(idOf('paul'))
      expect(paul).toMatchObject({ userId: idOf('paul'), role: 'member', organizationId: id })
      expect(await codeOf(add(idOf('paul')))).toBe('400 USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      expect(await codeOf(add(idOf('rita'), 'emperor'))).toBe('400 ROLE_NOT_FOUND')
      expect(await codeOf(add('nobody'))).toBe('404 NOT_FOUND')
      await add(idOf('rita'))
      expect(await codeOf(add(idOf('sven')))).toBe('403 ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')

      const listed = await api().adminListMembers({ params, query: { order: 'asc' } })
      expect(listed.members.map(({ user, role }) => [user.name, role])).toEqual([
        ['olga', 'owner'],
        ['paul', 'member'],
        ['rita', 'member'],
      ])
      expect((await api().adminListMembers({ params, query: { role: 'owner' } })).members).toHaveLength(1)
      const first = await api().adminListMembers({ params, query: { order: 'asc', limit: 2 } })
      const second = await api().adminListMembers({ params, query: { order: 'asc', limit: 2, after: first.next ?? '' } })
      expect([second.members.map(({ user }) => user.name), second.next]).toEqual([['rita'], null])

      const olga = { id, memberId: listed.members[0]?.id ?? '' }
      const onlyOwner = '400 YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'
      expect(await codeOf(api().adminPatchMember({ params: olga, body: { role: 'member' } }))).toBe(onlyOwner)
      expect(await codeOf(api().adminRemoveMember({ params: olga }))).toBe(onlyOwner)
      const ofPaul = { id, memberId: paul.id }
      const before = await api().adminGetMember({ params: ofPaul })
      const owner = await api().adminPatchMember({
        params: ofPaul,
        body: { role: ['admin', 'owner'], unverified: true },
        ifMatch: etagOfResult(before),
      })
      expect(owner.role).toBe('admin,owner')
      expect(await codeOf(api().adminRemoveMember({ params: ofPaul, ifMatch: etagOfResult(before) }))).toBe(
        '412 PRECONDITION_FAILED',
      )
      expect(await codeOf(api().adminPatchMember({ params: ofPaul, body: { role: 'x' } }))).toBe('400 ROLE_NOT_FOUND')
      const removals = await Promise.all([olga, ofPaul].map((one) => codeOf(api().adminRemoveMember({ params: one }))))
      expect(removals.sort()).toEqual([onlyOwner, 'done'])
      for (const one of [
        { id, memberId: 'none' },
        { id: 'none', memberId: paul.id },
      ])
        for (const call of [
          () => api().adminGetMember({ params: one }),
          () => api().adminPatchMember({ params: one, body: { role: 'member' } }),
          () => api().adminRemoveMember({ params: one }),
        ])
          expect(await codeOf(call())).toBe('404 NOT_FOUND')
      expect(await codeOf(api().adminListMembers({ params: { id: 'none' } }))).toBe('404 NOT_FOUND')
    },
  )

  test("the organizations of a user are listed with the user's roles", async () => {
    await make('mine', 'Mine', idOf('sven'))
    const { organizations } = await api().adminListOrganizationsOfUser({ params: { id: idOf('sven') } })
    expect(organizations).toMatchObject([{ slug: 'mine', role: 'owner', memberId: expect.any(String) }])
    expect(await codeOf(api().adminListOrganizationsOfUser({ params: { id: 'nobody' } }))).toBe('404 NOT_FOUND')
  })
})

describeOnBoth('invitations in the administration', () => {
  testOnBoth(
    'an administrator sends invitations in the name of the organization, and lists and cancels invitations',
    async () => {
      const { id } = await make('inviting', 'Inviting', idOf('olga'))
      const params = { id }
      const invite = (email: string, role = 'member', resend = false) =>
        api().adminInvite({ params, body: { email, role, resend } })
      const invited = await invite('New@example.com', 'owner')
      expect(invited).toMatchObject({ email: 'new@example.com', role: 'owner', status: 'pending', inviterId: null })
      expect((await t.mailTo('new@example.com', 'invitation')).link).toContain('/invitation/')
      expect(await codeOf(invite('new@example.com'))).toBe('400 USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')
      expect((await invite('new@example.com', 'member', true)).id).toBe(invited.id)
      expect(await codeOf(invite('olga@example.com'))).toBe('400 USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      expect(await codeOf(invite('none'))).toBe('400 INVALID_EMAIL')
      expect(await codeOf(invite('a@example.com', 'emperor'))).toBe('400 ROLE_NOT_FOUND')
      await invite('second@example.com')
      expect(await codeOf(invite('third@example.com'))).toBe('403 INVITATION_LIMIT_REACHED')

      const seen = await auditor.api.allOrganizations.adminListInvitations({ params, query: { order: 'asc' } })
      expect(seen.invitations.map(({ email }) => email)).toEqual(['new@example.com', 'second@example.com'])
      expect(seen.invitations.map((one) => one.id)).not.toContain(invited.id)
      const cancel = (of: string) => codeOf(api().adminCancelInvitation({ params: { id: of, invitationId: invited.id } }))
      expect(await cancel('other')).toBe('404 NOT_FOUND')
      expect((await Promise.all([cancel(id), cancel(id)])).sort()).toEqual(['404 NOT_FOUND', 'done'])
      const canceled = await api().adminListInvitations({ params, query: { status: 'canceled' } })
      expect(canceled.invitations.map((one) => one.id)).toEqual([invited.id])
      expect(await codeOf(api().adminListInvitations({ params: { id: 'none' } }))).toBe('404 NOT_FOUND')
      expect(await codeOf(api().adminInvite({ params: { id: 'none' }, body: { email: 'a@example.com', role: 'member' } }))).toBe(
        '404 NOT_FOUND',
      )
    },
  )
})

testOnBoth('every list in the administration of organizations uses an index among many rows', async () => {
  await t.app.jobs.stop()
  const { id } = await make('many', 'Many', idOf('olga'))
  const plain =
    dialect === 'sqlite'
      ? { email_verified: '0', email_ever_verified: '0' }
      : { email_verified: 'false', email_ever_verified: 'false' }
  const times = { created_at: secondsIn2026 }
  await fill(t, 'user', 6_000, {
    ...{ id: "'u' || n.n", name: "'U' || n.n", email: "'u' || n.n || '@many.test'", email_version: '0', role: "'user'" },
    ...{ updated_at: secondsIn2026, ...times, ...plain },
  })
  await fill(t, 'organization', 6_000, { id: "'o' || n.n", name: "'O' || n.n", slug: "'o' || n.n", ...times })
  await fill(t, 'organization_search', 6_000, { organization_id: "'o' || n.n", term: "'many'" })
  await fill(t, 'member', 6_000, {
    id: "'m' || n.n",
    organization_id: `'${id}'`,
    user_id: "'u' || n.n",
    role: "'member'",
    ...times,
  })
  await fill(t, 'member_role', 6_000, { organization_id: `'${id}'`, user_id: "'u' || n.n", role: "'member'" })
  await fill(t, 'invitation', 6_000, {
    ...{
      id: "'i' || n.n",
      organization_id: `'${id}'`,
      email: "'i' || n.n || '@many.test'",
      role: "'member'",
      status: "'canceled'",
    },
    ...{ team_ids: "'[]'", by_operator: dialect === 'sqlite' ? '1' : 'true', expires_at: secondsIn2026, ...times },
  })
  const tables = ['user', 'organization', 'organization_search', 'member', 'member_role', 'invitation']
  const options = { tables, maxRows: 4_000, sorts: dialect === 'sqlite' }
  const params = { id }
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    all: () => api().adminListOrganizations({ query: {} }),
    byName: () => api().adminListOrganizations({ query: { sort: 'name', order: 'asc' } }),
    bySlug: () => api().adminListOrganizations({ query: { sort: 'slug' } }),
    since: () => api().adminListOrganizations({ query: { createdSince: '2026-01-01T00:10:00Z' } }),
    search: () => api().adminListOrganizations({ query: { search: 'many', limit: 10 } }),
    members: () => auditor.api.allOrganizations.adminListMembers({ params, query: {} }),
    owners: () => auditor.api.allOrganizations.adminListMembers({ params, query: { role: 'owner' } }),
    invitations: () => api().adminListInvitations({ params, query: { status: 'canceled' } }),
    ofUser: () => api().adminListOrganizationsOfUser({ params: { id: 'u7' } }),
  }
  for (const [name, call] of Object.entries(calls)) {
    // Members are counted for each organization of a page, at most `organizations.membershipLimit` for each.
    const grows =
      name.startsWith('by') || ['all', 'since', 'search'].includes(name) ? tables.filter((one) => one !== 'member') : tables
    expect(await planFaults(t, { ...options, tables: grows }, call), name).toEqual([])
  }
})
