import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { statementsOf } from '../../support/statements.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const emails = ['ann', 'ben', 'cid', 'dot', 'eve', 'fay'].map((name) => `${name}@example.com`)

test('sessions read at the same time share statements, and each caller gets its own session', async () => {
  const browsers = await Promise.all(emails.map((email) => t.signedIn(email)))
  const asked = [...browsers, ...browsers]
  const answers: unknown[] = []
  const sent = await statementsOf(t, async () => {
    const found = await Promise.all(asked.map((browser) => browser.api.sessions.getSession()))
    answers.push(...found.map((one) => one?.user.email))
  })
  expect(answers).toEqual([...emails, ...emails])
  expect(sent.filter(({ sql }) => sql.includes('from session s')).length).toBeLessThan(asked.length)
})

test('an ended session is not found, even when other sessions are read at the same time', async () => {
  const [ended, ...others] = await Promise.all(emails.slice(0, 4).map((email) => t.signedIn(`2${email}`)))
  const ending = ended?.post('/sign-out')
  const before = others.map((browser) => browser.api.sessions.getSession())
  await ending
  const after = await Promise.all([
    ended?.api.sessions.getSession(),
    ...others.map((browser) => browser.api.sessions.getSession()),
  ])
  expect(after.map((one) => one?.user.email)).toEqual([undefined, ...emails.slice(1, 4).map((email) => `2${email}`)])
  await Promise.all(before)
})
