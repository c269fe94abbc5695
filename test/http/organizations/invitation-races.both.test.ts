import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { composeFeatures, gatehouse } from '../../../src/composition.ts'
import { defineFeature } from '../../../src/feature.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { answer, invite, mailed, statusOf } from './inviting.ts'
import { activeOf, joined, owner, rolesIn, said, userOf } from './people.ts'

/** Seats of one organization, as sold by a feature such as billing. */
const sold = { organizationId: '', seats: 2 }
const seatsFeature = defineFeature({
  name: 'seats',
  build: () => ({
    api: {},
    guards: { seats: async (_tx, id) => (id === sold.organizationId ? { seats: sold.seats, isFree: false } : null) },
  }),
})

let t: TestApp
beforeAll(async () => {
  const application = composeFeatures([...gatehouse.features, seatsFeature])
  t = await testApp({
    application,
    config: {
      organizations: { membershipLimit: 3, pendingInvitationLimit: 4, teamMemberLimit: 1, invitationTtlSeconds: 172_800 },
    },
  })
})
afterAll(() => t.stop())

const codes = (answers: readonly Answer[]) => answers.map(({ status, json }) => json['code'] ?? status).sort()
const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

describe('concurrent invitations and answers', () => {
  test('ten concurrent acceptances of one invitation add one member', async () => {
    const { client, organizationId } = await owner(t, 'ann@ten.example', 'ten')
    const { id } = await invite(client, 'bob@ten.example')
    const bob = await t.signedIn('bob@ten.example')
    const answers = await times(10, () => answer(bob, 'accept', id))
    expect(codes(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 'INVITATION_NOT_FOUND')])
    expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member'])
    expect(await activeOf(bob)).toBe(organizationId)
  })

  test('of an acceptance and a simultaneous cancellation of an invitation one succeeds and the other gets an error', async () => {
    for (const i of [0, 1, 2, 3]) {
      const { client, organizationId } = await owner(t, `ann@either${i}.example`, `either${i}`)
      const { id } = await invite(client, `bob@either${i}.example`)
      const bob = await t.signedIn(`bob@either${i}.example`)
      const both = [answer(bob, 'accept', id), answer(client, 'cancel', id)]
      const [accepted, canceled] = await Promise.all(i % 2 === 0 ? both : both.reverse())
      const status = await statusOf(t, id)
      expect(codes([accepted, canceled].filter((one) => one !== undefined))).toEqual([200, 'INVITATION_NOT_FOUND'])
      expect(await rolesIn(t, organizationId)).toHaveLength(status === 'accepted' ? 2 : 1)
      expect(['accepted', 'canceled']).toContain(status)
    }
  })

  test('ten concurrent invitations of one email address create one invitation and one mail', async () => {
    const { client } = await owner(t, 'ann@once.example', 'once')
    const answers = await times(10, (i) =>
      client.post('/organization/invite-member', {
        email: i % 2 === 0 ? 'bob@once.example' : 'BOB@once.example',
        role: 'member',
      }),
    )
    expect(codes(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')])
    expect(await t.mailKinds('bob@once.example')).toEqual(['invitation'])
  })

  test('concurrent invitations do not exceed the limit of pending invitations', async () => {
    const { client, organizationId } = await owner(t, 'ann@waits.example', 'waits')
    const answers = await times(8, (i) =>
      client.post('/organization/invite-member', { email: `bob${i}@waits.example`, role: 'member' }),
    )
    expect(codes(answers)).toEqual([200, 200, 200, 200, ...Array.from({ length: 4 }, () => 'INVITATION_LIMIT_REACHED')])
    expect(await said(client.post('/organization/invite-member', { email: 'x@waits.example', role: 'member' }))).toEqual([
      403,
      'Invitation limit reached',
    ])
    // Resending creates no further invitation, and settled or expired ones do not count as pending.
    await invite(client, (await client.api.invitations.listInvitations({ query: { organizationId } }))[0]?.email ?? '', {
      resend: true,
    })
    t.clock.advance({ hours: 49 })
    await invite(client, 'x@waits.example')
  })

  test('of several concurrent acceptances one gets the last membership, and the other invitations stay pending', async () => {
    const { client, organizationId } = await owner(t, 'ann@last.example', 'last')
    const people = await times(4, async (i) => {
      const { id } = await invite(client, `bob${i}@last.example`)
      return { id, browser: await t.signedIn(`bob${i}@last.example`) }
    })
    const answers = await Promise.all(people.map(({ browser, id }) => answer(browser, 'accept', id)))
    expect(codes(answers)).toEqual([200, 200, ...Array.from({ length: 2 }, () => 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')])
    const late = people[answers.findIndex(({ status }) => status !== 200)]
    expect(await rolesIn(t, organizationId)).toHaveLength(3)
    expect(await statusOf(t, late?.id ?? '')).toBe('pending')
    const refusal = [403, 'Organization membership limit reached']
    expect(await said(answer(late?.browser ?? client, 'accept', late?.id ?? ''))).toEqual(refusal)
    // A freed place can be taken.
    const left = people[answers.findIndex(({ status }) => status === 200)]
    await left?.browser.post('/organization/leave', { organizationId })
    expect((await answer(late?.browser ?? client, 'accept', late?.id ?? '')).status).toBe(200)
  })

  test('of several concurrent acceptances one gets the last place in a team, and a full team leaves the invitation pending', async () => {
    const { client, organizationId } = await owner(t, 'ann@team.example', 'team')
    const { id: teamId } = await client.api.teams.createTeam({ body: { name: 'One' } })
    const people = await times(2, async (i) => {
      const { id } = await invite(client, `bob${i}@team.example`, { teamId })
      return { id, browser: await t.signedIn(`bob${i}@team.example`) }
    })
    const answers = await Promise.all(people.map(({ browser, id }) => answer(browser, 'accept', id)))
    expect(codes(answers)).toEqual([200, 'TEAM_MEMBER_LIMIT_REACHED'])
    const late = people[answers.findIndex(({ status }) => status !== 200)]
    expect(await statusOf(t, late?.id ?? '')).toBe('pending')
    expect(await rolesIn(t, organizationId)).toHaveLength(2)
    expect(await said(answer(late?.browser ?? client, 'accept', late?.id ?? ''))).toEqual([403, 'Team member limit reached'])
  })

  test('ten concurrent sign-ups with one invitation create one account and one member', async () => {
    const { client, organizationId } = await owner(t, 'ann@link.example', 'link')
    await invite(client, 'bob@link.example')
    const { id, token } = await mailed(t, 'bob@link.example')
    const body = { invitationId: id, token, name: 'Bob', password }
    const answers = await times(5, () => t.client().post('/hosted/invitation/sign-up', body))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status } of answers) expect([200, 400, 422]).toContain(status)
    expect(await rolesIn(t, organizationId)).toHaveLength(2)
  })

  test('an invitation accepted at the moment when its inviter is removed adds no member after the removal', async () => {
    const { client, organizationId } = await owner(t, 'ann@gone.example', 'gone')
    const { client: admin, id: memberId } = await joined(t, organizationId, 'admin@gone.example', 'admin')
    const { id } = await invite(admin, 'bob@gone.example', { organizationId })
    const bob = await t.signedIn('bob@gone.example')
    const [accepted] = await Promise.all([
      answer(bob, 'accept', id),
      client.post('/organization/remove-member', { memberIdOrEmail: memberId }),
    ])
    const left = await rolesIn(t, organizationId)
    expect(codes([accepted])).toEqual(left.length === 2 ? [200] : ['INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION'])
  })

  test('accepting an invitation while the account is deleted leaves no member without a user', async () => {
    const { client, organizationId } = await owner(t, 'ann@deleted.example', 'deleted')
    const { id } = await invite(client, 'bob@deleted.example')
    const bob = await t.signedIn('bob@deleted.example')
    const { id: userId } = await userOf(bob)
    const [accepted, deleted] = await Promise.all([answer(bob, 'accept', id), bob.post('/delete-user', { password })])
    expect(deleted.status).toBe(200)
    expect([200, 401]).toContain(accepted.status)
    expect(await t.app.core.db.knex('member').where({ user_id: userId })).toEqual([])
    expect(await rolesIn(t, organizationId)).toEqual(['owner'])
  })
})

test('pending invitations reserve seats, and of two concurrent invitations one gets the last seat', async () => {
  const { client, organizationId } = await owner(t, 'ann@seats.example', 'seats')
  sold.organizationId = organizationId
  const body = { email: 'bob@seats.example', role: 'member' }
  const both = await Promise.all([
    client.post('/organization/invite-member', body),
    client.post('/organization/invite-member', { ...body, email: 'carl@seats.example' }),
  ])
  expect(codes(both)).toEqual([200, 'SEAT_LIMIT_REACHED'])
  sold.seats = 3
  const invited = await client.api.invitations.listInvitations()
  const other = invited[0]?.email === 'bob@seats.example' ? 'carl@seats.example' : 'bob@seats.example'
  const ids = [invited[0]?.id ?? '', (await invite(client, other)).id]
  const browsers = [await t.signedIn(invited[0]?.email ?? ''), await t.signedIn(other)]
  sold.seats = 2
  const answers = await Promise.all(browsers.map((browser, i) => answer(browser, 'accept', ids[i] ?? '')))
  expect(codes(answers)).toEqual([200, 'SEAT_LIMIT_REACHED'])
  expect(await rolesIn(t, organizationId)).toHaveLength(2)
})
