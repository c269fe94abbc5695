import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { codeFor, offline, redeem, register } from '../oidc/flow.ts'
import { answer, invite } from '../organizations/inviting.ts'
import { add, create, operator, userOf } from '../organizations/people.ts'

let t: TestApp
let asked = 0
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

/** Types of the events that the work records, in their order. */
const recorded = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = await t.app.audit.list({}, 1000)
  await work()
  const known = new Set(before.map(({ id }) => id))
  return (await t.app.audit.list({}, 1000))
    .filter(({ id }) => !known.has(id))
    .map(({ type }) => type)
    .reverse()
}
const newest = async () => (await t.app.audit.list({}, 1))[0]
const address = () => {
  asked += 1
  return `person${asked}@example.com`
}

test('a sign-up records the user and the session, with the user as the actor of the session', async () => {
  const email = address()
  expect(await recorded(() => t.signedIn(email))).toEqual(['user.created', 'session.started'])
  const { id } = await t.app.users.require(t.app.core.db, email)
  expect(await newest()).toMatchObject({
    ...{ actorKind: 'user', actorId: id, subjectId: id, subjectType: 'user', address: '127.0.0.1' },
    data: { amr: ['pwd'], isNewDevice: false, isRenewal: false },
  })
})

test('changes of a person are recorded with the names of the changed fields and without values', async () => {
  const email = address()
  const ann = await t.signedIn(email)
  await t.verify(email)
  expect(await recorded(() => ann.post('/update-user', { name: 'Another Name' }))).toEqual(['user.updated'])
  expect(await newest()).toMatchObject({ data: { fields: ['name'] } })
  expect(JSON.stringify(await t.app.audit.list({}, 1000))).not.toMatch(/Another Name|@example\.com/)
  const change = { currentPassword: password, newPassword: 'another battery staple', revokeOtherSessions: true }
  expect(await recorded(() => ann.post('/change-password', change))).toEqual([
    'user.password_changed',
    'user.sessions_ended',
    'session.started',
  ])
  expect(await recorded(() => ann.post('/sign-out'))).toEqual(['session.ended'])
})

test('a session that ends because another person signs in in the same browser is recorded as ended', async () => {
  const [first, second] = [address(), address()]
  const browser = await t.signedIn(first)
  await t.signedIn(second)
  expect(await recorded(() => browser.post('/sign-in/email', { email: second, password }))).toEqual([
    'session.ended',
    'session.started',
  ])
  const { id } = await t.app.users.require(t.app.core.db, first)
  const [ended] = await t.app.audit.list({ type: 'session.ended', subject: id }, 1)
  expect(ended).toMatchObject({ actorId: id, subjectId: id, data: { sessionId: ended?.sessionId } })
})

test('a password reset and an account deletion are recorded with everything that ends with them', async () => {
  const email = address()
  const ann = await t.signedIn(email)
  await t.verify(email)
  await ann.post('/request-password-reset', { email })
  const token = new URL((await t.mailTo(email, 'reset-password')).link).pathname.split('/').at(-1)
  const body = { token, newPassword: 'another battery staple' }
  expect(await recorded(() => t.client().post('/reset-password', body))).toEqual(['user.sessions_ended', 'user.password_reset'])
  const again = t.client()
  await again.post('/sign-in/email', { email, password: body.newPassword })
  expect(await recorded(() => again.post('/delete-user', { password: body.newPassword }))).toEqual([
    'user.deleted',
    'user.sessions_ended',
  ])
})

test('failed calls are not recorded', async () => {
  const email = address()
  await t.signedIn(email)
  const wrong = () => t.client().post('/sign-in/email', { email, password: 'wrong password' })
  expect(await recorded(wrong)).toEqual([])
  expect(await recorded(() => t.client().post('/sign-up/email', { email, name: 'Ann', password }))).toEqual([])
})

test('events of an organization are recorded with the id of the organization', async () => {
  const [mine, theirs] = [address(), address()]
  const [owner, guest] = [await t.signedIn(mine), await t.signedIn(theirs)]
  for (const email of [mine, theirs]) await t.verify(email)
  let organizationId = ''
  expect(
    await recorded(async () => {
      organizationId = await create(owner, 'acme')
    }),
  ).toEqual(['organization.created', 'member.added'])
  let invitationId = ''
  expect(
    await recorded(async () => {
      invitationId = (await invite(owner, theirs)).id
    }),
  ).toEqual(['invitation.created'])
  // The id admits a person who signs up with the address, so events contain it only in the form that lists show to others.
  const subjectId = (await newest())?.subjectId
  expect(subjectId).not.toBe(invitationId)
  expect(await recorded(() => answer(guest, 'accept', invitationId))).toEqual(['member.added', 'invitation.accepted'])
  expect(await newest()).toMatchObject({ subjectId })
  const declined = (await invite(owner, address())).id
  await owner.post('/organization/cancel-invitation', { invitationId: declined })
  const [canceled] = await t.app.audit.list({ type: 'invitation.canceled' }, 1)
  expect(canceled?.subjectId).toMatch(/^[0-9a-f]{32}$/)
  expect(canceled?.subjectId).not.toBe(declined)
  const { id: memberId } = (await guest.request(`/organization/get-active-member`)).json as { id: string }
  expect(
    await recorded(() => owner.post('/organization/update-member-role', { memberId, role: 'admin', organizationId })),
  ).toEqual(['member.role_changed'])
  expect(await newest()).toMatchObject({
    ...{ organizationId, subjectId: (await userOf(guest)).id, actorId: (await userOf(owner)).id },
    data: { memberId, role: 'admin', formerRole: 'member' },
  })
  expect(await recorded(() => guest.post('/organization/leave', { organizationId }))).toEqual(['member.removed'])
  expect(await recorded(() => add(t, organizationId, guest))).toEqual(['member.added'])
  expect(await newest()).toMatchObject({ actorKind: 'system', requestId: operator.requestId })
  expect(await recorded(() => owner.post('/organization/delete', { organizationId }))).toEqual(['organization.deleted'])
})

test('actions of operators and applications are recorded: clients, keys, consents, billing endpoints', async () => {
  const ann = await t.signedIn(address())
  let shop = { clientId: '', secret: undefined as string | undefined }
  expect(
    await recorded(async () => {
      shop = await register(t)
    }),
  ).toEqual(['client.created'])
  expect(await newest()).toMatchObject({ subjectId: shop.clientId, actorKind: 'system' })
  expect(await recorded(() => codeFor(ann, shop, offline))).toEqual(['consent.given'])
  expect(await newest()).toMatchObject({ data: { clientId: shop.clientId, scopes: ['openid', 'offline_access'] } })
  expect(await recorded(() => t.app.oidc.keys.rotate(operator))).toEqual(['keys.rotated'])
  const { endpoints } = t.app.billing
  expect(await recorded(() => endpoints.add(operator, 'shop', undefined))).toEqual(['endpoint.created'])
  expect(await recorded(() => endpoints.addSecret(operator, 'shop', undefined))).toEqual(['endpoint.keys_changed'])
  expect(await recorded(() => endpoints.remove(operator, 'shop'))).toEqual(['endpoint.deleted'])
  expect(await recorded(() => t.app.masterSecrets.reencrypt(operator))).toEqual(['instance.reencrypted'])
})

test('a second use of a code is recorded with the user and client whose tokens were revoked', async () => {
  const email = address()
  const ann = await t.signedIn(email)
  const shop = await register(t)
  const code = await codeFor(ann, shop)
  expect(await recorded(() => redeem(t, shop, code))).toEqual([])
  expect(await recorded(() => redeem(t, shop, code))).toEqual(['grant.revoked'])
  const { id } = await t.app.users.require(t.app.core.db, email)
  expect(await newest()).toMatchObject({
    ...{ subjectId: id, actorKind: 'application', actorId: shop.clientId },
    data: { clientId: shop.clientId, isReused: true },
  })
})

test('actions of operators on the queue, failed mails and the set-up are recorded', async () => {
  const empty = await testApp()
  const types = async () => (await empty.app.audit.list({ actorKind: 'system' }, 20)).map(({ type }) => type)
  await empty.app.jobs.stop()
  await empty.app.setup.createSetupLink(operator)
  const { knex } = empty.app.core.db
  const now = new Date()
  const dead = { status: 'dead', attempts: 1, due_at: now, created_at: now, payload: '{}' }
  await knex('task').insert([
    { ...dead, id: 'one', kind: 'mail.send' },
    { ...dead, id: 'two', kind: 'test' },
  ])
  await empty.app.mail.requeue(operator, 'one')
  await knex('task').where({ id: 'one' }).update({ status: 'dead' })
  await empty.app.tasks.requeue(operator, 'one')
  await empty.app.tasks.drop(operator, 'two')
  const refused = empty.app.tasks.drop(operator, 'two')
  await expect(refused).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
  expect((await types()).filter((type) => type !== 'keys.rotated').toReversed()).toEqual([
    'instance.setup_link_created',
    'mail.retried',
    'task.requeued',
    'task.dropped',
  ])
  await empty.stop()
})
