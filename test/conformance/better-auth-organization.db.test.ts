import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

/** An application with the official client and its organization plugin. It knows only the address of the server. */
const application = async (email: string, isVerified = false) => {
  const browser = t.client()
  const auth = createAuthClient({
    baseURL: t.url,
    fetchOptions: { customFetchImpl: browser.fetch },
    plugins: [organizationClient({ teams: { enabled: true } })],
  })
  const { user } = done(await auth.signUp.email({ email, name: email.split('@')[0] ?? '', password }))
  if (isVerified) await t.verify(email)
  return { auth, userId: user.id, organization: auth.organization }
}
type Application = Awaited<ReturnType<typeof application>>

const active = async ({ auth }: Application) =>
  (done(await auth.getSession()).session as { activeOrganizationId?: string | null }).activeOrganizationId ?? null

test('the Better Auth client creates an organization, invites, accepts, changes a role, uses teams and removes members', async () => {
  const ann = await application('ann@life.example', true)
  const bob = await application('bob@life.example')
  expect(done(await ann.organization.checkSlug({ slug: 'life' }))).toEqual({ status: true })
  const acme = done(await ann.organization.create({ name: 'Life', slug: 'life', metadata: { plan: 'gold' } }))
  expect(acme).toMatchObject({ name: 'Life', slug: 'life', members: [{ userId: ann.userId, role: 'owner' }] })
  expect(acme.createdAt).toBeInstanceOf(Date)
  expect(refused(await bob.organization.checkSlug({ slug: 'life' }))).toEqual([400, 'SLUG_IS_TAKEN', 'slug is taken'])
  expect(await active(ann)).toBe(acme.id)
  expect(done(await ann.organization.list()).map(({ id }) => id)).toEqual([acme.id])

  const invitation = done(await ann.organization.inviteMember({ email: 'Bob@life.example', role: ['member'] }))
  expect(invitation).toMatchObject({ email: 'bob@life.example', role: 'member', status: 'pending', inviterId: ann.userId })
  expect(invitation.expiresAt).toBeInstanceOf(Date)
  expect(done(await ann.organization.listInvitations()).map(({ id }) => id)).toEqual([invitation.id])
  expect(done(await bob.organization.getInvitation({ query: { id: invitation.id } }))).toMatchObject({
    ...{ organizationName: 'Life', organizationSlug: 'life', inviterEmail: 'ann@life.example' },
  })
  const accepted = done(await bob.organization.acceptInvitation({ invitationId: invitation.id }))
  expect(accepted).toMatchObject({ invitation: { status: 'accepted' }, member: { userId: bob.userId, role: 'member' } })
  expect(await active(bob)).toBe(acme.id)
  expect(done(await bob.organization.getActiveMember())).toMatchObject({
    userId: bob.userId,
    user: { email: 'bob@life.example' },
  })

  const mayInvite = { permissions: { invitation: ['create' as const] } }
  expect(done(await bob.organization.hasPermission(mayInvite))).toMatchObject({ success: false })
  expect(bob.organization.checkRolePermission({ ...mayInvite, role: 'admin' })).toBe(true)
  const changed = await ann.organization.updateMemberRole({ memberId: accepted.member.id, role: ['admin', 'member'] })
  expect(done(changed)).toMatchObject({ id: accepted.member.id, role: 'admin,member' })
  expect(done(await bob.organization.hasPermission(mayInvite))).toMatchObject({ success: true })
  expect(done(await bob.organization.getActiveMemberRole())).toEqual({ role: 'admin,member' })
  expect(done(await bob.organization.listMembers({ query: { limit: 10, sortBy: 'createdAt' } }))).toMatchObject({
    total: 2,
    members: [{ userId: ann.userId }, { userId: bob.userId }],
  })

  const team = done(await ann.organization.createTeam({ name: 'Makers' }))
  expect(team).toMatchObject({ name: 'Makers', organizationId: acme.id })
  done(await ann.organization.updateTeam({ teamId: team.id, data: { name: 'Builders', organizationId: acme.id } }))
  const place = done(await ann.organization.addTeamMember({ teamId: team.id, userId: bob.userId }))
  expect(place).toMatchObject({ teamId: team.id, userId: bob.userId })
  expect(done(await bob.organization.setActiveTeam({ teamId: team.id }))).toMatchObject({ name: 'Builders' })
  expect(done(await bob.organization.listTeamMembers({ query: {} }))).toMatchObject([{ userId: bob.userId }])
  expect(done(await bob.organization.listUserTeams()).map(({ id }) => id)).toEqual([team.id])
  expect(done(await bob.organization.listTeams()).map(({ name }) => name)).toEqual(['Life', 'Builders'])
  expect(done(await ann.organization.removeTeamMember({ teamId: team.id, userId: bob.userId }))).toEqual({
    message: 'Team member removed successfully.',
  })
  expect(done(await ann.organization.removeTeam({ teamId: team.id }))).toEqual({ message: 'Team removed successfully.' })

  const full = done(await ann.organization.getFullOrganization())
  expect(full).toMatchObject({ id: acme.id, members: [{ role: 'owner' }, { role: 'admin,member' }], invitations: [] })
  expect(done(await ann.organization.update({ data: { name: 'Better Life' } }))).toMatchObject({ name: 'Better Life' })
  const removed = done(await ann.organization.removeMember({ memberIdOrEmail: 'bob@life.example' }))
  expect(removed.member).toMatchObject({ userId: bob.userId })
  expect(await active(bob)).toBeNull()
  expect(refused(await ann.organization.leave({ organizationId: acme.id }))).toEqual([
    400,
    'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    'You cannot leave the organization as the only owner',
  ])
  expect(done(await ann.organization.delete({ organizationId: acme.id }))).toMatchObject({ id: acme.id })
  expect(done(await ann.organization.list())).toEqual([])
})

test('the Better Auth client rejects, cancels and resends invitations, and lists the invitations of a verified email address', async () => {
  const ann = await application('ann@answers.example', true)
  const bob = await application('bob@answers.example')
  const { id: organizationId } = done(await ann.organization.create({ name: 'Answers', slug: 'answers' }))
  const invite = (more: { resend?: boolean } = {}) =>
    ann.organization.inviteMember({ email: 'bob@answers.example', role: 'member', organizationId, ...more })
  const first = done(await invite())
  expect(refused(await invite())).toEqual([
    400,
    'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
    'User is already invited to this organization',
  ])
  expect(done(await invite({ resend: true })).id).toBe(first.id)
  const rejected = done(await bob.organization.rejectInvitation({ invitationId: first.id }))
  expect(rejected).toMatchObject({ invitation: { id: first.id, status: 'rejected' }, member: null })
  const second = done(await invite())
  expect(done(await ann.organization.cancelInvitation({ invitationId: second.id }))).toMatchObject({ status: 'canceled' })
  expect(refused(await bob.organization.acceptInvitation({ invitationId: second.id }))).toEqual([
    400,
    'INVITATION_NOT_FOUND',
    'Invitation not found',
  ])
  const third = done(await invite())
  expect(refused(await bob.organization.listUserInvitations())[0]).toBe(403)
  await t.app.core.db.knex('user').where({ id: bob.userId }).update({ email_verified: true })
  expect(done(await bob.organization.listUserInvitations()).map(({ id }) => id)).toEqual([third.id])
})

test("the Better Auth client sets the active organization by id or slug, and the client's stores follow", async () => {
  const ann = await application('ann@stores.example', true)
  const first = done(await ann.organization.create({ name: 'First', slug: 'stores-first' }))
  done(await ann.organization.create({ name: 'Second', slug: 'stores-second' }))
  const { useActiveOrganization, useListOrganizations, useActiveMember } = ann.auth
  /** A browser would read the store again after each change by itself. */
  const shows = async (name: string | undefined) => {
    await useActiveOrganization.get().refetch()
    expect(useActiveOrganization.get().data?.name).toBe(name)
  }
  await shows('Second')
  expect(done(await ann.organization.setActive({ organizationId: first.id }))).toMatchObject({ name: 'First' })
  await shows('First')
  done(await ann.organization.setActive({ organizationSlug: 'stores-second' }))
  await shows('Second')
  await useActiveMember.get().refetch()
  expect(useActiveMember.get().data).toMatchObject({ userId: ann.userId, role: 'owner' })
  await useListOrganizations.get().refetch()
  expect(useListOrganizations.get().data?.map(({ name }) => name)).toEqual(['First', 'Second'])
  expect((await ann.organization.setActive({ organizationId: null })).data).toBeNull()
  await shows(undefined)
  const eve = await application('eve@stores.example')
  expect(refused(await eve.organization.setActive({ organizationId: first.id }))).toEqual([
    403,
    'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
    'User is not a member of the organization',
  ])
})
