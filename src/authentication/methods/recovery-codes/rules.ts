/** Letters and digits that do not look alike. There are 32 of them, so each carries five bits. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
const half = 5

/** The number of codes in a list. */
export const codeCount = 10
/** The number of random bytes for a code, one for each character. */
export const codeLength = 2 * half
/** The owner gets a notice when this number of codes or fewer are left. */
export const fewCodes = 3

/** Makes a code of 50 bits in the form `xxxxx-xxxxx`. */
export const codeFrom = (bytes: Uint8Array): string => {
  const text = [...bytes].map((byte) => letters[byte % letters.length]).join('')
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/** The form of a typed code that is hashed: in lower case, without blanks and dashes. */
export const normalCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s\p{Pd}]/gu, '')
