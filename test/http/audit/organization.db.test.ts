import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { add, create, giveRoleFirst, owner, userOf } from '../organizations/people.ts'
import { eventRow, insertEvents } from './people.ts'

let t: TestApp
let ann: Client
let organizationId = ''
beforeAll(async () => {
  t = await testApp({ config: { organizations: { roles: { clerk: { audit: ['read'] } } } } })
  const made = await owner(t, 'ann@acme.example', 'acme')
  ann = made.client
  organizationId = made.organizationId
  await t.app.jobs.stop()
})
afterAll(() => t.stop())

interface Shown {
  readonly id: string
  readonly type: string
  readonly actorId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly isImpersonated: boolean
}
const list = async (client: Client, query: Readonly<Record<string, string>> = {}) => {
  const { status, json } = await client.request(`/organization/list-events?${new URLSearchParams(query)}`)
  return {
    status,
    json: json as unknown as { readonly code?: string; readonly events: readonly Shown[]; readonly next: string | null },
  }
}

test('an owner reads only the events of their organization, newest first', async () => {
  const other = await owner(t, 'bob@other.example', 'other')
  const { events } = (await list(ann)).json
  expect(events.map(({ type }) => type)).toEqual(['member.added', 'organization.created'])
  expect(Object.keys(events[0] ?? {}).toSorted()).toEqual([
    ...['actorId', 'actorKind', 'address', 'data', 'id', 'isImpersonated', 'occurredAt', 'reason', 'subjectId', 'subjectType'],
    ...['type', 'userAgent'],
  ])
  const { id } = await userOf(other.client)
  expect((await list(ann, { subject: id })).json.events).toEqual([])
  expect((await list(ann, { actor: id })).json.events).toEqual([])
  expect((await list(ann, { type: 'member.*' })).json.events).toHaveLength(1)
})

test('members of another organization and people without an organization cannot read the events, however they name the organization', async () => {
  const stranger = await t.signedIn('eve@evil.example')
  expect((await list(stranger, { organizationId })).json.code).toBe('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
  expect((await list(stranger)).json.code).toBe('NO_ACTIVE_ORGANIZATION')
  await create(stranger, 'evil')
  expect((await list(stranger, { organizationId })).json.code).toBe('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
  const headers = { 'gatehouse-organization': 'acme' }
  const named = await stranger.request('/organization/list-events', { headers })
  expect(named.json['code']).toBe('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
  // Filters cannot show more than the organization may see.
  expect((await list(stranger, { organization: organizationId })).json.events.map(({ type }) => type)).toEqual([
    'member.added',
    'organization.created',
  ])
})

test('members can read the events of the organization only with a role that has the permission', async () => {
  const carl = await t.signedIn('carl@acme.example')
  await add(t, organizationId, carl)
  expect((await list(carl, { organizationId })).json.code).toBe('FORBIDDEN')
  const [dora, emil] = [await t.signedIn('dora@acme.example'), await t.signedIn('emil@acme.example')]
  await add(t, organizationId, dora, 'admin')
  expect((await list(dora, { organizationId })).json.code).toBe('FORBIDDEN')
  await add(t, organizationId, emil, 'clerk')
  expect((await list(emil, { organizationId })).status).toBe(200)
  await giveRoleFirst(t, organizationId, 'member')
  expect((await list(ann, { organizationId })).status).toBe(200)
})

test('network addresses and user agents are shown for present members, and not for operators, former members or impersonating administrators', async () => {
  const [annId, leftId] = [(await userOf(ann)).id, (await userOf(await t.signedIn('left@acme.example'))).id]
  const begin = t.app.core.clock.now()
  const inside = { organization_id: organizationId, type: 'organization.updated' }
  await insertEvents(t, [
    eventRow(1, begin, { ...inside, actor_id: annId, address: '192.0.2.1' }),
    eventRow(2, begin, { ...inside, actor_id: leftId, address: '192.0.2.2' }),
    eventRow(3, begin, { ...inside, actor_id: annId, impersonator_id: leftId, address: '192.0.2.3' }),
    eventRow(4, begin, { ...inside, actor_id: null, actor_kind: 'system', address: '' }),
  ])
  const { events } = (await list(ann, { organizationId, type: 'organization.updated', limit: '4' })).json
  expect(events.map(({ actorId, address, userAgent, isImpersonated }) => [actorId, address, userAgent, isImpersonated])).toEqual([
    [null, null, null, false],
    [annId, null, null, true],
    [leftId, null, null, false],
    [annId, '192.0.2.1', 'a browser', false],
  ])
})

test("the pages of an organization's events contain every event once", async () => {
  const whole = (await list(ann, { organizationId, limit: '100' })).json.events.map(({ id }) => id)
  const ids: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const { json } = await list(ann, { organizationId, limit: '2', ...(after === undefined ? {} : { after }) })
    ids.push(...json.events.map(({ id }) => id))
    after = json.next
  }
  expect(ids).toEqual(whole)
})
