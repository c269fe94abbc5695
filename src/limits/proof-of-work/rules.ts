import { type ProofPurpose, proofPurposes } from '../../core/web.ts'

/** How many seconds a challenge is valid. It has to be solved and used within this time. */
export const challengeSeconds = 300

/** The fields of a challenge, in the order in which its text contains them. */
export interface Challenge {
  readonly purpose: ProofPurpose
  readonly difficulty: number
  readonly expiresAt: Date
  /** A random id of the challenge. A solution for it is accepted only once. */
  readonly id: string
}

/** The text of a challenge. This text is signed. */
export const encodeChallenge = ({ purpose, difficulty, expiresAt, id }: Challenge): string =>
  [purpose, difficulty, Math.floor(expiresAt.getTime() / 1000).toString(36), id].join('.')

/** What the header with a solution contains: the signed text, its signature, and the complete text, whose hash is checked. */
export interface Solution {
  readonly challenge: Challenge
  readonly signed: string
  readonly signature: string
}

const pattern = /^([a-z-]{1,20})\.(\d{1,2})\.([0-9a-z]{1,10})\.([0-9A-Za-z]{24})\.([\w-]{43})\.[\w-]{1,32}$/

/** Parses the header with a solution. Undefined if it does not have the form `<challenge>.<text>`. */
export const parseSolution = (header: string): Solution | undefined => {
  const [, word, difficulty, expires = '', id = '', signature = ''] = pattern.exec(header) ?? []
  const purpose = proofPurposes.find((one) => one === word)
  if (purpose === undefined) return undefined
  const expiresAt = new Date(Number.parseInt(expires, 36) * 1000)
  const challenge = { purpose, difficulty: Number(difficulty), expiresAt, id }
  return { challenge, signed: encodeChallenge(challenge), signature }
}

/** True if a hash in hexadecimal begins with at least this number of zero bits. */
export const hasZeroBits = (hex: string, bits: number): boolean => {
  const digits = Math.floor(bits / 4)
  const next = Number.parseInt(hex.charAt(digits), 16)
  return /^0*$/.test(hex.slice(0, digits)) && next < 1 << (4 - (bits % 4))
}
