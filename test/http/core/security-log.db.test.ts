import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

const lines: string[] = []
let t: TestApp
beforeAll(async () => {
  t = await testApp({ onLog: (line) => lines.push(line) })
})
afterAll(() => t.stop())

type Line = Readonly<Record<string, unknown>>

/** The log line of an event, which is written after the commit of the answer. */
const logged = (wanted: Line) =>
  vi.waitFor(() => {
    const found = lines
      .map((line) => JSON.parse(line) as Line)
      .find((line) => line['msg'] === 'security' && Object.entries(wanted).every(([key, value]) => line[key] === value))
    if (found === undefined) throw new Error(`no line ${JSON.stringify(wanted)}`)
    return found
  }, 60_000)
const idOf = async (client: Client) => (await client.api.sessions.getSession())?.user.id
const from = { level: 'info', address: '127.0.0.1' }
const named = (requestId: string) => ({ 'x-request-id': requestId })

test('a failed sign-in is logged with event, user, client address and request, and without a user for an unknown email address', async () => {
  const userId = await idOf(await t.signedIn('ann@example.com'))
  const attempt = (email: string, requestId: string) =>
    t.client().post('/sign-in/email', { email, password: 'wrong password' }, named(requestId))
  await attempt('ann@example.com', 'wrong-1')
  await attempt('nobody@example.com', 'wrong-2')
  const code = 'INVALID_EMAIL_OR_PASSWORD'
  expect(await logged({ event: 'sign-in.failed', requestId: 'wrong-1' })).toMatchObject({ ...from, userId, code })
  expect(await logged({ event: 'sign-in.failed', requestId: 'wrong-2' })).toMatchObject({ ...from, userId: null, code })
})

test('a new session is logged with its id and without its token', async () => {
  const client = t.client()
  await client.post('/sign-in/email', { email: 'ann@example.com', password }, named('new-1'))
  const found = await client.api.sessions.getSession()
  const line = await logged({ event: 'session.started', requestId: 'new-1' })
  expect(line).toMatchObject({ ...from, userId: found?.user.id, sessionId: found?.session.id })
})

test('role changes in an organization or the instance are logged with the user and the role', async () => {
  const owner = await t.signedIn('owner@example.com')
  const userId = await idOf(await t.signedIn('member@example.com'))
  const { id: organizationId } = await owner.api.organizations.createOrganization({ body: { name: 'Acme', slug: 'acme' } })
  const system = systemPrincipal('cli-1')
  const member = await t.app.members.add(system, {
    organization: 'acme',
    user: 'member@example.com',
    role: 'member',
    allowsUnverified: true,
  })
  expect(await logged({ event: 'role.changed', requestId: 'cli-1' })).toMatchObject({ userId, organizationId, role: 'member' })
  await owner.post('/organization/update-member-role', { memberId: member.id, role: 'admin', organizationId }, named('role-1'))
  expect(await logged({ event: 'role.changed', requestId: 'role-1' })).toMatchObject({
    ...from,
    ...{ userId, organizationId, role: 'admin', formerRole: 'member', changedBy: await idOf(owner) },
  })
  const invited = await t.signedIn('invited@example.com')
  await t.verify('owner@example.com')
  const body = { email: 'invited@example.com', role: 'admin', organizationId } as const
  const { id: invitationId } = await owner.api.invitations.inviteMember({ body })
  await invited.post('/organization/accept-invitation', { invitationId }, named('role-2'))
  expect(await logged({ event: 'role.changed', requestId: 'role-2' })).toMatchObject({
    ...{ userId: await idOf(invited), organizationId, role: 'admin' },
  })
  const account = {
    name: 'Root',
    email: 'root@example.com',
    password: 'an uncommon pass phrase',
    role: 'admin',
    emailVerified: true,
  } as const
  const prepared = await t.app.accounts.prepare(systemPrincipal('cli-2'), account)
  const { user } = await t.app.core.transact((tx) => prepared.insert(tx))
  expect(await logged({ event: 'role.changed', requestId: 'cli-2' })).toMatchObject({ userId: user.id, role: 'admin' })
})

test('a password reset and a password change are logged only if their transaction commits', async () => {
  const client = await t.signedIn('reset@example.com')
  const userId = await idOf(client)
  const newPassword = 'another battery horse'
  await client.post('/change-password', { currentPassword: password, newPassword }, named('change-1'))
  expect(await logged({ event: 'password.changed', requestId: 'change-1' })).toMatchObject({ ...from, userId })
  await client.post('/request-password-reset', { email: 'reset@example.com', redirectTo: '/reset-password' })
  const { link } = await t.mailTo('reset@example.com', 'reset-password')
  const token = /[A-Za-z0-9]{24}/.exec(new URL(link).pathname)?.[0]
  await t.client().post('/reset-password', { token, newPassword: 'yet another battery' }, named('reset-1'))
  expect(await logged({ event: 'password.reset', requestId: 'reset-1' })).toMatchObject({ ...from, userId })
  await t.client().post('/reset-password', { token, newPassword: 'yet another battery' }, named('reset-2'))
  expect(lines.filter((line) => line.includes('reset-2') && line.includes('"password.reset"'))).toEqual([])
})

test('a denied request is logged with its error code and its user', async () => {
  const client = await t.signedIn('curious@example.com')
  await client.request('/admin/billing/customers', { headers: named('refused-1') })
  await t.client().request('/list-sessions', { headers: named('refused-2') })
  await t.client().request('/verify-email?token=nonsense', { headers: { ...named('refused-3'), accept: 'text/html' } })
  const userId = await idOf(client)
  expect(await logged({ event: 'request.refused', requestId: 'refused-1' })).toMatchObject({ ...from, userId, code: 'FORBIDDEN' })
  expect(await logged({ event: 'request.refused', requestId: 'refused-2' })).toMatchObject({
    ...from,
    userId: null,
    code: 'UNAUTHORIZED',
  })
  expect(await logged({ event: 'request.refused', requestId: 'refused-3' })).toMatchObject({ ...from, code: 'INVALID_TOKEN' })
})

test('no line of the security log contains an email address, a password or a token', () => {
  const security = lines.filter((line) => line.includes('"security"'))
  expect(security.length).toBeGreaterThan(10)
  for (const value of ['@example.com', password, 'battery', 'token"', 'cookie']) expect(security.join('')).not.toContain(value)
})
