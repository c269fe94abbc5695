import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { answer, invite, statusOf } from './inviting.ts'
import { joined, owner, said } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      limits: { enabled: 'on', general: { max: 100_000 }, strict: { max: 100_000 } },
      organizations: { pendingInvitationLimit: 5, invitationsPerHour: 12, invitationsPerMemberAndHour: 8 },
    },
  })
})
afterAll(() => t.stop())

const path = '/organization/invite-members'

describe('inviting several at once', () => {
  test('decides about each address by itself: a bad one loses the others nothing', async () => {
    const { client, organizationId } = await owner(t, 'ann@bulk.example', 'bulk')
    await joined(t, organizationId, 'member@bulk.example')
    await invite(client, 'invited@bulk.example')
    const emails = [
      'a@bulk.example',
      'no address',
      'MEMBER@bulk.example',
      'invited@bulk.example',
      'b@bulk.example',
      'A@bulk.example',
    ]
    const { invitations, refused } = await client.api.invitations.inviteMembers({ body: { emails, role: 'member' } })
    expect(invitations.map(({ email, status }) => [email, status])).toEqual([
      ['a@bulk.example', 'pending'],
      ['b@bulk.example', 'pending'],
    ])
    expect(refused).toEqual([
      { email: 'no address', code: 'INVALID_EMAIL', message: 'Invalid email' },
      {
        email: 'member@bulk.example',
        code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
        message: 'User is already a member of this organization',
      },
      {
        email: 'invited@bulk.example',
        code: 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
        message: 'User is already invited to this organization',
      },
    ])
    for (const email of ['a@bulk.example', 'b@bulk.example']) expect(await t.mailKinds(email)).toEqual(['invitation'])
  })

  test('stops at the limit, and says of whom', async () => {
    const { client } = await owner(t, 'ann@limit.example', 'limit')
    const emails = Array.from({ length: 7 }, (_, i) => `p${i}@limit.example`)
    const { invitations, refused } = await client.api.invitations.inviteMembers({ body: { emails, role: 'member' } })
    expect(invitations).toHaveLength(5)
    expect(refused.map(({ email, code }) => [email, code])).toEqual([
      ['p5@limit.example', 'INVITATION_LIMIT_REACHED'],
      ['p6@limit.example', 'INVITATION_LIMIT_REACHED'],
    ])
  })

  test('what would refuse everybody is refused once', async () => {
    const { client, organizationId } = await owner(t, 'ann@all.example', 'all')
    const { client: member } = await joined(t, organizationId, 'member@all.example')
    const { client: admin } = await joined(t, organizationId, 'admin@all.example', 'admin')
    const stranger = await t.signedIn('eve@all.example')
    const body = { emails: ['a@all.example', 'b@all.example'], role: 'member', organizationId }
    const call = (browser: typeof client, more: Record<string, unknown> = {}) => said(browser.post(path, { ...body, ...more }))
    expect(await call(stranger)).toEqual([400, 'Member not found'])
    expect(await said(stranger.post(path, { emails: ['a@all.example'], role: 'member' }))).toEqual([
      400,
      'No active organization',
    ])
    expect(await call(member)).toEqual([403, 'You are not allowed to invite users to this organization'])
    expect(await call(client, { role: 'boss' })).toEqual([400, 'Role not found'])
    expect(await call(client, { teamId: 'no-such-team' })).toEqual([400, 'Team not found'])
    expect(await call(admin, { role: 'owner' })).toEqual([403, 'you are not allowed to invite user with this role'])
    expect((await client.post(path, { ...body, emails: [] })).json['code']).toBe('VALIDATION_ERROR')
    const many = Array.from({ length: 101 }, (_, i) => `p${i}@all.example`)
    expect((await client.post(path, { ...body, emails: many })).json['code']).toBe('VALIDATION_ERROR')
    expect(await t.app.core.db.knex('invitation').where({ organization_id: organizationId })).toEqual([])
  })
})

describe('where limits apply', () => {
  test('a person invites so many in an hour in all their organizations, and an organization so many in all', async () => {
    const { client: ann, organizationId: first } = await owner(t, 'ann@hour.example', 'hour')
    const { client: bob, id: bobId } = await joined(t, first, 'bob@hour.example', 'admin')
    expect(bobId).toBeDefined()
    let count = 0
    /** Invites and cancels, so that it is not the number of those that wait which is reached. */
    const one = async (client: typeof ann, organizationId: string) => {
      count += 1
      const email = `p${count}@hour.example`
      const made = await client.post('/organization/invite-member', { email, role: 'member', organizationId })
      if (made.status === 200) await answer(client, 'cancel', String(made.json['id']))
      return made
    }
    const second = await ann.api.organizations.createOrganization({ body: { name: 'Hour 2', slug: 'hour2' } })
    for (let i = 0; i < 8; i += 1) expect((await one(ann, i < 6 ? first : second.id)).status).toBe(200)
    const refused = await one(ann, second.id)
    expect([refused.status, refused.json['message']]).toEqual([429, 'Too many requests. Please try again later.'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    for (let i = 0; i < 6; i += 1) expect((await one(bob, first)).status).toBe(200)
    expect((await one(bob, first)).status).toBe(429)
    t.clock.advance({ minutes: 61 })
    expect((await one(bob, first)).status).toBe(200)
  })

  test('what was made counts, also when its organization is deleted', async () => {
    const { client } = await owner(t, 'eve@burner.example', 'burner')
    const make = async (i: number) => {
      const { id } = await client.api.organizations.createOrganization({ body: { name: 'Burner', slug: `burner${i}` } })
      const made = await client.post('/organization/invite-member', { email: `p${i}@burner.example`, role: 'member' })
      await client.post('/organization/delete', { organizationId: id })
      return made.status
    }
    for (let i = 0; i < 8; i += 1) expect(await make(i)).toBe(200)
    expect(await make(8)).toBe(429)
  })

  test('an address gets three mails of one sender in an hour; other senders have their own', async () => {
    const { client: ann } = await owner(t, 'ann@mails.example', 'mails')
    const { client: eve } = await owner(t, 'eve@mails.example', 'mails2')
    const { id } = await invite(eve, 'bob@mails.example')
    for (let i = 0; i < 5; i += 1) await invite(eve, 'bob@mails.example', { resend: true })
    expect(await t.mailKinds('bob@mails.example')).toHaveLength(3)
    expect(await statusOf(t, id)).toBe('pending')
    await invite(ann, 'bob@mails.example')
    expect(await t.mailKinds('bob@mails.example')).toHaveLength(4)
  })
})
