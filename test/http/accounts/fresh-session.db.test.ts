import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const calls = [
  ['/change-email', { newEmail: 'elsewhere@example.com' }],
  ['/link-social', { provider: 'nowhere' }],
] as const

test.each(calls)('%s gives another way in, so it asks for a session begun within a day', async (path, body) => {
  const client = await t.signedIn(`ann${path.length}@example.com`)
  t.clock.advance({ hours: 25 })
  const stale = await client.post(path, body)
  expect([stale.status, stale.json['code']]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  const again = await t.signedIn(`bob${path.length}@example.com`)
  expect((await again.post(path, body)).json['code']).not.toBe('SESSION_IS_NOT_FRESH')
})
