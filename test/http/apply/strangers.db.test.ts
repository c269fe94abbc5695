/** Long bodies of strangers do not use up the memory for bodies of administrators and uploads. */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const path = '/admin/declarations/apply'
const begun: ClientRequest[] = []
/** Sends all but the last byte of an announced body. */
const begin = async (headers: Readonly<Record<string, string>>) => {
  const sent = request(t.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '2000000', ...headers },
  })
  begun.push(sent)
  sent.on('error', () => undefined)
  sent.write('a'.repeat(1_999_999))
  return sent
}

test('long unfinished bodies of strangers are refused at once, and do not keep an administrator from sending a long body', async () => {
  // No race in the database: strangers are refused before their bodies arrive.
  const credentials = [
    {},
    { authorization: `Bearer ${'x'.repeat(40)}` },
    { cookie: 'gatehouse.session=forged.signature', origin: t.url },
  ]
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const sent = await begin(credentials[i % 3] ?? {})
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return answer.statusCode
    }),
  )
  expect(new Set(answers)).toEqual(new Set([401]))
  const declaration = `source: long\n${'#'.repeat(900_000)}`
  expect((await admin.post(path, { declaration, dryRun: true })).status).toBe(200)
  for (const sent of begun) sent.destroy()
})
