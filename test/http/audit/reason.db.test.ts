/** The reason of an action: given once for a call or command, and stored in every event that it records. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashOf } from '../../../src/core/events/chain.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { sealAll } from '../../support/events.ts'
import { joined, owner } from '../organizations/people.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const header = 'gatehouse-reason'
const userIdOf = async (email: string): Promise<string> => (await t.app.core.db.knex('user').where({ email }).first('id'))?.id
const newest = async (type: string) => (await t.app.audit.list({ type }, 1))[0]
const setRole = async (email: string, reason: string, role = 'support') => {
  const userId = await userIdOf(email)
  await t.verify(email)
  return admin.post('/admin/set-role', { userId, role }, { [header]: reason })
}

describe('the header Gatehouse-Reason', () => {
  test('a reason in the header is stored only in events of changing administration calls', async () => {
    await t.signedIn('ann@example.com')
    expect((await setRole('ann@example.com', 'Ticket 4711')).status).toBe(200)
    expect(await newest('user.role_changed')).toMatchObject({ reason: 'Ticket 4711', actorKind: 'user' })
    const bob = await t.signedIn('bob@example.com')
    await bob.post('/update-user', { name: 'Bobby' }, { [header]: 'mine' })
    expect(await newest('user.updated')).toMatchObject({ reason: null })
  })

  test('a reason accepts characters beyond ASCII, percent-encoded or as UTF-8', async () => {
    for (const [sent, kept] of [
      [encodeURIComponent('Müller: 100 % Betrug – 不正'), 'Müller: 100 % Betrug – 不正'],
      [Buffer.from('Бан', 'utf8').toString('latin1'), 'Бан'],
    ] as const) {
      const role = kept === 'Бан' ? 'user' : 'auditor'
      expect((await setRole('ann@example.com', sent, role)).status).toBe(200)
      expect(await newest('user.role_changed')).toMatchObject({ reason: kept })
    }
  })

  test('a reason that is too long, not text or has a line break is refused, and the call changes nothing', async () => {
    const before = await newest('user.role_changed')
    for (const wrong of ['x'.repeat(501), '100% sure', '%ff', 'two%0Alines', '%E2%80%AEoverridden', '%20%20', 'nul%00']) {
      const { status, json } = await setRole('ann@example.com', wrong, 'admin')
      expect([wrong, status, json['code'], (json['issues'] as { path: string }[])[0]?.path]).toEqual([
        wrong,
        400,
        'VALIDATION_ERROR',
        'Gatehouse-Reason',
      ])
    }
    expect((await newest('user.role_changed'))?.id).toBe(before?.id)
    expect((await setRole('ann@example.com', 'x'.repeat(500))).status).toBe(200)
  })

  test('a reason in the header works with an API key, and is stored in every event of the change', async () => {
    const userId = await userIdOf('bob@example.com')
    const made = await admin.post('/admin/api-keys', { name: 'ops', permissions: ['users:ban', 'user-sessions:delete'] })
    expect(made.status).toBe(200)
    const headers = { authorization: `Bearer ${String(made.json['key'])}`, [header]: 'by a script' }
    expect((await t.client().post('/admin/revoke-user-sessions', { userId }, headers)).status).toBe(200)
    expect(await newest('user.sessions_ended')).toMatchObject({ reason: 'by a script', actorKind: 'api-key' })
  })

  test('a reason in the header is the reason of a ban unless the body contains a reason', async () => {
    const userId = await userIdOf('bob@example.com')
    const ban = (body: object) => admin.post('/admin/ban-user', { userId, ...body }, { [header]: 'from the header' })
    expect((await ban({})).json['user']).toMatchObject({ banReason: 'from the header' })
    expect(await newest('user.banned')).toMatchObject({ reason: 'from the header', data: { reason: 'from the header' } })
    expect((await ban({ banReason: 'from the body' })).status).toBe(200)
    expect(await newest('user.banned')).toMatchObject({ reason: 'from the body', data: { reason: 'from the body' } })
    await admin.post('/admin/unban-user', { userId }, { [header]: 'a mistake' })
    expect(await newest('user.unbanned')).toMatchObject({ reason: 'a mistake' })
    const story = await admin.api.signIns.explainSignIn({ query: { user: 'bob@example.com' } })
    expect(story.entries.at(-1)?.text).toMatch(/The ban was lifted.* Reason: a mistake$/)
    await admin.post('/admin/ban-user', { userId })
    expect(await newest('user.banned')).toMatchObject({ reason: null, data: { reason: 'No reason' } })
  })

  test('a reason in the header is the reason of an impersonation', async () => {
    await t.signedIn('carl@example.com')
    const userId = await userIdOf('carl@example.com')
    const helper = await signedInAs(t, 'admin', 'helper@staff.example')
    await helper.post('/admin/impersonate-user', { userId, reason: 'the field' }, { [header]: 'the header' })
    expect(await newest('user.impersonation_started')).toMatchObject({ reason: 'the field', data: { reason: 'the field' } })
  })

  test('an organization sees the reason only of actions by its members', async () => {
    const { client, organizationId } = await owner(t, 'olga@acme.example', 'acme')
    const { id: memberId } = await joined(t, organizationId, 'max@acme.example')
    const own = await client.post('/organization/update-member-role', { memberId, role: 'admin' }, { [header]: 'promoted' })
    expect(own.status).toBe(200)
    const theirs = await admin.request(`/admin/organizations/${organizationId}/members/${memberId}`, {
      method: 'PATCH',
      body: JSON.stringify({ role: 'member' }),
      headers: { [header]: 'ours alone', 'content-type': 'application/json', origin: t.url },
    })
    expect(theirs.status).toBe(200)
    const { json } = await client.request('/organization/list-events?type=member.role_changed')
    expect((json['events'] as { reason: string | null }[]).map(({ reason }) => reason)).toEqual([null, 'promoted'])
    const all = await admin.request(`/admin/events?organization=${organizationId}&type=member.role_changed`)
    expect((all.json['events'] as { reason: string | null }[]).map(({ reason }) => reason)).toEqual(['ours alone', 'promoted'])
  })

  test('the API document lists the reason header at every changing administration call, and at no other call', async () => {
    const { paths } = (await t.client().request('/openapi.json')).json as unknown as {
      paths: Record<string, Record<string, { parameters?: { in: string; name: string; required?: boolean }[] }>>
    }
    const wrong = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters = [] }]) => {
        const found = parameters.find(({ name }) => name === 'Gatehouse-Reason')
        const isWanted = /^\/(admin|organization)\//.test(path) && method !== 'get'
        const isStream = /export|verification|content/.test(path)
        return isStream || (found !== undefined) === isWanted ? [] : [`${method} ${path}`]
      }),
    )
    expect(wrong).toEqual([])
  })
})

test('the hash of an event covers its reason, and an event without a reason has the same hash as in earlier versions', async () => {
  const event = {
    ...{ id: 'e1', type: 'user.banned', occurredAt: new Date(0), actorKind: 'system', actorId: null, sessionId: null },
    ...{ impersonatorId: null, subjectType: 'user', subjectId: 'u1', organizationId: null, address: '', userAgent: '' },
    ...{ requestId: 'r1', data: '{}' },
  }
  const former = [
    ...['gatehouse event 1', 'before', 1, 'e1', 'user.banned', '1970-01-01T00:00:00.000Z', 'system', null, null, null, 'user'],
    ...['u1', null, '', '', 'r1', '{}'],
  ]
  const expected = createHash('sha256').update(JSON.stringify(former)).digest('hex')
  expect(hashOf('before', 1, { ...event, reason: null })).toBe(expected)
  expect(hashOf('before', 1, { ...event, reason: 'why' })).not.toBe(expected)
})

test('changing or removing the reason of an event breaks the event chain', async () => {
  await sealAll(t)
  const event = await newest('user.unbanned')
  expect((await t.app.audit.verify()).faults).toEqual([])
  for (const reason of ['another one', null]) {
    await t.app.core.db.knex('event').where({ id: event?.id }).update({ reason })
    expect((await t.app.audit.verify()).faults).toMatchObject([{ kind: 'changed event', position: event?.position }])
  }
})
