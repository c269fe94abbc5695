import { afterAll, beforeAll, expect } from 'vitest'
import type { ImageOwner } from '../../../src/images/index.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { imageOf, svgOf } from '../../support/images.ts'
import { register } from '../oidc/flow.ts'
import { operator, owner as ownerOf, userOf } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const put = async (owner: ImageOwner, source: Buffer, app = t.app) => {
  const prepared = await app.images.prepare(owner, source)
  return app.core.transact((tx) => app.images.put(tx, prepared))
}
const rowsOf = (ownerId: string) => t.app.core.db.knex('image').where({ owner_id: ownerId })
const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })

test('an image is served to everybody at its own address, cached by browsers and without a cookie', async () => {
  const { url, width } = await put({ kind: 'client-logo', ownerId: 'served' }, await imageOf())
  expect(url).toMatch(/^http:\/\/localhost:\d+\/images\/[A-Za-z0-9]{32}$/)
  expect(width).toBe(512)
  const answer = await get(url)
  const named = (name: string) => answer.headers.get(name)
  expect([answer.status, named('content-type'), named('x-content-type-options')]).toEqual([200, 'image/png', 'nosniff'])
  expect(named('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(named('cross-origin-resource-policy')).toBe('cross-origin')
  expect(named('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
  expect(named('set-cookie')).toBeNull()
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
  const again = await get(url, { 'if-none-match': named('etag') ?? '' })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, Number(head.headers.get('content-length')) > 0, await head.text()]).toEqual([200, true, ''])
})

test('an unknown image address is not found', async () => {
  for (const id of ['a', '0'.repeat(32), '..%2f..%2fetc']) expect((await t.client().request(`/images/${id}`)).status).toBe(404)
  await expect(t.client().api.images.getImage({ params: { id: 'a' } })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a replaced image gets another URL, and the old URL is not found', async () => {
  const owner = { kind: 'client-logo', ownerId: 'replaced' } as const
  const first = await put(owner, await imageOf({ color: 'red' }))
  const second = await put(owner, await imageOf({ color: 'blue' }))
  expect(second.id).not.toBe(first.id)
  expect(await rowsOf('replaced').select('id')).toEqual([{ id: second.id }])
  expect([(await get(first.url)).status, (await get(second.url)).status]).toEqual([404, 200])
  expect(await t.app.images.find(t.app.core.db, owner)).toEqual(second)
})

test('an upload of the same bytes is not processed again and keeps its URL', async () => {
  const owner = { kind: 'client-logo', ownerId: 'same' } as const
  const source = await imageOf({ color: 'green' })
  const first = await put(owner, source)
  // These bytes can only come from the stored image.
  await t.app.core.transact((tx) =>
    tx
      .knex('image')
      .where({ owner_id: 'same' })
      .update({ bytes: Buffer.from('as it was kept') }),
  )
  expect((await t.app.images.prepare(owner, source)).bytes.toString()).toBe('as it was kept')
  expect(await put(owner, source)).toEqual(first)
})

testOnBoth('two simultaneous uploads leave one image of an owner, and the same bytes have one URL', async () => {
  const source = await imageOf({ color: 'teal' })
  const twice = await Promise.all([1, 2].map(() => put({ kind: 'brand-logo', ownerId: 'twice' }, source)))
  expect(twice[0]).toEqual(twice[1])
  const others = await Promise.all([imageOf({ color: 'navy' }), imageOf({ color: 'gold' })])
  await Promise.all(others.map((other) => put({ kind: 'user-picture', ownerId: 'two' }, other)))
  expect(await rowsOf('two').select('kind')).toEqual([{ kind: 'user-picture' }])
})

test('an unreadable picture is refused, and the former picture stays', async () => {
  const owner = { kind: 'user-picture', ownerId: 'kept' } as const
  const { url } = await put(owner, await imageOf())
  await expect(put(owner, Buffer.from('no image at all, is it?'))).rejects.toMatchObject({ code: 'INVALID_IMAGE' })
  expect((await get(url)).status).toBe(200)
})

test("an operator's SVG is served unchanged, and as a bitmap elsewhere, and an SVG with active content is refused", async () => {
  const { images, core } = t.app
  const source = svgOf('<rect width="40" height="20"/>')
  const owner = { kind: 'brand-logo', ownerId: 'svg' } as const
  const prepared = await images.prepareSvg(owner, source)
  const { url, ...size } = await core.transact((tx) => images.put(tx, prepared))
  expect(size).toMatchObject({ width: 40, height: 20 })
  const answer = await get(url)
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['image/svg+xml', source.toString()])
  expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  expect(await images.prepareDrawn(owner, source)).toMatchObject({ mediaType: 'image/png', height: 240 })
  const script = svgOf('<script/>')
  await expect(images.prepareSvg(owner, script)).rejects.toMatchObject({ code: 'INVALID_IMAGE' })
  await expect(images.prepareDrawn(owner, script)).rejects.toMatchObject({ code: 'INVALID_IMAGE' })
  await expect(images.prepare(owner, source)).rejects.toMatchObject({ code: 'INVALID_IMAGE' })
})

testOnBoth('the image of a deleted person, organization or application is deleted', async () => {
  const ann = await t.signedIn('ann@example.com')
  const { id } = await userOf(ann)
  const { organizationId } = await ownerOf(t, 'owner@example.com', 'acme')
  const shop = await register(t)
  const owners: readonly ImageOwner[] = [
    { kind: 'user-picture', ownerId: id },
    { kind: 'organization-logo', ownerId: organizationId },
    { kind: 'client-logo', ownerId: shop.clientId },
  ]
  const source = await imageOf()
  const kept = await Promise.all(owners.map((owner) => put(owner, source)))
  await ann.api.deletion.deleteUser({ body: { password } })
  await t.app.organizations.removeById(operator, organizationId)
  await t.app.oidc.applications.remove(operator, shop.clientId)
  for (const { url } of kept) expect((await get(url)).status).toBe(404)
})
