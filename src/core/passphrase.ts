import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto'
import type { Random } from './random.ts'

/** Text that is encrypted with a passphrase. The object contains all that decryption needs except the passphrase. Bytes are in base64. */
export interface PassphraseSealed {
  readonly kdf: 'scrypt'
  /**
   * The cost of scrypt (RFC 7914), which is a power of two. `r` is the block size and `p` the parallelism. scrypt needs 128 × n × r bytes
   * of memory.
   */
  readonly n: number
  readonly r: number
  readonly p: number
  readonly salt: string
  readonly cipher: 'aes-256-gcm'
  readonly nonce: string
  /** The ciphertext, followed by an authentication tag of 16 bytes. */
  readonly sealed: string
}

/** These values, which OWASP recommends for scrypt, take 128 MiB and a few tenths of a second. */
const cost = { n: 131_072, r: 8, p: 1 } as const

const keyOf = (passphrase: string, salt: Buffer, { n, r, p }: Pick<PassphraseSealed, 'n' | 'r' | 'p'>): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

/** Encrypts text with AES-256-GCM. scrypt derives the key from the passphrase. Decryption requires the same `context`. */
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

/** Decrypts text. Undefined if the passphrase or the context is wrong. */
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
