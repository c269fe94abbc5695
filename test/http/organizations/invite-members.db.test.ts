import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { answer, invite, statusOf } from './inviting.ts'
import { joined, operator, owner, said } from './people.ts'

let t: TestApp
let crowd: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      limits: { enabled: 'on', general: { max: 100_000 }, strict: { max: 100_000 } },
      organizations: { pendingInvitationLimit: 5, invitationsPerHour: 12, invitationsPerMemberAndHour: 8 },
    },
  })
  crowd = await testApp({
    config: {
      trustedProxies: ['127.0.0.0/8', '::1'],
      limits: { enabled: 'on', general: { max: 100_000 }, strict: { max: 100_000 } },
      organizations: {
        inviteNeedsVerifiedEmail: false,
        invitationsPerNetworkAndHour: 20,
        invitationsPerRecipientAndHour: 4,
        invitationsInAllPerHour: 30,
      },
    },
  })
  t.clock.hold()
})
afterAll(() => Promise.all([t.stop(), crowd.stop()]))

const path = '/organization/invite-members'

describe('invite-members', () => {
  test('invite-members decides about each email address separately, and an invalid address does not affect the others', async () => {
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

  test('invite-members stops at the limit and names the addresses that were not invited', async () => {
    const { client } = await owner(t, 'ann@limit.example', 'limit')
    const emails = Array.from({ length: 7 }, (_, i) => `p${i}@limit.example`)
    const { invitations, refused } = await client.api.invitations.inviteMembers({ body: { emails, role: 'member' } })
    expect(invitations).toHaveLength(5)
    expect(refused.map(({ email, code }) => [email, code])).toEqual([
      ['p5@limit.example', 'INVITATION_LIMIT_REACHED'],
      ['p6@limit.example', 'INVITATION_LIMIT_REACHED'],
    ])
  })

  test('invite-members invites nobody if an error concerns every email address', async () => {
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

describeOnBoth('limits on invitation mails', () => {
  test('hourly invitations are limited for a member over all organizations, and for an organization over all members', async () => {
    const { client: ann, organizationId: first } = await owner(t, 'ann@hour.example', 'hour')
    const { client: bob, id: bobId } = await joined(t, first, 'bob@hour.example', 'admin')
    expect(bobId).toBeDefined()
    let count = 0
    /** Invites and cancels, so that the limit of pending invitations is not reached. */
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

  test('an invitation counts towards the hourly limit even after its organization is deleted', async () => {
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

  test('inviting people requires a verified email address unless the setting allows an unverified one', async () => {
    const { client: ann, organizationId } = await owner(t, 'ann@proof.example', 'proof')
    await t.app.core.db.knex('user').where({ email: 'ann@proof.example' }).update({ email_verified: false })
    const body = { role: 'member', organizationId }
    const refusal = [403, 'Email verification required before inviting']
    const one = { ...body, email: 'bob@proof.example' }
    expect(await said(ann.post('/organization/invite-member', one))).toEqual(refusal)
    expect(await said(ann.post(path, { ...body, emails: ['bob@proof.example'] }))).toEqual(refusal)
    expect(await t.mailKinds('bob@proof.example')).toEqual([])
    const lenient = await crowd.signedIn('lenient@proof.example')
    await lenient.api.organizations.createOrganization({ body: { name: 'Lenient', slug: 'lenient' } })
    expect((await lenient.post('/organization/invite-member', { email: one.email, role: 'member' })).status).toBe(200)
    await t.verify('ann@proof.example')
    expect((await ann.post('/organization/invite-member', one)).status).toBe(200)
  })

  testOnBoth(
    'an attacker with many accounts and organizations cannot exceed the invitation mail limits of a network, an address and the installation',
    async () => {
      const people = await Promise.all([0, 1, 2, 3, 4].map((n) => owner(crowd, `eve${n}@spam.example`, `spam${n}`)))
      const bob = await owner(crowd, 'bob@spam.example', 'honest')
      const invite = async ({ client }: typeof bob, email: string, network: string) =>
        (await client.post('/organization/invite-member', { email, role: 'member' }, { 'x-forwarded-for': network })).status
      /** The number of invitations created by several people, in turn and simultaneously. */
      const made = async (count: number, email: (n: number) => string, network: (n: number) => string) => {
        const answers = Array.from({ length: count }, (_, n) => invite(people[n % people.length] ?? bob, email(n), network(n)))
        return (await Promise.all(answers)).filter((status) => status === 200).length
      }
      crowd.clock.advance({ minutes: 61 })
      const victim = (n: number) => `victim${n}@spam.example`
      expect(await made(25, victim, (n) => `203.0.113.${n}`)).toBe(20)
      expect(
        await made(
          1,
          () => 'more@spam.example',
          () => '203.0.113.200',
        ),
      ).toBe(0)
      expect(await invite(bob, 'colleague@spam.example', '198.51.100.7')).toBe(200)
      // Five accounts, five networks, one address.
      expect(
        await made(
          5,
          () => 'one@spam.example',
          (n) => `192.0.${n}.1`,
        ),
      ).toBe(4)
      expect(await crowd.mailKinds('one@spam.example')).toHaveLength(4)
      expect(await invite(bob, 'one@spam.example', '198.51.100.7')).toBe(429)
      // The whole installation has a limit, which does not apply to an operator.
      expect(
        await made(
          10,
          (n) => `late${n}@spam.example`,
          (n) => `192.1.${n}.1`,
        ),
      ).toBe(5)
      const input = { email: 'one@spam.example', role: 'member', organizationId: bob.organizationId }
      for (const resend of [false, true, true, true]) await crowd.app.invitations.invite(operator, { ...input, resend })
      expect(await crowd.mailKinds('one@spam.example')).toHaveLength(8)
      crowd.clock.advance({ minutes: 61 })
      expect(
        await made(
          1,
          () => 'late@spam.example',
          () => '203.0.113.7',
        ),
      ).toBe(1)
    },
  )

  test('an email address gets at most three invitation mails of one sender in an hour, and other senders have their own limits', async () => {
    const { client: ann } = await owner(t, 'ann@mails.example', 'mails')
    const { client: eve } = await owner(t, 'eve@mails.example', 'mails2')
    const { id } = await invite(eve, 'bob@mails.example')
    for (let i = 0; i < 2; i += 1) await invite(eve, 'bob@mails.example', { resend: true })
    const again = () => eve.post('/organization/invite-member', { email: 'bob@mails.example', role: 'member', resend: true })
    const refused = await again()
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await t.mailKinds('bob@mails.example')).toHaveLength(3)
    expect(await statusOf(t, id)).toBe('pending')
    // No invitation is created when its mail would not be sent.
    await answer(eve, 'cancel', id)
    expect((await again()).status).toBe(429)
    await invite(ann, 'bob@mails.example')
    expect(await t.mailKinds('bob@mails.example')).toHaveLength(4)
  })
})
