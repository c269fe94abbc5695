/** Letters and digits that do not look alike: 32, five bits each. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
const half = 5

/** Number of codes in a list. */
export const codeCount = 10
/** Number of bytes for a code, one for each character. */
export const codeLength = 2 * half
/** With this number of codes left, or fewer, the owner gets a notice. */
export const fewCodes = 3

/** A code of 50 bits, `xxxxx-xxxxx`. */
export const codeFrom = (bytes: Uint8Array): string => {
  const text = [...bytes].map((byte) => letters[byte % letters.length]).join('')
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/** The form of a typed code that is hashed: without differences of case, blanks and dashes. */
export const normalCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s\p{Pd}]/gu, '')
