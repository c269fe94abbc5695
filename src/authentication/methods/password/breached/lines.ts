import { passwordErrors } from '../contract.ts'

/** The length of a SHA-1 hash in bytes. */
export const digestBytes = 20
const newline = 10
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const colon = 58
/** The largest length of a line in bytes: 40 digits, a colon and a count of up to 12 digits, with some room. */
const longestLine = 64

/** Describes what is wrong with a line. The description never contains the line itself, because the line may be a password. */
const problemOf = (line: Buffer): string => {
  if (line.includes(0)) return 'is in UTF-16: give the list in UTF-8'
  const text = line.toString('latin1').trim()
  if (/^[0-9a-f]{32}(:|$)/i.test(text)) return 'holds an NT hash (32 hex digits): take the list of SHA-1 hashes'
  if (/^[0-9a-f]{40}$/i.test(text)) return 'has a hash without its count: take the list with counts'
  if (/^[0-9a-f]{35}:/i.test(text))
    return 'is of a single range, without the five digits that its hashes begin with: take the whole list'
  return 'is something else'
}

/** The value of each byte that is a hex digit; 255 for every other byte. */
const nibbles = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(value) ? 255 : value
})
const nibble = (byte: number | undefined) => nibbles[byte ?? 0] ?? 255

/**
 * Reads lines of the form `SHA1:COUNT` from pieces of a file, and calls `use` for each line. The digest is in a buffer that each call
 * overwrites. Throws BREACHED_LIST_IS_INVALID with the number of the wrong line and the expected form.
 */
export const createLineReader = (use: (digest: Buffer, count: number) => void) => {
  const digest = Buffer.alloc(digestBytes)
  let rest: Buffer = Buffer.alloc(0)
  let lines = 0

  const refuse = (line: Buffer): never => {
    throw passwordErrors.error('BREACHED_LIST_IS_INVALID', {
      message: `Line ${lines} ${problemOf(line)}. Expected are lines of 40 hex digits, a colon and a count`,
    })
  }

  const read = (given: Buffer) => {
    lines += 1
    const line = lines === 1 && given.indexOf(byteOrderMark) === 0 ? given.subarray(byteOrderMark.length) : given
    const end = line.at(-1) === 13 ? line.length - 1 : line.length
    if (end === 0) return
    if (end < digestBytes * 2 + 2 || line[digestBytes * 2] !== colon) refuse(line)
    for (let index = 0; index < digestBytes; index++) {
      const [high, low] = [nibble(line[index * 2]), nibble(line[index * 2 + 1])]
      if (high === 255 || low === 255) refuse(line)
      digest[index] = (high << 4) | low
    }
    let count = 0
    for (let at = digestBytes * 2 + 1; at < end; at++) {
      const digit = (line[at] ?? 0) - 48
      if (digit < 0 || digit > 9) refuse(line)
      count = count * 10 + digit
    }
    use(digest, count)
  }

  return {
    push: (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (let to = bytes.indexOf(newline); to !== -1; to = bytes.indexOf(newline, from)) {
        read(bytes.subarray(from, to))
        from = to + 1
      }
      rest = bytes.subarray(from)
      if (rest.length > longestLine) {
        lines += 1
        refuse(rest)
      }
    },
    /** Reads the last line if no line break follows it. */
    end: () => {
      if (rest.length > 0) read(rest)
    },
    lines: () => lines,
  }
}
