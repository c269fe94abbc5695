import { crc32 } from 'node:zlib'
import { Trailer } from '../rules/format.ts'

/**
 * Makes a gzip member that contains the text uncompressed. Every gzip reader accepts such a member (RFC 1952, section 2.2). A text always
 * gives the same bytes.
 */
const storedMember = (text: string): Buffer => {
  const body = Buffer.from(text)
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 0, 0, 0, 0])
  head.writeUInt16LE(body.length, 11)
  head.writeUInt16LE(body.length ^ 0xffff, 13)
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc32(body), 0)
  tail.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, tail])
}

/** The bytes of the trailer, which are the last bytes of a backup. */
export const encodeTrailer = (trailer: Trailer): Buffer => storedMember(`${JSON.stringify(trailer)}\n`)

const around = { before: 15, behind: 8 }

/** Length of the trailer in bytes. It is the same for all backups. */
export const trailerLength = encodeTrailer({
  gatehouseBackupEnd: 1,
  sha256: '0'.repeat(64),
  mac: Buffer.alloc(32).toString('base64'),
}).length

/** Parses the last bytes of a file as the trailer. Undefined if they differ in any bit from what `encodeTrailer` writes. */
export const decodeTrailer = (bytes: Buffer): Trailer | undefined => {
  if (bytes.length !== trailerLength) return undefined
  try {
    const text = bytes.subarray(around.before, -around.behind).toString('utf8')
    const { gatehouseBackupEnd, sha256, mac } = Trailer.parse(JSON.parse(text))
    const trailer: Trailer = { gatehouseBackupEnd, sha256, mac }
    return encodeTrailer(trailer).equals(bytes) ? trailer : undefined
  } catch {
    return undefined
  }
}
