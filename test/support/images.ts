/** Makes images for tests with the library that also reads them. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

interface Wanted {
  readonly width?: number
  readonly height?: number
  readonly format?: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'
  readonly color?: string
}

export const imageOf = ({ width = 40, height = 20, format = 'png', color = '#0a7' }: Wanted = {}): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background: color } })
    .toFormat(format)
    .toBuffer()

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG of a few hundred bytes with so many pixels in its header. */
export const bombOf = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const svgOf = (inner: string, root = 'viewBox="0 0 40 20"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inner}</svg>`)
