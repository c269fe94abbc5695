import { randomBytes, randomUUID } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The only source of random values. They are cryptographically secure. */
export interface Random {
  /** A random text of `length` characters of A-Z, a-z and 0-9, all equally likely. 32 characters have 190 bits of randomness. */
  token(length: number): string
  /** A new id for a row: 32 characters of A-Z, a-z and 0-9. */
  id(): string
  /** A new id for a request. Logs contain it. */
  requestId(): string
  bytes(length: number): Buffer
  /** A random text of `length` decimal digits, all equally likely. */
  digits(length: number): string
}

const token = (length: number): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < 248 && text.length < length) text += letters[byte % 62]
    }
  }
  return text
}

const digits = (length: number): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < 250 && text.length < length) text += byte % 10
    }
  }
  return text
}

export const systemRandom: Random = {
  token,
  id: () => token(32),
  requestId: () => randomUUID(),
  bytes: (length) => randomBytes(length),
  digits,
}
