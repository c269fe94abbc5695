import { z } from 'zod'
import { sha256 } from '../../../../core/crypto.ts'

/** The length of the header in bytes. The pages begin after it. */
export const headerBytes = 512
const magic = 'gatehouse-breached '
/** The version of the file format. Files of version 1 had another structure (a Bloom filter). */
const version = '2'
const hashLength = 64

const BreachedHeader = z.strictObject({
  entries: z.int().min(1),
  minimumCount: z.int().min(1),
  createdAt: z.iso.datetime(),
})
/** The header of a file of breached passwords. */
export type BreachedHeader = z.output<typeof BreachedHeader>

/** Thrown if the list cannot be used. The message contains the reason. */
export class BreachedListError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BreachedListError'
  }
}

/** Makes the bytes of the header: a line with the version, a line with a hash of everything after it, and JSON that is padded with blanks. */
export const encodeHeader = (header: BreachedHeader): Buffer => {
  const first = `${magic}${version}\n`
  const body = `${JSON.stringify(header).padEnd(headerBytes - first.length - hashLength - 2)}\n`
  return Buffer.from(`${first}${sha256(body)}\n${body}`, 'latin1')
}

/** Reads the header of a file. Throws `BreachedListError` if it is invalid. */
export const decodeHeader = (bytes: Buffer): BreachedHeader => {
  const text = bytes.toString('latin1')
  const [first = '', hash = ''] = text.split('\n', 2)
  if (!first.startsWith(magic)) throw new BreachedListError('is no list of breached passwords')
  if (first !== `${magic}${version}`) throw new BreachedListError('has the form of another version of gatehouse')
  const body = text.slice(first.length + hash.length + 2)
  if (bytes.length !== headerBytes || sha256(body) !== hash)
    throw new BreachedListError('is damaged: its header does not fit its checksum')
  const header = BreachedHeader.safeParse(JSON.parse(body))
  if (!header.success) throw new BreachedListError('is damaged: its header makes no sense')
  return header.data
}
