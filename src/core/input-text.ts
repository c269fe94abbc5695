import { readFileSync } from 'node:fs'

/** Bytes that are no text in an encoding that is read. The message is the rest of a sentence whose subject is where they came from. */
export class EncodingError extends Error {
  constructor(problem: string) {
    super(`${problem}; give it in UTF-8`)
    this.name = 'EncodingError'
  }
}

/** Encodings that begin with a byte order mark, as Windows writes them: https://encoding.spec.whatwg.org/#bom-sniff. Any other bytes are UTF-8. */
const marked = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

export const encodingOf = (bytes: Uint8Array) =>
  marked.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.encoding ?? 'utf-8'

/**
 * The text of bytes from outside: UTF-8, or UTF-16 with a byte order mark; the mark is no part of it. Throws `EncodingError` for any other
 * bytes, which would be stored as something that nobody has written.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new EncodingError(`is not valid ${encoding.toUpperCase()}`)
  }
  // UTF-16 without a mark and UTF-32 show themselves by it.
  if (text.includes('\0'))
    throw new EncodingError('has characters of value zero, as UTF-16 and UTF-32 without a byte order mark have')
  return text
}

/** The text of a file. Throws `EncodingError` and the errors of the file system. */
export const readTextFile = (path: string): string => decodeText(readFileSync(path))

/** The character in the place of bytes that were no UTF-8, where Node decodes by itself: arguments, variables and typed keys. */
export const hasUndecodable = (text: string): boolean => text.includes('\ufffd')
