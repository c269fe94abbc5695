import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const email = 'ann@example.com'
const idOf = async (address: string) => (await t.app.core.db.knex('user').where({ email: address }).first('id')).id
const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' }

test('a person sees their own last sign-ins with time, method and device, including failed sign-ins', async () => {
  const ann = await t.signedIn(email)
  const bob = await t.signedIn('bob@example.com')
  t.clock.advance({ minutes: 1 })
  await t.client().post('/sign-in/email', { email, password: 'not the right one' }, firefox)
  t.clock.advance({ minutes: 1 })
  await t.client().post('/sign-in/email', { email, password }, firefox)
  await t.app.signInFailures?.settled()
  const { signIns } = await ann.api.ownSignIns.listOwnSignIns()
  expect(signIns.map(({ outcome, methods, attempts }) => ({ outcome, methods, attempts }))).toEqual([
    { outcome: 'succeeded', methods: ['password'], attempts: 1 },
    { outcome: 'failed', methods: ['password'], attempts: 1 },
    { outcome: 'succeeded', methods: ['password'], attempts: 1 },
  ])
  expect(signIns[1]).toMatchObject({ userAgent: firefox['user-agent'], address: '127.0.0.1' })
  expect(signIns.map(({ at }) => at)).toEqual(signIns.map(({ at }) => at).toSorted((a, b) => b.getTime() - a.getTime()))
  expect((await bob.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(1)
  expect((await t.client().request('/list-sign-ins')).status).toBe(401)
})

test('a further proof in an existing session is not listed as a sign-in', async () => {
  const eve = await t.signedIn('eve@example.com')
  await eve.post('/verify-password', { password })
  expect((await eve.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(1)
})

test('an impersonating administrator can read the list of own sign-ins and does not appear in the list', async () => {
  const kim = await t.signedIn('kim@example.com')
  const admin = await signedInAs(t, 'admin')
  await admin.post('/admin/impersonate-user', { userId: await idOf('kim@example.com') })
  expect((await admin.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(1)
  expect((await kim.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(1)
})

testOnBoth(
  'the list of own sign-ins shows at most the last twenty sign-ins of thirty days, and is read by an index',
  async () => {
    const max = await t.signedIn('max@example.com')
    const signIn = () => t.client().post('/sign-in/email', { email: 'max@example.com', password })
    for (let turn = 0; turn < 22; turn += 1) await signIn()
    expect((await max.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(20)
    await fill(t, 'event', 6_000, {
      ...{
        id: "'g' || n.n",
        type: "'session.started'",
        occurred_at: secondsIn2026,
        actor_kind: "'user'",
        actor_id: "'g' || n.n",
      },
      ...{
        subject_type: "'user'",
        subject_id: "'g' || n.n",
        address: "''",
        user_agent: "''",
        request_id: "'g' || n.n",
        data: "'{}'",
      },
    })
    const tables = ['event']
    expect(await planFaults(t, { tables, sorts: 'windows' }, () => max.request('/list-sign-ins'))).toEqual([])
    t.clock.advance({ days: 31 })
    await max.api.accounts.signInEmail({ body: { email: 'max@example.com', password } })
    expect((await max.api.ownSignIns.listOwnSignIns()).signIns).toHaveLength(1)
  },
)
