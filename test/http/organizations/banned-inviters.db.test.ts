/** Invitations sent by people who have been banned or deleted since. */
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { answer, invite, mailed, statusOf } from './inviting.ts'
import { joined, operator, owner, said, to } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const ban = (email: string, seconds?: number) => t.app.administration.ban(operator, email, undefined, seconds)
const now = [403, 'Invitation cannot be accepted now']
const notFound = [400, 'Invitation not found']

testOnBoth(
  "a permanent ban cancels the person's invitations in every organization, and keeps invitations of other people",
  async () => {
    const { client, organizationId } = await owner(t, 'ann@banned.example', 'banned')
    const { client: mallory } = await joined(t, organizationId, 'mallory@banned.example', 'admin')
    const { id: hers } = await invite(mallory, 'alt@banned.example', { organizationId, role: 'admin' })
    await mallory.post('/organization/create', { name: 'Own', slug: 'malloryown' })
    const { id: own } = await invite(mallory, 'alt@banned.example')
    const { id: others } = await invite(client, 'bob@banned.example')
    await ban('mallory@banned.example')
    expect(await Promise.all([hers, own, others].map((id) => statusOf(t, id)))).toEqual(['canceled', 'canceled', 'pending'])
    const alt = await t.signedIn('alt@banned.example')
    expect(await said(answer(alt, 'accept', hers))).toEqual(notFound)
    const events = await t.app.core.db.knex('event').where({ type: 'invitation.canceled' })
    expect(events).toHaveLength(2)
    // Invitations ended by the ban do not return.
    await t.app.administration.unban(operator, 'mallory@banned.example')
    expect(await said(answer(alt, 'accept', own))).toEqual(notFound)
  },
)

test("a temporary ban suspends the person's invitations, and they work again after the ban", async () => {
  const { client, organizationId } = await owner(t, 'ann@paused.example', 'paused')
  const { client: admin } = await joined(t, organizationId, 'admin@paused.example', 'admin')
  const { id } = await invite(admin, 'bob@paused.example', { organizationId })
  const { id: asNew } = await invite(admin, 'new@paused.example', { organizationId })
  const { id: resent } = await invite(admin, 'eve@paused.example', { organizationId })
  const bob = await t.signedIn('bob@paused.example')
  await ban('admin@paused.example', 3600)
  expect(await said(bob.request(to('get-invitation', { id })))).toEqual(now)
  expect(await said(answer(bob, 'accept', id))).toEqual(now)
  const { token } = await mailed(t, 'new@paused.example')
  const body = { invitationId: asNew, token, name: 'New', password: 'correct horse battery' }
  expect(await said(t.client().post('/hosted/invitation/sign-up', body))).toEqual(now)
  expect(await t.app.users.findByEmail(t.app.core.db, 'new@paused.example')).toBeUndefined()
  expect(await statusOf(t, id)).toBe('pending')
  // Another member renews the invitation.
  await invite(client, 'eve@paused.example', { resend: true })
  expect((await answer(await t.signedIn('eve@paused.example'), 'accept', resent)).status).toBe(200)
  t.clock.advance({ seconds: 3601 })
  expect((await answer(bob, 'accept', id)).status).toBe(200)
})

test('an invitation of a banned person can still be declined', async () => {
  const { organizationId } = await owner(t, 'ann@declined.example', 'declined')
  const { client: admin } = await joined(t, organizationId, 'admin@declined.example', 'admin')
  const { id } = await invite(admin, 'bob@declined.example', { organizationId })
  await ban('admin@declined.example', 3600)
  expect((await answer(await t.signedIn('bob@declined.example'), 'reject', id)).status).toBe(200)
})

testOnBoth("an invitation sent or accepted at the moment of its sender's ban adds no member afterwards", async () => {
  const { organizationId } = await owner(t, 'ann@raced.example', 'raced')
  for (const round of [1, 2, 3, 4]) {
    const email = `admin${round}@raced.example`
    const { client: admin } = await joined(t, organizationId, email, 'admin')
    const { id } = await invite(admin, `bob${round}@raced.example`, { organizationId })
    const bob = await t.signedIn(`bob${round}@raced.example`)
    const [accepted, , late] = await Promise.all([
      answer(bob, 'accept', id),
      ban(email),
      admin.post('/organization/invite-member', { email: `eve${round}@raced.example`, role: 'member', organizationId }),
    ])
    expect(await statusOf(t, id)).toBe(accepted.status === 200 ? 'accepted' : 'canceled')
    if (late.status !== 200) continue
    const eve = await t.signedIn(`eve${round}@raced.example`)
    expect([400, 403]).toContain((await answer(eve, 'accept', String(late.json['id']))).status)
  }
})
