import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { imageOf, svgOf } from '../../support/images.ts'

let t: TestApp
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-brand-'))
const write = (name: string, bytes: Buffer | string) => {
  const path = join(directory, name)
  writeFileSync(path, bytes)
  return path
}
/** The header of a font: signature, type, and length of the file. */
const fontOf = (length: number) => {
  const font = Buffer.alloc(length)
  font.write('wOF2', 'latin1')
  font.writeUInt32BE(length, 8)
  return font
}
const links = { privacy: 'https://northwind.example/privacy', support: 'mailto:help@northwind.example' }
let brand: Record<string, unknown>

beforeAll(async () => {
  brand = {
    ...{ name: 'Northwind <&>', color: '#0B1F4D', radius: 'round', background: 'plain', poweredBy: true, links },
    logo: write('logo.svg', svgOf('<rect width="40" height="20" fill="#0b1f4d"/>')),
    logoDark: write('logo-dark.png', await imageOf({ width: 80, height: 40 })),
    icon: write('icon.png', await imageOf({ width: 64, height: 64 })),
    font: write('font.woff2', fontOf(200)),
  }
  t = await testApp({ config: { brand } })
})
afterAll(async () => {
  await t.stop()
  rmSync(directory, { recursive: true })
})

interface Shown {
  readonly name: string
  readonly brand: Record<'version' | 'logo' | 'logoDark' | 'icon', string> & Record<string, unknown>
}
const shown = async (app = t) => (await app.client().request('/hosted/settings')).json as unknown as Shown

testOnBoth('the pages get name, images, links and version of the brand, and the images are served', async () => {
  const { name, brand: got } = await shown()
  expect(name).toBe('Northwind <&>')
  expect(got).toMatchObject({ isNamed: true, background: 'plain', poweredBy: true, links })
  const types = await Promise.all(
    [got.logo, got.logoDark, got.icon].map(async (path) => (await fetch(new URL(path, t.url))).headers.get('content-type')),
  )
  expect(types).toEqual(['image/svg+xml', 'image/png', 'image/png'])
})

test('an SVG logo also has a bitmap for mails', async () => {
  const { logo } = t.app.brand.current()
  const answer = await fetch(logo?.bitmapUrl ?? '')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
})

testOnBoth(
  '/brand.css has the colours for light and dark, the corners and the font, and shows a change of the brand at once',
  async () => {
    const client = t.client()
    const { version } = (await shown()).brand
    const sheet = await client.request('/brand.css')
    expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(sheet.headers.get('cache-control')).toBe('public, no-cache')
    expect(sheet.text).toContain('--accent-fill:#0b1f4d')
    expect(sheet.text).toContain('@media (prefers-color-scheme:dark){:root:root{')
    expect(sheet.text).toContain('--radius-m:1.4375rem')
    expect(sheet.text.length).toBeLessThan(3_000)
    const etag = sheet.headers.get('etag') ?? ''
    expect((await client.request('/brand.css', { headers: { 'if-none-match': etag } })).status).toBe(304)
    const named = await client.request(`/brand.css?v=${version}`)
    expect(named.headers.get('cache-control')).toContain('immutable')
    expect((await client.request('/brand.css?v=another')).headers.get('cache-control')).toBe('public, no-cache')

    const other = await t.node({ brand: { ...brand, color: '#f7c6d9' } })
    expect((await shown(other)).brand.version).not.toBe(version)
    expect((await other.client().request('/brand.css', { headers: { 'if-none-match': etag } })).status).toBe(200)
    await other.stop()
  },
)

test("/brand.css for an application has the application's colour and all other values of the brand", async () => {
  const client = t.client()
  const { version } = (await shown()).brand
  const own = await client.request(`/brand.css?v=${version}`)
  const sheet = await client.request(`/brand.css?v=${version}&color=b3261e`)
  expect(sheet.text).toContain('--accent-fill:#b3261e')
  expect(sheet.text).not.toContain('#0b1f4d')
  expect(sheet.text).toContain('--radius-m:1.4375rem')
  expect(sheet.headers.get('cache-control')).toContain('immutable')
  expect(sheet.headers.get('etag')).not.toBe(own.headers.get('etag'))
  const etag = sheet.headers.get('etag') ?? ''
  expect((await client.request('/brand.css?color=b3261e', { headers: { 'if-none-match': etag } })).status).toBe(304)
  for (const color of ['red', 'B3261E', 'b3261e;}', '%23b3261e', ''])
    expect((await client.request(`/brand.css?color=${color}`)).status, color).toBe(400)
})

test('the font is served by this server, and cached by its version', async () => {
  const { text } = await t.client().request('/brand.css')
  const path = /url\("([^"]+)"\)/.exec(text)?.[1] ?? ''
  const answer = await t.client().request(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'font/woff2'])
  expect(answer.headers.get('cache-control')).toContain('immutable')
})

test('a page has name, icon and style sheet of the brand before a script runs', async () => {
  const { brand: got } = await shown()
  const { text } = await t.client().request('/sign-in', { headers: { accept: 'text/html' } })
  expect(text).toContain('<title>Sign in · Northwind &lt;&amp;&gt;</title>')
  expect(text).toContain(`<link rel="icon" href="${got.icon}" />`)
  expect(text).toContain(`<style>${(await t.client().request('/brand.css')).text}</style>`)
})

testOnBoth('another node with the same brand processes no image again and serves the images at the same addresses', async () => {
  const rows = () => t.app.core.db.knex('image').orderBy('id').select('id', 'created_at')
  const before = await rows()
  const node = await t.node()
  expect((await shown(node)).brand).toEqual((await shown()).brand)
  expect(await rows()).toEqual(before)
  await node.stop()
})

test('an instance without a brand overrides no style, has no font, and is named gatehouse', async () => {
  const plain = await testApp()
  const sheet = await plain.client().request('/brand.css')
  expect([sheet.status, sheet.text.trim()]).toEqual([200, ''])
  expect((await plain.client().request('/brand/font.woff2')).json['code']).toBe('NOT_FOUND')
  const got = await shown(plain)
  expect([got.name, got.brand['isNamed'], got.brand.logo]).toEqual(['gatehouse', false, null])
  await plain.stop()
})

test.for<[key: string, value: () => string, says: string]>([
  ['logo', () => write('script.svg', svgOf('<script/>')), 'has <script>'],
  ['logo', () => write('text.png', 'this is text and no image'), 'is no PNG'],
  ['logo', () => join(directory, 'missing.png'), 'does not exist'],
  ['icon', () => write('empty.png', ''), 'is no PNG'],
  ['logo', () => write('large.png', Buffer.alloc(5_000_001)), 'has 5000001 bytes'],
  ['font', () => write('font.ttf', Buffer.alloc(100)), 'is no WOFF2 font'],
  ['font', () => write('cut.woff2', fontOf(200).subarray(0, 100)), 'is cut off'],
])('a brand.%s that is not a valid file stops the start, and the message names the key', async ([key, value, says]) => {
  await expect(testApp({ config: { brand: { [key]: value() } } })).rejects.toThrow(
    new RegExp(`brand\\.${key}[^]*${says.replace(/[()<>]/g, '\\$&')}`),
  )
})

test('a brand image whose end is damaged stops the start, and the message names the key', async () => {
  const cut = (await imageOf({ width: 400, height: 400, color: '#123456' })).subarray(0, 60)
  await expect(testApp({ config: { brand: { icon: write('cut.png', cut) } } })).rejects.toThrow('brand.icon: Invalid image')
})

testOnBoth(
  "images of an earlier brand are deleted 90 days after their last use, and images of a running node's brand stay",
  async () => {
    const earlier = write('earlier.png', await imageOf({ color: 'orange' }))
    const node = await t.node({ brand: { ...brand, logo: earlier } })
    const own = async ({ app }: TestApp) =>
      (await t.client().request(new URL(app.brand.current().logo?.url ?? '').pathname)).status
    const rows = async () => Number((await t.app.core.db.knex('image').count({ count: '*' }).first())?.['count'])
    const before = await rows()
    const everyThirtyDays = async (nodes: readonly TestApp[]) => {
      t.clock.advance({ days: 31 })
      for (const { app } of nodes) await app.brand.prepare()
      for (const { app } of nodes) await app.images.retention.sweep()
    }
    // Two nodes with different brands run at the same time, for as long as an upgrade takes.
    for (const _ of [1, 2, 3, 4]) await everyThirtyDays([t, node])
    expect([await own(t), await own(node), await rows()]).toEqual([200, 200, before])
    await node.stop()
    await everyThirtyDays([t])
    await everyThirtyDays([t])
    expect(await rows()).toBe(before)
    await everyThirtyDays([t])
    expect([await own(t), await own(node), await rows()]).toEqual([200, 404, before - 1])
    // The node starts again, and finds the images of its brand again.
    const back = await t.node({ brand: { ...brand, logo: earlier } })
    expect(await own(back)).toBe(200)
    await back.stop()
  },
)

test('images of people, organizations and applications are not deleted with brand images, however old they are', async () => {
  const prepared = await t.app.images.prepare({ kind: 'client-logo', ownerId: 'old' }, await imageOf({ color: 'pink' }))
  const { url } = await t.app.core.transact((tx) => t.app.images.put(tx, prepared))
  t.clock.advance({ days: 1000 })
  await t.app.brand.prepare()
  await t.app.images.retention.sweep()
  expect((await fetch(url)).status).toBe(200)
})

testOnBoth(
  'an uploaded brand image can be fetched immediately, and becomes the logo when a setting contains its reference',
  async () => {
    const admin = await signedInAs(t, 'admin')
    const upload = (kind: string, bytes: Buffer, by = admin) =>
      by.request(`/admin/brand/images?kind=${kind}`, { method: 'POST', body: new Uint8Array(bytes) })
    const bitmap = await upload('logo', await imageOf({ width: 120, height: 40, color: '#123456' }))
    const drawing = await upload('logo', svgOf('<rect width="40" height="20" fill="#123456"/>'))
    for (const [{ json }, type] of [
      [bitmap, 'image/png'],
      [drawing, 'image/svg+xml'],
    ] as const)
      expect((await fetch(String(json['url']))).headers.get('content-type')).toBe(type)
    const node = await t.node({ brand: { logo: bitmap.json['reference'], logoDark: drawing.json['reference'] } })
    expect(new URL((await shown(node)).brand.logo, t.url).href).toBe(bitmap.json['url'])
    expect(new URL((await shown(node)).brand.logoDark, t.url).href).toBe(drawing.json['url'])
    await node.stop()
    expect(await upload('logo', Buffer.from('no image'))).toMatchObject({ status: 400, json: { code: 'INVALID_IMAGE' } })
    const auditor = await signedInAs(t, 'auditor')
    expect((await upload('logo', await imageOf(), auditor)).status).toBe(403)
  },
)

testOnBoth('the brand omits an uploaded image that was deleted, and an invalid image reference is refused', async () => {
  const gone = `upload:bitmap:${'a'.repeat(64)}`
  const node = await t.node({ brand: { logo: gone, logoDark: undefined } })
  expect((await shown(node)).brand.logo).toBeNull()
  await node.stop()
  await expect(t.node({ brand: { logo: 'upload:bitmap:1', logoDark: undefined } })).rejects.toThrow()
})
