/** Security data that a node holds in memory stays in force when settings rebuild its features. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { limits: { enabled: 'off' }, sessions: { cookieCacheSeconds: 60 } } })
})
afterAll(() => t?.stop())

test('a cached session of a banned person stays refused while settings change', async () => {
  const admin = await signedInAs(t, 'admin')
  const eve = await t.signedIn('eve@example.com')
  await eve.request('/get-session')
  const cookie = [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ask = async () => (await t.client().request('/get-session', { headers: { cookie, origin: t.url } })).text
  expect(await ask()).toContain('eve@example.com')
  const [row] = await t.app.core.db.knex('user').where({ email: 'eve@example.com' }).select('id')
  await admin.api.administration.banUser({ body: { userId: row?.id } })
  await expect.poll(ask).toBe('null')
  const answers: string[] = []
  for (let round = 0; round < 5; round += 1) {
    let isOver = false
    const change = admin.api.settings
      .updateSettings({ body: { set: { 'brand.name': `Acme ${round}` } } })
      .finally(() => (isOver = true))
    while (!isOver) answers.push(await ask())
    for (let after = 0; after < 5; after += 1) answers.push(await ask())
    await change
  }
  expect(new Set(answers)).toEqual(new Set(['null']))
})
