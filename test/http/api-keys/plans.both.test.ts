import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { owner, userOf } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  // The jobs are stopped, because their statements would be looked at too.
  await t.app.jobs.stop()
})
afterAll(() => t.stop())

test('each filter of the list of API keys uses an index', async () => {
  const root = await t.signedIn('pages@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
  const { organizationId } = await owner(t, 'plans@example.com', 'plans')
  const { id: userId } = await userOf(root)
  const base = { name: "'n'", permissions: "'[]'", allowed_networks: "'[]'", enabled: 'true', created_at: secondsIn2026 }
  const often = { ...base, updated_at: secondsIn2026 }
  await fill(t, 'api_key', 3_000, { ...often, id: "'u' || n.n", owner_kind: "'user'", user_id: `'${userId}'` })
  await fill(t, 'api_key', 3_000, { ...often, id: "'i' || n.n", owner_kind: "'instance'" })
  for (const query of [{}, { ownerKind: 'instance' as const }, { userId }, { organizationId }])
    expect(
      await planFaults(t, { tables: ['api_key'] }, () =>
        root.api.adminApiKeys.adminListApiKeys({ query: { ...query, limit: 20 } }),
      ),
      JSON.stringify(query),
    ).toEqual([])
})
