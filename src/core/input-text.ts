import { readFileSync } from 'node:fs'

/**
 * Thrown for bytes that are not text in a supported encoding. The message is the predicate of a sentence whose subject is the source of
 * the bytes.
 */
export class EncodingError extends Error {
  constructor(problem: string) {
    super(`${problem}; give it in UTF-8`)
    this.name = 'EncodingError'
  }
}

/**
 * Encodings that begin with a byte order mark, as Windows writes them: https://encoding.spec.whatwg.org/#bom-sniff. All other bytes have
 * to be UTF-8.
 */
const marked = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

export const encodingOf = (bytes: Uint8Array) =>
  marked.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.encoding ?? 'utf-8'

/**
 * Decodes bytes from outside: UTF-8, or UTF-16 with a byte order mark, which is removed. Throws `EncodingError` for other bytes, which
 * would be stored as text that nobody wrote.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new EncodingError(`is not valid ${encoding.toUpperCase()}`)
  }
  // U+0000 shows UTF-16 without a mark, or UTF-32.
  if (text.includes('\0'))
    throw new EncodingError('has characters of value zero, as UTF-16 and UTF-32 without a byte order mark have')
  return text
}

/** The text of a file. Throws `EncodingError` and the errors of the file system. */
export const readTextFile = (path: string): string => decodeText(readFileSync(path))

/** True if Node has decoded bytes that are not UTF-8 (in arguments, variables or typed keys). It puts this character in their place. */
export const hasUndecodable = (text: string): boolean => text.includes('\ufffd')
