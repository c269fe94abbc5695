/** Settings stored by administrators whose basis (a session, a role) ends between the check of the call and its commit. */
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

/** Each scene stores a different value. */
const changing = async (email: string): Promise<Scene> => {
  const browser = await signedInAs(two, 'admin', email)
  const body = JSON.stringify({ set: { 'brand.name': email } })
  const act = () => browser.request('/admin/settings', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body })
  return { email, browser, about: email, act }
}
/** Each scene applies a different declaration, which its administrator has confirmed. */
const applying = async (email: string): Promise<Scene> => {
  const browser = await signedInAs(two, 'admin', email)
  const declaration = JSON.stringify({
    source: email,
    settings: { 'brand.name': email },
    organizations: { [email.split('@')[0] ?? '']: { name: 'Acme' } },
  })
  const send = (more: object) => browser.post('/admin/declarations/apply', { declaration, ...more })
  const { digest: expected } = (await send({ dryRun: true })).json
  return { email, browser, about: email, act: () => send({ expected }) }
}
const isApplied = async (scene: Scene) =>
  (await isStored(scene)) ||
  (await one.app.core.db.knex('organization').where({ slug: scene.email.split('@')[0] })).length > 0 ||
  (await one.app.core.db.knex('applied_object').where({ source: scene.email })).length > 0
/** Each scene creates a webhook endpoint of its own, with a secret. */
const forging = async (email: string): Promise<Scene> => {
  const browser = await signedInAs(two, 'admin', email)
  const name = email.split('@')[0] ?? ''
  return { email, browser, about: name, act: () => browser.post('/admin/billing/webhook-endpoints', { name }) }
}
const hasEndpoint = async ({ about = '' }: Scene) => (await one.app.billing.endpoints.find(about, '')) !== undefined
/** Returns whether the change was stored. */
const isStored = async ({ about }: Scene) =>
  (await one.app.settings.read()).settings.some(({ key, value }) => key === 'brand.name' && value === about)

describe('settings of an administrator when the session or role ends before the commit', () => {
  const rows: Readonly<Record<string, Row>> = {
    'an administrator whose session ends meanwhile cannot store a setting': {
      ...{ scene: changing, end: ends.sessions, answer: [401, 'UNAUTHORIZED'], left: isStored, leaves: false },
    },
    'an administrator who loses the role meanwhile cannot store a setting': {
      ...{ scene: changing, end: ends.role, answer: [403, 'FORBIDDEN'], left: isStored, leaves: false },
    },
    'an administrator whose session ends meanwhile cannot apply a declaration': {
      ...{ scene: applying, end: ends.sessions, answer: [401, 'UNAUTHORIZED'], left: isApplied, leaves: false },
    },
    'an administrator who loses the role meanwhile cannot apply a declaration': {
      ...{ scene: applying, end: ends.role, answer: [403, 'FORBIDDEN'], left: isApplied, leaves: false },
    },
    'an administrator whose session ends meanwhile cannot add a webhook endpoint': {
      ...{ scene: forging, end: ends.sessions, answer: [401, 'UNAUTHORIZED'], left: hasEndpoint, leaves: false },
    },
  }
  testRows(() => [one, two], rows)
})
