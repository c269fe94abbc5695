/** What administrators store as settings, while what they rest on ends between their check and their commit. */
import { afterAll, beforeAll, describe } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { endings, type Row, type Scene, testRows } from './ending.ts'

let one: TestApp
let two: TestApp
beforeAll(async () => {
  one = await testApp({
    config: {
      ...{ trustedOrigins: ['http://localhost:*'], limits: { enabled: 'off' } },
      admin: { trustedOrigins: ['http://localhost:*'] },
    },
  })
  two = await one.node()
  one.clock.hold()
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

const ends = endings(() => one)

/** Everybody stores another value. */
const changing = async (email: string): Promise<Scene> => {
  const browser = await signedInAs(two, 'admin', email)
  const body = JSON.stringify({ set: { 'brand.name': email } })
  const act = () => browser.request('/admin/settings', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body })
  return { email, browser, about: email, act }
}
/** Whether the change was stored. */
const isStored = async ({ about }: Scene) =>
  (await one.app.settings.read()).settings.some(({ key, value }) => key === 'brand.name' && value === about)

describe('an administrator', () => {
  const rows: Readonly<Record<string, Row>> = {
    'an administrator whose session has ended meanwhile stores no setting': {
      ...{ scene: changing, end: ends.sessions, answer: [401, 'UNAUTHORIZED'], left: isStored, leaves: false },
    },
    'an administrator whose role is taken away meanwhile stores no setting': {
      ...{ scene: changing, end: ends.role, answer: [403, 'FORBIDDEN'], left: isStored, leaves: false },
    },
  }
  testRows(() => [one, two], rows)
})
