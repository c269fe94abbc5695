import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { createBitmaps } from '../../../src/images/bitmap.ts'
import { recipes } from '../../../src/images/rules.ts'
import { bombOf, imageOf, svgOf } from '../../support/images.ts'

const bitmaps = createBitmaps()
const picture = (source: Buffer) => bitmaps.encode(source, recipes['user-picture'])

test.for(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('a picture of a person as %s becomes a square WebP', async (format) => {
  const { mediaType, width, height, bytes } = await picture(await imageOf({ width: 900, height: 600, format }))
  expect({ mediaType, width, height }).toEqual({ mediaType: 'image/webp', width: 512, height: 512 })
  expect((await sharp(bytes).metadata()).format).toBe('webp')
})

test('a logo keeps its proportions and its transparency, and is not enlarged', async () => {
  const logo = recipes['brand-logo']
  expect(await bitmaps.encode(await imageOf({ width: 1600, height: 240 }), logo)).toMatchObject({ width: 800, height: 120 })
  const { bytes, ...size } = await bitmaps.encode(await imageOf({ width: 30, height: 10, color: 'rgba(0,0,0,0)' }), logo)
  expect(size).toMatchObject({ mediaType: 'image/png', width: 30, height: 10 })
  expect((await sharp(bytes).stats()).isOpaque).toBe(false)
})

test('a stored image has no metadata of the source, and its orientation is applied', async () => {
  const photo = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
    .jpeg()
    .withExif({ IFD0: { Copyright: 'Ann Example' }, IFD3: { GPSLatitude: '52/1' } })
    .withMetadata({ orientation: 6 })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .toBuffer()
  expect((await sharp(photo).metadata()).exif).toBeDefined()
  const { bytes, width, height } = await bitmaps.encode(photo, recipes['brand-logo'])
  expect([width, height]).toEqual([20, 40])
  const kept = await sharp(bytes).metadata()
  expect([kept.exif, kept.xmp, kept.icc, kept.orientation]).toEqual([undefined, undefined, undefined, undefined])
  expect(bytes.includes('Ann Example')).toBe(false)
})

test('the first frame of an animated picture is stored', async () => {
  const frames = Buffer.concat([Buffer.alloc(16 * 16 * 3, 0), Buffer.alloc(16 * 16 * 3, 255)])
  const gif = await sharp(frames, { raw: { width: 16, height: 32, channels: 3, pageHeight: 16 } })
    .gif()
    .toBuffer()
  expect((await sharp(gif).metadata()).pages).toBe(2)
  const { bytes, height } = await bitmaps.encode(gif, recipes['brand-logo'])
  expect(height).toBe(16)
  expect((await sharp(bytes).stats()).channels[0]?.max).toBe(0)
})

describe('refused image files', () => {
  const hostile: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
    'an empty file': () => Buffer.alloc(0),
    'a few bytes': () => Buffer.from('\x89PNG'),
    text: () => Buffer.from('hello, this is no image at all'),
    'a page of HTML': () => Buffer.from('<!doctype html><script>alert(1)</script>'),
    'an SVG': () => svgOf('<rect width="4" height="4"/>'),
    'a PDF': () => Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n'),
    'a TIFF': () =>
      sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
        .tiff()
        .toBuffer(),
    'a gzip file': () => gzipSync('hello'),
    'a truncated PNG': async () => (await imageOf({ width: 400, height: 400, color: '#123456' })).subarray(0, 60),
    'a truncated JPEG': async () => (await imageOf({ width: 400, height: 400, format: 'jpeg' })).subarray(0, 700),
    'the signature of a PNG followed by a page of HTML': () =>
      Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('<script>alert(1)</script>')]),
    'the signature of a JPEG followed by an SVG': () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), svgOf('<rect/>')]),
    'a PNG of 2,500 million pixels in a few hundred bytes': () => bombOf(50_000, 50_000),
    'a PNG of 26 million pixels': () => bombOf(26_000, 1_000),
    'a file of more than 5 MB': async () => Buffer.concat([await imageOf(), Buffer.alloc(5_000_000)]),
  }
  for (const [name, make] of Object.entries(hostile))
    test(`${name} is refused as an image, and nothing of it is stored`, async () => {
      await expect(picture(await make())).rejects.toMatchObject({ code: 'INVALID_IMAGE', status: 400 })
    })

  test('an image with an appended page of HTML is stored without the page', async () => {
    const { bytes } = await picture(Buffer.concat([await imageOf(), Buffer.from('<script>alert(1)</script>')]))
    expect(bytes.includes('<script>')).toBe(false)
  })
})

test('images are read one after the other, and an image too many is refused with a time to retry', async () => {
  const source = await imageOf({ width: 800, height: 800 })
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => picture(source)))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  expect(refused).toHaveLength(4)
  for (const error of refused) expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await expect(picture(source)).resolves.toMatchObject({ width: 512 })
})

test('an SVG is drawn at the size that is stored', async () => {
  const { bytes, ...rest } = await bitmaps.draw(svgOf('<rect width="40" height="20" fill="#f00"/>'), recipes['brand-logo'])
  expect(rest).toEqual({ mediaType: 'image/png', width: 480, height: 240 })
  expect((await sharp(bytes).stats()).dominant.r).toBeGreaterThan(200)
})

test('a logo becomes a square that shows the whole logo on a transparent ground', async () => {
  const { bytes, width, height } = await bitmaps.encode(
    await imageOf({ width: 100, height: 20, color: '#f00' }),
    recipes['client-logo'],
  )
  expect([width, height]).toEqual([512, 512])
  const { data } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * 512 + x) * 4, (y * 512 + x) * 4 + 4)]
  expect(at(256, 256)).toEqual([255, 0, 0, 255])
  expect(at(2, 256)).toEqual([255, 0, 0, 255])
  expect(at(256, 10)[3]).toBe(0)
})
