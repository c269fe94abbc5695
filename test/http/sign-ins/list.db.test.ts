/** The list of failed sign-ins of all people. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { userOf } from '../organizations/people.ts'

let t: TestApp
let support: Client
beforeAll(async () => {
  t = await testApp()
  support = await signedInAs(t, 'support')
})
afterAll(() => t.stop())

type Query = NonNullable<NonNullable<Parameters<Client['api']['signIns']['listSignInFailures']>[0]>['query']>
const list = (query: Query = {}, client = support) => client.api.signIns.listSignInFailures({ query })
const reasons = async (query: Query = {}) => (await list(query)).failures.map(({ what }) => what)

test('failed sign-ins are listed newest first with their meaning, with filters and pages, and never with an email address', async () => {
  const { id } = await userOf(await t.signedIn('ann@example.com'))
  const begun = t.app.core.clock.now()
  for (const [email, typed] of [
    ['nobody@example.com', password],
    ['ann@example.com', 'a wrong password'],
    ['ann@example.com', 'another wrong one'],
  ] as const) {
    t.clock.advance({ seconds: 1 })
    await t.client().post('/sign-in/email', { email, password: typed })
  }
  const { failures, next } = await list()
  expect(failures).toMatchObject([
    { what: 'wrong-password', userId: id, attempts: 1, code: 'INVALID_EMAIL_OR_PASSWORD', text: expect.any(String) },
    { what: 'wrong-password', userId: id },
    { what: 'unknown-address', userId: null },
  ])
  expect(next).toBeNull()
  expect(JSON.stringify(failures)).not.toContain('@example.com')
  expect(await reasons({ userId: id })).toEqual(['wrong-password', 'wrong-password'])
  expect(await reasons({ reason: 'unknown-address' })).toEqual(['unknown-address'])
  expect(await reasons({ method: 'passkey' })).toEqual([])
  expect(await reasons({ method: 'password', userId: id, reason: 'unknown-address' })).toEqual([])
  expect(await reasons({ address: failures[0]?.address ?? '', order: 'asc' })).toHaveLength(3)
  expect(await reasons({ until: begun.toISOString() })).toEqual([])
  expect(await reasons({ since: begun.toISOString() })).toHaveLength(3)
  const seen: string[] = []
  for (let after: string | undefined, i = 0; i < 4; i += 1) {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 1, ...(after === undefined ? {} : { after }) })
    seen.push(...page.failures.map((failure) => failure.id))
    if (page.next === null) break
    after = page.next
  }
  expect(seen).toEqual(failures.map((failure) => failure.id))
})

test('callers without the permission to read sign-ins cannot list failed sign-ins', async () => {
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: ApiError) => `${error.status} ${error.code}`,
    )
  expect(await codeOf(list({}, await t.signedIn('ben@example.com')))).toBe('403 FORBIDDEN')
  expect(await codeOf(list({}, t.client()))).toBe('401 UNAUTHORIZED')
  expect(await codeOf(list({ address: '\u0000' }))).toBe('400 VALIDATION_ERROR')
})
