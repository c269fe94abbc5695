import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { activeOf, create, owner, said } from './people.ts'

let t: TestApp
let client: Client
let [first, second, third] = ['', '', '']
beforeAll(async () => {
  t = await testApp()
  client = await t.signedIn('ann@example.com')
  first = await create(client, 'first')
  second = await create(client, 'second')
  third = await create(client, 'third')
})
afterAll(() => t.stop())

const get = (path: string, organization: string, who = client) =>
  who.request(`/organization/${path}`, { headers: { 'gatehouse-organization': organization } })

test("the header Gatehouse-Organization selects the organization of one request by id or slug, and does not change the session's active organization", async () => {
  for (const name of [first, 'first', 'FIRST']) {
    expect((await get('get-organization', name)).json).toMatchObject({ id: first })
    expect((await get('get-full-organization', name)).json).toMatchObject({ id: first })
    expect((await get('get-active-member', name)).json).toMatchObject({ organizationId: first })
    expect((await get('list-members', name)).json).toMatchObject({ members: [{ organizationId: first }] })
  }
  const changed = await client.post(
    '/organization/update',
    { data: { name: 'By header' } },
    { 'gatehouse-organization': 'second' },
  )
  expect(changed.json).toMatchObject({ id: second, name: 'By header' })
  expect(await activeOf(client)).toBe(third)
})

test('an organization named in the body or query overrides the header Gatehouse-Organization', async () => {
  expect((await get(`get-organization?organizationId=${second}`, 'first')).json).toMatchObject({ id: second })
  expect((await get('get-organization?organizationSlug=second', first)).json).toMatchObject({ id: second })
})

test('the header Gatehouse-Organization gives a non-member no access, whatever organization is active in the session', async () => {
  const { client: stranger, organizationId } = await owner(t, 'stranger@example.com', 'strange')
  for (const name of [first, 'first', 'nobody-knows']) {
    expect(await said(get('get-active-member', name, stranger))).toEqual([400, 'Member not found'])
    expect(await said(get('list-members', name, stranger))).toEqual([403, 'You are not a member of this organization'])
  }
  expect(await activeOf(stranger)).toBe(organizationId)
  expect(await said(get('get-active-member', first, t.client()))).toEqual([401, 'Unauthorized'])
})

test('an unknown organization in the header Gatehouse-Organization is an error without a fallback, and an empty header is ignored', async () => {
  for (const text of ['a b', 'x'.repeat(65), `${first},${second}`, '%', 'caf\u00e9'])
    expect(await said(get('get-active-member', text)), text).toEqual([400, 'Member not found'])
  expect(await activeOf(client)).toBe(third)
  expect((await get('get-organization', '')).json).toMatchObject({ id: third })
})

test('scripts of trusted origins can send the header Gatehouse-Organization', async () => {
  const app = await testApp({ config: { trustedOrigins: ['https://app.example.com'] } })
  const answer = await app.client().request('/organization/list', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
  })
  expect(answer.headers.get('access-control-allow-headers')).toContain('Gatehouse-Organization')
  await app.stop()
})
