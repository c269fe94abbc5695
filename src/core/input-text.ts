import { readFileSync } from 'node:fs'

/** Bytes that are not text in a supported encoding. The message continues a sentence with their source as its subject. */
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
 * The text in bytes from outside: UTF-8, or UTF-16 with a byte order mark, which is left out. Throws `EncodingError` for other bytes,
 * which would be stored as something that nobody wrote.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new EncodingError(`is not valid ${encoding.toUpperCase()}`)
  }
  // These bytes show UTF-16 without a mark, and UTF-32.
  if (text.includes('\0'))
    throw new EncodingError('has characters of value zero, as UTF-16 and UTF-32 without a byte order mark have')
  return text
}

/** The text of a file. Throws `EncodingError` and the errors of the file system. */
export const readTextFile = (path: string): string => decodeText(readFileSync(path))

/** The character for bytes that are not UTF-8 where Node decodes: arguments, variables and typed keys. */
export const hasUndecodable = (text: string): boolean => text.includes('\ufffd')
