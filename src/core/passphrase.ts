import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto'
import type { Random } from './random.ts'

/** Text sealed with a passphrase. Apart from the passphrase, it contains all that is needed to open it. Bytes are base64. */
export interface PassphraseSealed {
  readonly kdf: 'scrypt'
  /** The cost of scrypt (RFC 7914), a power of two. Block size and parallelism follow. Memory: 128 × n × r bytes. */
  readonly n: number
  readonly r: number
  readonly p: number
  readonly salt: string
  readonly cipher: 'aes-256-gcm'
  readonly nonce: string
  /** The ciphertext, followed by a tag of 16 bytes. */
  readonly sealed: string
}

/** Takes 128 MiB and a few tenths of a second, as OWASP recommends for scrypt. */
const cost = { n: 131_072, r: 8, p: 1 } as const

const keyOf = (passphrase: string, salt: Buffer, { n, r, p }: Pick<PassphraseSealed, 'n' | 'r' | 'p'>): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

/** Seals text with AES-256-GCM. scrypt derives the key from the passphrase. `context` is authenticated. */
export const sealWithPassphrase = async (
  plain: string,
  passphrase: string,
  context: string,
  random: Random,
): Promise<PassphraseSealed> => {
  const [salt, nonce] = [random.bytes(16), random.bytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt, cost), nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return {
    kdf: 'scrypt',
    ...cost,
    salt: salt.toString('base64'),
    cipher: 'aes-256-gcm',
    nonce: nonce.toString('base64'),
    sealed: body.toString('base64'),
  }
}

/** Returns the text, or undefined if the passphrase or the context is wrong. */
export const openWithPassphrase = async (
  box: PassphraseSealed,
  passphrase: string,
  context: string,
): Promise<string | undefined> => {
  const [salt, nonce, sealed] = [box.salt, box.nonce, box.sealed].map((text) => Buffer.from(text, 'base64')) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  if (nonce.length !== 12 || sealed.length < 16) return undefined
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, salt, box), nonce).setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(-16))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
