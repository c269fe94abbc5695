import { randomBytes, randomUUID } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The only source of randomness. It is cryptographically secure. */
export interface Random {
  /** `length` characters of A-Z a-z 0-9, unbiased. 32 of them carry 190 bits. */
  token(length: number): string
  /** Identifier of a row: 32 characters of A-Z a-z 0-9. */
  id(): string
  /** Identifier of a request, for logs. */
  requestId(): string
  bytes(length: number): Buffer
  /** `length` decimal digits, unbiased. */
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
