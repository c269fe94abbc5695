import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import { type Clock, systemClock } from './clock.ts'
import { createHashQueue, type Requester } from './hash-queue.ts'
import type { Metrics } from './metrics.ts'
import type { Random } from './random.ts'

/** SHA-256 in hex. It is the stored form of random tokens. A token needs no salt, because it has at least 140 bits of randomness. */
export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex')

/** SHA-256 in base64, for Content-Security-Policy headers. */
export const sha256Base64 = (value: string): string => createHash('sha256').update(value).digest('base64')

/** SHA-1. Used only to look up values in published lists that contain SHA-1 hashes. */
export const sha1 = (value: string): Buffer => createHash('sha1').update(value).digest()

/** Computes SHA-256 in hex over data that arrives in parts. */
export const createSha256 = (): { update(part: string | Uint8Array): void; digest(): string } => {
  const hash = createHash('sha256')
  return { update: (part) => void hash.update(part), digest: () => hash.digest('hex') }
}

/** Returns a function that computes HMAC-SHA-256 over its joined arguments with this key, in base64. */
export const hmacSha256 = (key: Uint8Array): ((...parts: readonly (string | Buffer)[]) => string) => {
  // The key object is made once. If Node got the key as bytes, it would make a key object for every hash, at a much higher cost.
  const object = createSecretKey(key)
  return (...parts) => {
    const hmac = createHmac('sha256', object)
    for (const part of parts) hmac.update(part)
    return hmac.digest('base64')
  }
}

/** Compares two texts. For texts of equal length, the comparison takes constant time. */
export const safeEqual = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

export interface HashParameters {
  readonly memoryKib: number
  readonly timeCost: number
  readonly parallelism: number
}

export interface Passwords {
  /** Returns the Argon2id hash of a password as a PHC string. Throws SERVICE_UNAVAILABLE if too many hashes are waiting. */
  hash(password: string, requester: Requester): Promise<string>
  /**
   * Returns false for a wrong password, and for a hash that cannot be read. If `hash` is undefined, the call takes as long as with a
   * hash, so that the time of an answer does not tell whether the user exists. Throws SERVICE_UNAVAILABLE if too many hashes are waiting.
   */
  verify(hash: string | undefined, password: string, requester: Requester): Promise<boolean>
  /** True for a hash that was made with other parameters than the configured ones. */
  isOutdated(hash: string): boolean
}

/**
 * Hashes passwords with Argon2id. Only a limited number of hashes run at the same time, because argon2 shares libuv's thread pool with
 * the SQLite driver, fs and dns. Without the limit, every session check would wait for hashes.
 */
export const createPasswords = (parameters: HashParameters, random: Random, metrics: Metrics): Passwords => {
  const queue = createHashQueue({ running: Math.min(4, availableParallelism()), waiting: 64, deadlineMs: 10_000 })
  metrics.gauge(
    {
      name: 'gatehouse_password_hashes',
      help: 'Password hashes that run, that wait for a turn, and that were refused since the start.',
      labels: ['state'],
    },
    () => Object.entries(queue.counts()).map(([state, value]) => ({ labels: { state }, value })),
  )
  const options = {
    type: argon2.argon2id as 2,
    memoryCost: parameters.memoryKib,
    timeCost: parameters.timeCost,
    parallelism: parameters.parallelism,
    hashLength: 32,
  }
  const normal = (password: string) => password.normalize('NFC')
  const hash = (password: string, requester: Requester) => queue(requester, () => argon2.hash(normal(password), options))
  let decoy: Promise<string> | undefined
  const makeDecoy = (requester: Requester) => {
    decoy ??= hash(random.token(32), requester).catch((error: unknown) => {
      decoy = undefined
      throw error
    })
    return decoy
  }
  return {
    hash,
    verify: async (stored, password, requester) => {
      const against = stored ?? (await makeDecoy(requester))
      const matches = await queue(requester, () => argon2.verify(against, normal(password)).catch(() => false))
      return matches && stored !== undefined
    },
    isOutdated: (stored) => {
      const [, kind, version, list = ''] = stored.split('$')
      // Different libraries write the parameters of a hash in a different order.
      const given = new Map(list.split(',').map((pair) => pair.split('=') as [string, string]))
      const is = (name: string, value: number) => given.get(name) === String(value)
      const { memoryKib, timeCost, parallelism } = parameters
      return !(kind === 'argon2id' && version === 'v=19' && is('m', memoryKib) && is('t', timeCost) && is('p', parallelism))
    },
  }
}

/** The uses of keys that are derived from the master secret. Each use has a key of its own. */
export type KeyUse =
  | 'encryption'
  | 'cookies'
  | 'provider-cookies'
  | 'email-verification'
  | 'invitation'
  | 'backup'
  | 'proof-of-work'
  | 'failed-addresses'
  | 'mailed-codes'
  | 'second-factor-recovery'
  | 'placeholder-addresses'
  | 'device-codes'
  | 'dpop-nonces'

declare const seal: unique symbol
/**
 * Text that `seal` has encrypted. It may be stored only in a column of the type `sealed` (core/db/table.ts), so that a rotation of the
 * master secret finds every sealed value.
 */
export type Sealed = string & { readonly [seal]: true }

export interface Secrets {
  /** The ids of the configured master secrets, newest first. Sealed values and the table of secrets contain these ids. */
  readonly ids: readonly string[]
  /** The key for new signatures of this use, derived from the newest master secret. */
  signingKey(use: KeyUse): Buffer
  /**
   * The keys whose signatures are still valid for this use. Signed values live for `lifeSeconds`, and a key of a retired master secret
   * stays valid that long.
   */
  verifyingKeys(use: KeyUse, lifeSeconds: number): readonly Buffer[]
  /** Loads, for each master secret, the time when it was last used for a signature. */
  noteLastSigned(lastSigned: ReadonlyMap<string, Date>): void
  /**
   * Encrypts text with AES-256-GCM. Returns hex: version, id of the master secret, nonce, tag and ciphertext. The value can be opened
   * only with the same `context` (table, column, row id).
   */
  seal(plain: string, context: string): Sealed
  /** Decrypts a sealed value. Throws if no configured master secret has sealed it, or if `context` differs. */
  open(sealed: Sealed, context: string): string
  /** Signs a value with the newest key of this use. The signature is HMAC-SHA-256 in base64, which has 44 characters. */
  sign(use: KeyUse, value: string): string
  /** True if one of the valid keys of this use has made the signature. `lifeSeconds` is the life of the signed value. */
  isSigned(use: KeyUse, value: string, signature: string, lifeSeconds: number): boolean
}

const version = 1
/** Length of the shortest sealed value in hex digits: version, id of the master secret, nonce and tag. */
export const sealedLength = 2 * (1 + 4 + 12 + 16)

/** True for text that has the form of a sealed value. A hash of a token never has this form. */
export const isSealed = (text: string): text is Sealed => text.length >= sealedLength && text.startsWith('01')

/** Reads from a sealed value the id of the master secret that sealed it. */
export const secretIdOf = (sealed: Sealed): string => sealed.slice(2, 10)

/** Thrown for a stored value that none of the configured master secrets has sealed. */
export class WrongSecretError extends Error {
  readonly refusal = 'SECRET_DOES_NOT_FIT'
  constructor(context: string) {
    super(
      `no configured secret opens ${context}: GATEHOUSE_SECRET (or the file "secret" in the data directory) is not the one this ` +
        'database was made with. Put the old one back, behind a new one if it is being replaced.',
    )
    this.name = 'WrongSecretError'
  }
}

/**
 * Makes everything that is derived from the master secrets by HKDF-SHA-256. `masterSecrets` is the value of `GATEHOUSE_SECRET` as a list,
 * newest first.
 */
export const createSecrets = (masterSecrets: readonly string[], random: Random, clock: Clock = systemClock): Secrets => {
  const derive = (secret: string, use: string) => Buffer.from(hkdfSync('sha256', secret, '', `gatehouse/${use}`, 32))
  const derived = new Map<string, readonly Buffer[]>()
  const keys = (use: KeyUse) => {
    const known = derived.get(use) ?? masterSecrets.map((secret) => derive(secret, use))
    derived.set(use, known)
    return known
  }
  const idOf = (key: Buffer) => createHash('sha256').update(key).digest().subarray(0, 4)
  // Key objects for signatures, made once. If Node got a key as a buffer, it would make a key object for every signature.
  const signingKeys = new Map<Buffer, KeyObject>()
  const hmac = (key: Buffer, value: string) => {
    const signingKey = signingKeys.get(key) ?? createSecretKey(key)
    signingKeys.set(key, signingKey)
    return createHmac('sha256', signingKey).update(value).digest('base64')
  }
  const ids = keys('encryption').map((key) => idOf(key).toString('hex'))
  let signedUntil: ReadonlyMap<string, Date> = new Map()
  const isOver = (id: string, lifeSeconds: number) => {
    const last = signedUntil.get(id)
    return last !== undefined && last.getTime() + lifeSeconds * 1000 <= clock.now().getTime()
  }
  const verifyingKeys = (use: KeyUse, lifeSeconds: number) =>
    masterSecrets.length === 1 ? keys(use) : keys(use).filter((_, i) => i === 0 || !isOver(ids[i] ?? '', lifeSeconds))
  const newest = (use: KeyUse): Buffer => {
    const [key] = keys(use)
    if (key === undefined) throw new Error('no master secret is configured')
    return key
  }
  return {
    ids,
    signingKey: newest,
    verifyingKeys,
    noteLastSigned: (lastSigned) => {
      signedUntil = lastSigned
    },
    seal: (plain, context) => {
      const key = newest('encryption')
      const nonce = random.bytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([version]), idOf(key), nonce, cipher.getAuthTag(), body]).toString('hex') as Sealed
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed, 'hex')
      const key = keys('encryption').find((candidate) => idOf(candidate).equals(bytes.subarray(1, 5)))
      if (bytes[0] !== version || key === undefined) throw new WrongSecretError(context)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(5, 17)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(17, 33))
      return Buffer.concat([decipher.update(bytes.subarray(33)), decipher.final()]).toString('utf8')
    },
    sign: (use, value) => hmac(newest(use), value),
    isSigned: (use, value, signature, lifeSeconds) =>
      verifyingKeys(use, lifeSeconds).some((key) => safeEqual(hmac(key, value), signature)),
  }
}

/** The functions for sealing and signing that features receive. */
export interface Crypto extends Secrets {
  readonly passwords: Passwords
}
