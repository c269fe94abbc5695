/** The characters of codes: 32 letters and digits that do not look alike. Each character carries five bits. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
const half = 5

/** The number of codes in a list. */
export const codeCount = 10
/** The number of characters of a code without its dash. Each character takes one random byte. */
export const codeLength = 2 * half
/** If this number of unused codes or fewer are left, the owner gets a notice. */
export const fewCodes = 3

/** Makes a code of the form `xxxxx-xxxxx` from random bytes. The code has 50 random bits. */
export const codeFrom = (bytes: Uint8Array): string => {
  const text = [...bytes].map((byte) => letters[byte % letters.length]).join('')
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/** A typed code in the form that is hashed: in lower case, without blanks and dashes. */
export const normalCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s\p{Pd}]/gu, '')
