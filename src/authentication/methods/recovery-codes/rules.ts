/** Letters and digits that are not mistaken for one another: 32 of them, five bits each. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
const half = 5

/** How many codes a list has. */
export const codeCount = 10
/** Bytes that a code is made of, one for each letter. */
export const codeLength = 2 * half
/** With so many codes left, or fewer, their owner is told. */
export const fewCodes = 3

/** A code of 50 bits, `xxxxx-xxxxx`. */
export const codeFrom = (bytes: Uint8Array): string => {
  const text = [...bytes].map((byte) => letters[byte % letters.length]).join('')
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/** The hashed form of a typed code: case, blanks and dashes do not count. */
export const normalCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s\p{Pd}]/gu, '')
