import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { lockRow, type Tx } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, sessions: { cookieCacheSeconds: 60 }, social: { github: github.section } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

type Browser = ReturnType<TestApp['client']>
const start = { provider: 'github', callbackURL: '/account' }
const userOf = async (client: Browser) => (await client.api.sessions.getSession())?.user

/** Returns from the provider while another request that did `work` has not committed yet. */
const arriveWhile = async (client: Browser, back: string, userId: string, work: (tx: Tx) => Promise<unknown>) => {
  const { transact } = t.app.core
  let waiting: ReturnType<Browser['request']> | undefined
  await transact(async (tx) => {
    await lockRow(tx, 'user', userId)
    await work(tx)
    waiting = client.request(back)
    await wait(400)
  })
  if (waiting === undefined) throw new Error('no request is waiting')
  return waiting
}

test('a sign-in through a provider fails when its identity is unlinked at the same time', async () => {
  github.state.person = githubPerson(7001, 'una@example.com')
  const una = t.client()
  await signInAt(una, start)
  const id = (await userOf(una))?.id ?? ''
  await t.app.core.db.knex('user').where({ id }).update({ email: 'una@elsewhere.example' })
  const other = t.client()
  const back = await atProvider((await startAtProvider(other, start)).url)
  await arriveWhile(other, back, id, (tx) => tx.knex('account').where({ user_id: id }).delete())
  const user = await userOf(other)
  expect([user?.email, user?.id === id]).toEqual(['una@example.com', false])
})

test('linking a provider fails when the session ends at the same time', async () => {
  const udo = await t.signedIn('udo@example.com')
  github.state.person = githubPerson(7002, 'udo@example.com')
  const id = (await userOf(udo))?.id ?? ''
  const back = await atProvider((await startAtProvider(udo, start, '/link-social')).url)
  const answer = await arriveWhile(udo, back, id, (tx) => t.app.sessions.endAll(tx, systemPrincipal('test'), id))
  expect(errorOf(answer)).toMatch(/^unable_to_link_account$|^please_restart_the_process$/)
  expect(await t.app.core.db.knex('account').where({ user_id: id, provider_id: 'github' })).toEqual([])
})

test('a browser with a cached session shows the email address as verified once the provider account is linked', async () => {
  const uta = await t.signedIn('uta@example.com')
  github.state.person = githubPerson(7003, 'uta@example.com')
  const back = await atProvider((await startAtProvider(uta, start, '/link-social')).url)
  expect((await userOf(uta))?.emailVerified).toBe(false)
  await uta.request(back)
  expect((await userOf(uta))?.emailVerified).toBe(true)
})
