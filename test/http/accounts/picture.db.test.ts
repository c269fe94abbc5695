import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { imageOf } from '../../support/images.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

type Browser = Awaited<ReturnType<TestApp['signedIn']>>
const path = '/update-user/picture'
const send = (browser: Browser, bytes: Buffer, headers: Record<string, string> = {}) =>
  browser.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', origin: t.url, ...headers },
    body: new Uint8Array(bytes),
  })
const imageNow = async (browser: Browser) =>
  (await browser.api.sessions.getSession({ query: { disableCookieCache: 'true' } }))?.user.image
const kept = () => t.app.core.db.knex('image').where({ kind: 'user-picture' })

test('an uploaded picture becomes a square that this server serves, and the next upload gets another URL', async () => {
  const ann = await t.signedIn('ann@example.com')
  const { status, json } = await send(ann, await imageOf())
  expect(status).toBe(200)
  expect(json['image']).toMatch(new RegExp(`^${t.url}/images/`))
  expect(await imageNow(ann)).toBe(json['image'])
  const served = await fetch(String(json['image']))
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp'])
  const [row] = await kept()
  expect([Number(row.width), Number(row.height)]).toEqual([512, 512])
  const events = await t.app.core.db.knex('event').where({ type: 'user.updated' }).pluck('data')
  expect(events.map((data) => JSON.parse(data))).toContainEqual({ fields: ['image'] })

  const second = (await send(ann, await imageOf({ color: 'red' }))).json['image']
  expect(second).not.toBe(json['image'])
  expect(await kept()).toHaveLength(1)
  expect((await fetch(String(json['image']))).status).toBe(404)
})

test('a picture that was removed, or replaced by an external URL, is no longer served', async () => {
  const bob = await t.signedIn('bob@example.com')
  const address = String((await send(bob, await imageOf())).json['image'])
  expect((await bob.request(path, { method: 'DELETE', headers: { origin: t.url } })).status).toBe(200)
  expect(await imageNow(bob)).toBeNull()
  expect((await fetch(address)).status).toBe(404)

  const other = String((await send(bob, await imageOf())).json['image'])
  await bob.post('/update-user', { image: 'https://pictures.example/bob.png' })
  expect(await imageNow(bob)).toBe('https://pictures.example/bob.png')
  expect((await fetch(other)).status).toBe(404)
})

test('the picture of a deleted user is deleted', async () => {
  const eve = await t.signedIn('eve@example.com')
  const address = String((await send(eve, await imageOf())).json['image'])
  expect((await eve.post('/delete-user', {})).status).toBe(200)
  expect((await fetch(address)).status).toBe(404)
})

test('a file that is too long or not a picture, and an upload by another site or an anonymous caller, are refused without a change', async () => {
  const ann = await t.signedIn('last@example.com')
  const picture = await imageOf()
  const outcome = async (answer: Promise<{ status: number; json: Record<string, unknown> }>) => {
    const { status, json } = await answer
    return [status, json['code']]
  }
  expect(await outcome(send(ann, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>')))).toEqual([400, 'INVALID_IMAGE'])
  expect(await outcome(send(ann, Buffer.alloc(5_000_001)))).toEqual([413, 'BODY_TOO_LARGE'])
  expect(await outcome(send(ann, picture, { origin: 'https://evil.example' }))).toEqual([403, 'INVALID_ORIGIN'])
  expect(await outcome(send(t.client() as Browser, picture))).toEqual([401, 'UNAUTHORIZED'])
  expect(await imageNow(ann)).toBeNull()
})
