import { readFileSync } from 'node:fs'

/** Thrown for bytes that are not text in a supported encoding. The message is the end of a sentence that begins with the source of the bytes. */
export class EncodingError extends Error {
  constructor(problem: string) {
    super(`${problem}; give it in UTF-8`)
    this.name = 'EncodingError'
  }
}

/**
 * Encodings that are recognised by a byte order mark, as Windows writes it (https://encoding.spec.whatwg.org/#bom-sniff). Bytes without
 * such a mark have to be UTF-8.
 */
const marked = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

export const encodingOf = (bytes: Uint8Array) =>
  marked.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.encoding ?? 'utf-8'

/**
 * Decodes bytes from outside of the program. They are UTF-8, or UTF-16 with a byte order mark; the mark is removed. Throws
 * `EncodingError` for other bytes, because they would be stored as text that nobody wrote.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new EncodingError(`is not valid ${encoding.toUpperCase()}`)
  }
  // Text with U+0000 is probably UTF-16 without a byte order mark, or UTF-32.
  if (text.includes('\0'))
    throw new EncodingError('has characters of value zero, as UTF-16 and UTF-32 without a byte order mark have')
  return text
}

/** Reads a text file. Throws `EncodingError` and the errors of the file system. */
export const readTextFile = (path: string): string => decodeText(readFileSync(path))

/** True if the text comes from bytes that are not UTF-8. In arguments, variables and typed text, Node replaces such bytes by U+FFFD. */
export const hasUndecodable = (text: string): boolean => text.includes('\ufffd')
