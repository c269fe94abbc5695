/** Compressed answers: administration lists, and no answer that contains secrets or ids that give access. */
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCompressible } from '../../../src/http/response.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  for (let n = 0; n < 12; n += 1) await t.signedIn(`person${n}@example.com`, `Person ${n}`)
})
afterAll(() => t.stop())

interface Raw {
  readonly encoding: string | undefined
  readonly vary: string
  readonly body: Buffer
}

const get = (path: string, encoding: string | undefined): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: t.url, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) }
    const call = request(`${t.url}${path}`, { headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const body = Buffer.concat(chunks)
        expect(answer.headers['content-length']).toBe(String(body.length))
        resolve({ encoding: answer.headers['content-encoding'], vary: String(answer.headers['vary']), body })
      })
    })
    call.on('error', reject)
    call.end()
  })

test('a long administration list is compressed for a client that accepts compression, with the same content', async () => {
  const [packed, plain] = [await get('/admin/users', 'br, gzip;q=0.5'), await get('/admin/users', undefined)]
  expect([packed.encoding, plain.encoding]).toEqual(['gzip', undefined])
  expect([packed.vary, plain.vary]).toEqual([
    expect.stringContaining('Accept-Encoding'),
    expect.stringContaining('Accept-Encoding'),
  ])
  expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString())
  expect(packed.body.length * 3).toBeLessThan(plain.body.length)
  for (const refused of ['gzip;q=0', 'identity', 'gzip; q=0.0'])
    expect((await get('/admin/users', refused)).encoding).toBeUndefined()
})

test('a short answer, a session, and an answer with ids that give access are not compressed', async () => {
  for (const path of ['/admin/users?search=nobody-at-all', '/get-session', '/admin/invitations', '/list-sessions'])
    expect([path, (await get(path, 'gzip')).encoding]).toEqual([path, undefined])
})

test("only responses to administrators' reads are ever compressed: no change, no stream, no call of an account", () => {
  const compressed = t.app.routes.filter(({ endpoint }) => isCompressible(endpoint)).map(({ endpoint }) => endpoint)
  expect(compressed.length).toBeGreaterThan(40)
  for (const { method, path, access, startsSession } of compressed) {
    expect([path, method, startsSession]).toEqual([path, 'GET', undefined])
    expect(path).toMatch(/^\/admin\//)
    expect(path).not.toMatch(/invitations|stream|content|verification/)
    expect(access).toHaveProperty('permission')
  }
})
