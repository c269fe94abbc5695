import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { answer, invite, mailed, statusOf } from './inviting.ts'
import { activeOf, joined, operator, owner, rolesIn, said, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  // Shorter than the life of a session, so that an invitation expires while the session is still valid.
  t = await testApp({ config: { organizations: { invitationTtlSeconds: 172_800 } } })
})
afterAll(() => t.stop())

const call = (client: Client, body: Record<string, unknown>) => said(client.post('/organization/invite-member', body))
const notFound = [400, 'Invitation not found']
const notFoundWithMark = [400, 'Invitation not found!']

describe('inviting a member', () => {
  test('invite-member creates an invitation of the documented shape to the lower-cased address and mails its link', async () => {
    const { client, organizationId } = await owner(t, 'ann@one.example', 'one')
    const made = await client.post('/organization/invite-member', { email: ' Bob@One.example', role: ['member', 'admin'] })
    expect([made.status, made.json]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
        organizationId,
        email: 'bob@one.example',
        role: 'member,admin',
        teamId: null,
        status: 'pending',
        expiresAt: expect.stringMatching(/Z$/),
        inviterId: (await userOf(client)).id,
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    const { expiresAt, createdAt } = made.json as { expiresAt: string; createdAt: string }
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(172_800_000)
    const { raw } = await t.mailTo('bob@one.example', 'invitation')
    expect(raw).toContain('ann invites you to join one.')
    expect((await mailed(t, 'bob@one.example')).link).toContain(`${t.url}/invitation/${made.json['id']}?token=`)
  })

  test('invite-member requires an organization, a membership, the permission, a known role and a valid email address', async () => {
    const { client, organizationId } = await owner(t, 'ann@needs.example', 'needs')
    const { client: member } = await joined(t, organizationId, 'member@needs.example')
    const { client: stranger } = await owner(t, 'eve@needs.example', 'elsewhere')
    const body = { email: 'bob@needs.example', role: 'member', organizationId }
    const nobody = await t.signedIn('nobody@needs.example')
    expect(await call(nobody, { email: body.email, role: 'member' })).toEqual([400, 'No active organization'])
    expect(await call(stranger, body)).toEqual([400, 'Member not found'])
    expect(await call(stranger, { ...body, organizationId: 'no-such-id' })).toEqual([400, 'Member not found'])
    expect(await call(member, body)).toEqual([403, 'You are not allowed to invite users to this organization'])
    for (const role of ['boss', 'member,boss', 'Member', 'member, admin', ''])
      expect((await call(client, { ...body, role }))[0], role).toBe(400)
    expect(await call(client, { ...body, role: 'boss' })).toEqual([400, 'Role not found'])
    expect(await call(client, { ...body, email: 'no address' })).toEqual([400, 'Invalid email'])
    expect((await t.client().post('/organization/invite-member', body)).status).toBe(401)
  })

  test('a member cannot invite to a role with more permissions than their own', async () => {
    const { organizationId } = await owner(t, 'ann@above.example', 'above')
    const { client: admin } = await joined(t, organizationId, 'admin@above.example', 'admin')
    const body = { email: 'bob@above.example', organizationId }
    for (const role of ['owner', 'member,owner', ['admin', 'owner']])
      expect(await call(admin, { ...body, role })).toEqual([403, 'you are not allowed to invite user with this role'])
    expect((await call(admin, { ...body, role: 'admin,member' }))[0]).toBe(200)
  })

  test('without resend, a member or an already invited address cannot be invited, in upper or lower case', async () => {
    const { client, organizationId } = await owner(t, 'ann@again.example', 'again')
    await joined(t, organizationId, 'member@again.example')
    const already = [400, 'User is already a member of this organization']
    expect(await call(client, { email: 'MEMBER@again.example', role: 'member' })).toEqual(already)
    const first = await invite(client, 'bob@again.example', { role: 'admin' })
    const { link } = await mailed(t, 'bob@again.example')
    expect(await call(client, { email: 'Bob@Again.example', role: 'member' })).toEqual([
      400,
      'User is already invited to this organization',
    ])
    t.clock.advance({ hours: 2 })
    const again = await client.post('/organization/invite-member', { email: 'bob@again.example', role: 'member', resend: true })
    expect(again.json).toMatchObject({ id: first.id, status: 'pending', role: 'admin' })
    expect(Date.parse(again.json['expiresAt'] as string)).toBeGreaterThanOrEqual(Date.parse(first.expiresAt) + 7_200_000)
    expect(await t.mailKinds('bob@again.example')).toEqual(['invitation', 'invitation'])
    expect((await mailed(t, 'bob@again.example')).link).toBe(link)
  })

  test('resending an invitation requires the right to assign its roles, and the resender becomes the inviter', async () => {
    const { client, organizationId } = await owner(t, 'ann@stands.example', 'stands')
    const { client: admin } = await joined(t, organizationId, 'admin@stands.example', 'admin')
    await invite(client, 'boss@stands.example', { role: 'owner' })
    expect(await call(admin, { email: 'boss@stands.example', role: 'member', resend: true, organizationId })).toEqual([
      403,
      'you are not allowed to invite user with this role',
    ])
    await invite(client, 'bob@stands.example')
    const again = await invite(admin, 'bob@stands.example', { resend: true, organizationId })
    expect(again).toMatchObject({ inviterId: (await userOf(admin)).id })
  })

  test('inviting an address again after the expiry creates a new invitation and cancels the expired invitation', async () => {
    const { client } = await owner(t, 'ann@anew.example', 'anew')
    const first = await invite(client, 'bob@anew.example')
    t.clock.advance({ hours: 49 })
    const second = await invite(client, 'bob@anew.example')
    expect(second.id).not.toBe(first.id)
    expect(await statusOf(t, first.id)).toBe('canceled')
  })

  test('an invitation can name only teams of its organization', async () => {
    const { client, organizationId } = await owner(t, 'ann@teams.example', 'teams')
    const other = await owner(t, 'eve@teams.example', 'other-teams')
    const [foreign] = await other.client.api.teams.listTeams()
    const one = await client.api.teams.createTeam({ body: { name: 'One' } })
    const two = await client.api.teams.createTeam({ body: { name: 'Two' } })
    const body = { email: 'bob@teams.example', role: 'member', organizationId }
    expect(await call(client, { ...body, teamId: foreign?.id })).toEqual([400, 'Team not found'])
    expect(await call(client, { ...body, teamId: [one.id, 'One'] })).toEqual([400, 'Team not found'])
    const made = await invite(client, 'bob@teams.example', { teamId: [one.id, two.id, one.id] })
    expect(made).toMatchObject({ teamId: `${one.id},${two.id}` })
  })

  test('an invitation mail is in the language of the invited account, or without an account in the language of the inviter', async () => {
    const { client } = await owner(t, 'ann@speaks.example', 'speaks')
    await client.post('/update-user', { language: 6 })
    const bob = await t.signedIn('bob@speaks.example', 'Bob')
    await bob.post('/update-user', { language: 16 })
    await invite(client, 'bob@speaks.example')
    await invite(client, 'stranger@speaks.example')
    expect((await t.mailTo('bob@speaks.example', 'invitation')).raw).toContain('ann vous invite')
    expect((await t.mailTo('stranger@speaks.example', 'invitation')).raw).toContain('Sie ein, speaks beizutreten')
  })
})

describe('accepting an invitation', () => {
  test('accepting an invitation adds a member with its roles and teams and makes the organization active', async () => {
    const { client, organizationId } = await owner(t, 'ann@accept.example', 'accept')
    const one = await client.api.teams.createTeam({ body: { name: 'One' } })
    const gone = await client.api.teams.createTeam({ body: { name: 'Gone' } })
    const { id } = await invite(client, 'bob@accept.example', { role: 'member,admin', teamId: [gone.id, one.id] })
    await client.api.teams.removeTeam({ body: { teamId: gone.id } })
    const bob = await t.signedIn('Bob@accept.example', 'Bob')
    const accepted = await answer(bob, 'accept', id)
    const { id: userId } = await userOf(bob)
    expect([accepted.status, accepted.json]).toEqual([
      200,
      {
        invitation: expect.objectContaining({ id, status: 'accepted', role: 'member,admin' }),
        member: {
          id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
          organizationId,
          userId,
          role: 'member,admin',
          teamId: one.id,
          createdAt: expect.stringMatching(/Z$/),
        },
      },
    ])
    expect((await bob.api.sessions.getSession())?.session).toMatchObject({
      activeOrganizationId: organizationId,
      activeTeamId: one.id,
    })
    expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member,admin'])
  })

  test.each(['accept', 'reject'] as const)('%s: unknown, settled and expired invitations are not found', async (what) => {
    const { client } = await owner(t, `ann@${what}ing.example`, `${what}ing`)
    const bob = await t.signedIn(`bob@${what}ing.example`)
    const refusal = what === 'accept' ? notFound : notFoundWithMark
    expect(await said(answer(bob, what, 'no-such-id'))).toEqual(refusal)
    const canceled = await invite(client, `bob@${what}ing.example`)
    await answer(client, 'cancel', canceled.id)
    expect(await said(answer(bob, what, canceled.id))).toEqual(refusal)
    const rejected = await invite(client, `bob@${what}ing.example`)
    expect((await answer(bob, 'reject', rejected.id)).json).toMatchObject({ invitation: { status: 'rejected' }, member: null })
    expect(await said(answer(bob, what, rejected.id))).toEqual(refusal)
    const expired = await invite(client, `bob@${what}ing.example`)
    t.clock.advance({ hours: 48 })
    expect(await said(answer(bob, what, expired.id))).toEqual(refusal)
    expect([await statusOf(t, canceled.id), await statusOf(t, rejected.id), await statusOf(t, expired.id)]).toEqual([
      'canceled',
      'rejected',
      'pending',
    ])
  })

  test('only the invited address can accept an invitation', async () => {
    const { client } = await owner(t, 'ann@alone.example', 'alone')
    const { id } = await invite(client, 'bob@alone.example')
    const eve = await t.signedIn('eve@alone.example')
    const refusal = [403, 'You are not the recipient of the invitation']
    const { token } = await mailed(t, 'bob@alone.example')
    expect(await said(answer(eve, 'accept', id))).toEqual(refusal)
    expect(await said(answer(eve, 'accept', id, token))).toEqual(refusal)
    expect(await said(answer(eve, 'reject', id))).toEqual(refusal)
    expect(await said(eve.request(to('get-invitation', { id })))).toEqual(refusal)
    expect((await answer(t.client(), 'accept', id)).status).toBe(401)
    expect(await statusOf(t, id)).toBe('pending')
  })

  test('an invitation cannot be accepted after its inviter has left the organization', async () => {
    const { client, organizationId } = await owner(t, 'ann@left.example', 'left')
    const { client: admin, id: memberId } = await joined(t, organizationId, 'admin@left.example', 'admin')
    const { id } = await invite(admin, 'bob@left.example', { organizationId })
    await client.post('/organization/remove-member', { memberIdOrEmail: memberId })
    const bob = await t.signedIn('bob@left.example')
    const refusal = [400, 'Inviter is no longer a member of the organization']
    expect(await said(bob.request(to('get-invitation', { id })))).toEqual(refusal)
    expect(await said(answer(bob, 'accept', id))).toEqual(refusal)
    // A member who stayed sends an invitation of their own.
    const { id: again } = await invite(client, 'bob@left.example')
    expect((await answer(bob, 'accept', again)).status).toBe(200)
  })

  test('an invitation of a removed member is canceled when the member deletes their account', async () => {
    const { client, organizationId } = await owner(t, 'ann@gone.example', 'gone')
    const { client: mallory, id: memberId } = await joined(t, organizationId, 'mallory@gone.example', 'admin')
    const { id } = await invite(mallory, 'alt@gone.example', { organizationId, role: 'admin' })
    await client.post('/organization/remove-member', { memberIdOrEmail: memberId })
    expect((await mallory.post('/delete-user', { password })).status).toBe(200)
    const alt = await t.signedIn('alt@gone.example')
    expect(await statusOf(t, id)).toBe('canceled')
    expect(await said(alt.request(to('get-invitation', { id })))).toEqual(notFoundWithMark)
    expect(await said(answer(alt, 'accept', id))).toEqual(notFound)
    const { token } = await mailed(t, 'alt@gone.example')
    expect(await said(answer(alt, 'accept', id, token))).toEqual(notFound)
    expect(await rolesIn(t, organizationId)).toEqual(['owner'])
    const { id: another } = await invite(client, 'alt@gone.example', { role: 'admin' })
    expect((await answer(alt, 'accept', another)).status).toBe(200)
  })

  test('an invitation cannot be accepted when its inviter may no longer assign its role', async () => {
    const { client, organizationId } = await owner(t, 'ann@lost.example', 'lost')
    const { client: admin, id: memberId } = await joined(t, organizationId, 'admin@lost.example', 'admin')
    const { id } = await invite(admin, 'alt@lost.example', { organizationId, role: 'admin' })
    const { id: plain } = await invite(admin, 'bob@lost.example', { organizationId })
    await client.post('/organization/update-member-role', { memberId, role: 'member' })
    const alt = await t.signedIn('alt@lost.example')
    expect(await said(answer(alt, 'accept', id))).toEqual(notFound)
    expect(await said(alt.request(to('get-invitation', { id })))).toEqual(notFoundWithMark)
    // Invitations with roles that the inviter may still give stay valid.
    expect((await answer(await t.signedIn('bob@lost.example'), 'accept', plain)).status).toBe(200)
    expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member', 'member'])
    // The same after the inviter leaves and returns with a lower role.
    await client.post('/organization/remove-member', { memberIdOrEmail: memberId })
    await t.app.members.add(operator, {
      organization: organizationId,
      user: 'admin@lost.example',
      role: 'member',
      allowsUnverified: true,
    })
    expect(await said(answer(alt, 'accept', id))).toEqual(notFound)
    // Invitations of another member stay valid.
    const { id: again } = await invite(client, 'alt@lost.example', { role: 'admin', resend: true })
    expect((await answer(alt, 'accept', again)).status).toBe(200)
  })

  test('an existing member who accepts an invitation gets an error, and the invitation stays pending', async () => {
    const { client, organizationId } = await owner(t, 'ann@other.example', 'other-way')
    const { client: bob } = await joined(t, organizationId, 'robert@other.example')
    const { id } = await invite(client, 'bob@other.example')
    await bob.api.accounts.changeEmail({ body: { newEmail: 'bob@other.example' } })
    expect(await said(answer(bob, 'accept', id))).toEqual([400, 'User is already a member of this organization'])
    expect(await statusOf(t, id)).toBe('pending')
  })

  test('an invitation to a deleted organization cannot be accepted', async () => {
    const { client, organizationId } = await owner(t, 'ann@ends.example', 'ends')
    const { id } = await invite(client, 'bob@ends.example')
    const bob = await t.signedIn('bob@ends.example')
    await client.post('/organization/delete', { organizationId })
    expect(await said(answer(bob, 'accept', id))).toEqual(notFound)
    expect(await said(bob.request(to('get-invitation', { id })))).toEqual(notFoundWithMark)
  })
})

describe('canceling an invitation', () => {
  test('canceling an invitation requires a membership and the permission, and works once, also for an expired invitation', async () => {
    const { client, organizationId } = await owner(t, 'ann@cancel.example', 'cancel')
    const { client: member } = await joined(t, organizationId, 'member@cancel.example')
    const { client: admin } = await joined(t, organizationId, 'admin@cancel.example', 'admin')
    const { client: stranger } = await owner(t, 'eve@cancel.example', 'cancels-elsewhere')
    const { id } = await invite(client, 'bob@cancel.example')
    expect(await said(answer(client, 'cancel', 'no-such-id'))).toEqual(notFound)
    expect(await said(answer(stranger, 'cancel', id))).toEqual([400, 'Member not found'])
    expect(await said(answer(member, 'cancel', id))).toEqual([403, 'You are not allowed to cancel this invitation'])
    const canceled = await answer(admin, 'cancel', id)
    expect([canceled.status, canceled.json]).toMatchObject([200, { id, status: 'canceled', email: 'bob@cancel.example' }])
    expect(await said(answer(admin, 'cancel', id))).toEqual(notFound)
    const expired = await invite(client, 'bob@cancel.example')
    t.clock.advance({ hours: 49 })
    expect((await answer(client, 'cancel', expired.id)).json['status']).toBe('canceled')
  })

  test('an accepted invitation cannot be canceled', async () => {
    const { client } = await owner(t, 'ann@stays.example', 'stays')
    const { id } = await invite(client, 'bob@stays.example')
    await answer(await t.signedIn('bob@stays.example'), 'accept', id)
    expect(await said(answer(client, 'cancel', id))).toEqual(notFound)
    expect(await statusOf(t, id)).toBe('accepted')
  })
})

describe('reading invitations', () => {
  test('reading an invitation requires a session of the recipient, and returns the organization and the inviter', async () => {
    const { client, organizationId } = await owner(t, 'ann@reads.example', 'reads')
    const { id } = await invite(client, 'bob@reads.example')
    const signedOut = await t.client().request(to('get-invitation', { id }))
    expect([signedOut.status, signedOut.json]).toEqual([401, { code: 'NOT_AUTHENTICATED', message: 'Not authenticated' }])
    const bob = await t.signedIn('bob@reads.example')
    expect((await bob.request(to('get-invitation', { id }))).json).toMatchObject({
      ...{ id, organizationId, status: 'pending', organizationName: 'reads', organizationSlug: 'reads' },
      inviterEmail: 'ann@reads.example',
    })
    const missing = await bob.request(to('get-invitation', { id: 'no-such-id' }))
    expect([missing.status, missing.json]).toEqual([400, { code: 'INVITATION_NOT_FOUND', message: 'Invitation not found!' }])
    expect(await said(bob.request('/organization/get-invitation'))).toEqual([400, 'Invalid query parameters'])
    t.clock.advance({ hours: 49 })
    expect(await said(bob.request(to('get-invitation', { id })))).toEqual(notFoundWithMark)
  })

  test('members list invitations of every status, newest first and in pages, and non-members cannot list any', async () => {
    const { client, organizationId } = await owner(t, 'ann@lists.example', 'lists')
    const { client: member } = await joined(t, organizationId, 'member@lists.example')
    const { client: stranger } = await owner(t, 'eve@lists.example', 'lists-elsewhere')
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.unshift((await invite(client, `${name}@lists.example`)).id)
      t.clock.advance({ seconds: 1 })
    }
    await answer(client, 'cancel', ids[2] ?? '')
    const listed = await member.api.invitations.listInvitations({ query: { organizationId } })
    expect(listed.map(({ email }) => email)).toEqual(['c@lists.example', 'b@lists.example', 'a@lists.example'])
    expect((await client.api.invitations.listInvitations()).map(({ id }) => id)).toEqual(ids)
    expect(listed.map(({ status }) => status)).toEqual(['pending', 'pending', 'canceled'])
    const page = await client.api.invitations.listInvitations({ query: { limit: 1, offset: 1 } })
    expect(page.map(({ id }) => id)).toEqual([ids[1]])
    const outside = [403, 'You are not a member of this organization']
    expect(await said(stranger.request(to('list-invitations', { organizationId })))).toEqual(outside)
    expect(await said(stranger.request(to('list-invitations', { organizationId: 'no-such-id' })))).toEqual(outside)
    const nobody = await t.signedIn('nobody@lists.example')
    expect(await said(nobody.request('/organization/list-invitations'))).toEqual([400, 'Organization ID is required'])
  })

  test('lists omit the id of an invitation that the reader could not have created', async () => {
    const { client, organizationId } = await owner(t, 'ann@climbs.example', 'climbs')
    const { client: member } = await joined(t, organizationId, 'member@climbs.example')
    const { client: admin } = await joined(t, organizationId, 'admin@climbs.example', 'admin')
    const boss = await invite(client, 'boss@climbs.example', { role: 'owner' })
    const bob = await invite(client, 'bob@climbs.example')
    const idsSeen = async (browser: Client) => {
      const listed = await browser.api.invitations.listInvitations({ query: { organizationId } })
      const full = await browser.api.organizations.getFullOrganization({ query: { organizationId } })
      const active = await browser.api.organizations.setActiveOrganization({ body: { organizationId } })
      return [...listed, ...(full?.invitations ?? []), ...(active?.invitations ?? [])].map(({ id }) => id)
    }
    for (const id of [boss.id, bob.id]) {
      expect(await idsSeen(client)).toContain(id)
      expect(await idsSeen(member)).not.toContain(id)
    }
    expect(await idsSeen(admin)).toContain(bob.id)
    expect(await idsSeen(admin)).not.toContain(boss.id)
    // Nobody has verified this address.
    const climber = await t.signedIn('boss@climbs.example')
    for (const id of [...(await idsSeen(member)), ...(await idsSeen(admin))])
      expect((await answer(climber, 'accept', id)).status).not.toBe(200)
    expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member', 'admin'])
  })

  test('a user with a verified email address lists the pending invitations to the address', async () => {
    const { client } = await owner(t, 'ann@mine.example', 'mine')
    const other = await owner(t, 'eve@mine.example', 'mine-too')
    const first = await invite(client, 'bob@mine.example')
    const second = await invite(other.client, 'bob@mine.example')
    const bob = await t.signedIn('bob@mine.example')
    const path = '/organization/list-user-invitations'
    expect(await said(bob.request(path))).toEqual([403, 'Email verification required before accepting or rejecting invitation'])
    await t.app.core.db.knex('user').where({ email: 'bob@mine.example' }).update({ email_verified: true })
    const listed = await bob.api.invitations.listUserInvitations()
    expect(listed.map(({ id, organizationName }) => [id, organizationName]).sort()).toEqual(
      [
        [first.id, 'mine'],
        [second.id, 'mine-too'],
      ].sort(),
    )
    const asked = { email: 'BOB@mine.example' }
    expect(await bob.api.invitations.listUserInvitations({ query: asked })).toHaveLength(2)
    expect(await said(bob.request(to('list-user-invitations', { email: 'ann@mine.example' })))).toEqual([
      403,
      'You are not the recipient of the invitation',
    ])
    await answer(bob, 'accept', first.id)
    await answer(bob, 'reject', second.id)
    expect(await bob.api.invitations.listUserInvitations()).toEqual([])
  })
})

test('an operator invites to any organization and role, and the invitation names no inviter', async () => {
  const organization = await t.app.organizations.createFor(operator, { name: 'Empty', slug: 'empty' }, undefined)
  const input = { email: 'first@empty.example', role: 'owner', organizationId: 'EMPTY' }
  const invited = await t.app.invitations.invite(operator, input)
  expect(invited).toMatchObject({ organizationId: organization.id, inviterId: null })
  expect((await t.mailTo('first@empty.example', 'invitation')).raw).toContain('You are invited to join Empty.')
  const first = await t.signedIn('first@empty.example')
  expect((await first.request(to('get-invitation', { id: invited.id }))).json).toMatchObject({
    inviterId: null,
    inviterEmail: null,
  })
  expect((await answer(first, 'accept', invited.id)).json).toMatchObject({ member: { role: 'owner' } })
  expect(await activeOf(first)).toBe(organization.id)
})

test('with acceptNeedsVerifiedEmail reading, accepting and rejecting an invitation require a verified address or the token of the mail', async () => {
  const strict = await testApp({ config: { organizations: { acceptNeedsVerifiedEmail: true } } })
  try {
    const { client } = await owner(strict, 'ann@strict.example', 'strict')
    const { id } = await invite(client, 'bob@strict.example')
    const { token } = await mailed(strict, 'bob@strict.example')
    const bob = await strict.signedIn('bob@strict.example')
    const refusal = [403, 'Email verification required before accepting or rejecting invitation']
    expect(await said(answer(bob, 'accept', id))).toEqual(refusal)
    expect(await said(answer(bob, 'reject', id))).toEqual(refusal)
    const read = await bob.request(to('get-invitation', { id }))
    expect([read.status, read.json]).toEqual([
      403,
      { code: 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION', message: refusal[1] },
    ])
    expect((await bob.request(to('get-invitation', { id, token }))).json).toMatchObject({ organizationSlug: 'strict' })
    expect(await said(answer(bob, 'accept', id, `${token}x`))).toEqual(refusal)
    expect((await answer(bob, 'accept', id, token)).status).toBe(200)
    expect((await userOf(bob)).emailVerified).toBe(true)
  } finally {
    await strict.stop()
  }
})

test('an invitation lives two days by default, and its mail names the expiry, the inviter and the organization', async () => {
  const usual = await testApp({ config: { brand: { name: 'Northwind' } } })
  try {
    const { client } = await owner(usual, 'ann@usual.example', 'usual')
    await invite(client, 'bob@usual.example')
    const { raw } = await usual.mailTo('bob@usual.example', 'invitation')
    expect(raw).toMatch(/^Subject: ann invited you to usual on Northwind$/m)
    expect(raw).toContain('can be accepted for 48 hours')
  } finally {
    await usual.stop()
  }
})
