/** Makes each administration call and reads the events that it recorded: type, actor, subject, request and reason. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'
import { userOf } from '../organizations/people.ts'
import { type Call, configOf, createRecipes } from './recipes.ts'
import { endpoints } from './rows.ts'

const backups = temporaryDirectory()

let t: TestApp
let smtp: Smtp
let recipes: Readonly<Record<string, () => Promise<Call>>>
let admin: Client
let adminId: string
beforeAll(async () => {
  smtp = await startSmtp()
  t = await testApp({ config: configOf(smtp, backups) })
  admin = await signedInAs(t, 'admin')
  adminId = (await userOf(admin)).id
  recipes = createRecipes(t, admin, smtp)
})
afterAll(async () => {
  await t.stop()
  await smtp.stop()
})

let count = 0
const next = (name: string) => {
  count += 1
  return `${name}${count}`
}

const rows = Object.entries(endpoints).flatMap(([name, row]) =>
  name.includes(' /admin/') && typeof row !== 'string' ? [[name, row] as const] : [],
)

test('each administration call that records an event has a row in this test', () => {
  expect(Object.keys(recipes).toSorted()).toEqual(rows.map(([name]) => name).toSorted())
})

test.each(rows)('the event of %s records actor, action, subject, request and the given reason', async (name, types) => {
  const { path, body, file, subject, by = admin, actor = adminId } = (await recipes[name]?.()) ?? { path: '' }
  const [reason, request] = [`Ticket ${next('')}`, next('request-')]
  const method = name.split(' ')[0] ?? ''
  const headers = { 'gatehouse-reason': reason, 'x-request-id': request, 'content-type': 'application/json' }
  const answer = await by.request(path, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file === undefined ? {} : { body: new Uint8Array(file) }),
  })
  expect(answer.status, answer.text).toBeLessThan(300)
  const events = await t.app.audit.list({ request }, 50)
  const event = events.find(({ type }) => types.includes(type))
  expect(event, events.map(({ type }) => type).join(', ')).toMatchObject({ actorKind: 'user', actorId: actor, reason })
  if (subject !== undefined) expect(event?.subjectId).toBe(subject)
  expect((await t.app.audit.list({ reason }, 50)).map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort())
})
