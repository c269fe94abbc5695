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

/** SHA-256 in hex. Random tokens are stored in this form without a salt, because they carry at least 140 bits. */
export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex')

/** SHA-256 in Base64, for content policies. */
export const sha256Base64 = (value: string): string => createHash('sha256').update(value).digest('base64')

/** SHA-1. Used only for published lists that contain such hashes. */
export const sha1 = (value: string): Buffer => createHash('sha1').update(value).digest()

/** SHA-256 in hex of data that arrives in parts. */
export const createSha256 = (): { update(part: string | Uint8Array): void; digest(): string } => {
  const hash = createHash('sha256')
  return { update: (part) => void hash.update(part), digest: () => hash.digest('hex') }
}

/** HMAC-SHA-256 with a key over the joined parts, in base64. */
export const hmacSha256 = (key: Uint8Array): ((...parts: readonly (string | Buffer)[]) => string) => {
  // For a key in bytes, Node would create a key object for every hash, which costs many times as much.
  const object = createSecretKey(key)
  return (...parts) => {
    const hmac = createHmac('sha256', object)
    for (const part of parts) hmac.update(part)
    return hmac.digest('base64')
  }
}

/** Compares two texts of equal length in constant time. */
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
  /** Returns the Argon2id hash of a password as a PHC string. Throws SERVICE_UNAVAILABLE when too many hashes wait. */
  hash(password: string, requester: Requester): Promise<string>
  /**
   * False for a wrong password, and for a hash that cannot be read. Without a hash (`undefined`) the call takes as long as with one, so
   * that unknown users are not answered faster. Throws SERVICE_UNAVAILABLE when too many hashes wait.
   */
  verify(hash: string | undefined, password: string, requester: Requester): Promise<boolean>
  /** True for a hash with outdated parameters. */
  isOutdated(hash: string): boolean
}

/**
 * Hashes passwords with Argon2id, a limited number at a time. argon2, the SQLite driver, fs and dns share the thread pool of libuv:
 * without the limit, every session check would wait behind the hashes.
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
      // Libraries write the parameters in different orders.
      const given = new Map(list.split(',').map((pair) => pair.split('=') as [string, string]))
      const is = (name: string, value: number) => given.get(name) === String(value)
      const { memoryKib, timeCost, parallelism } = parameters
      return !(kind === 'argon2id' && version === 'v=19' && is('m', memoryKib) && is('t', timeCost) && is('p', parallelism))
    },
  }
}

/** What a key is used for. The label separates the keys that are derived from the master secret. */
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
 * Text that `seal` has returned. Only a column of the kind `sealed` (core/table.ts) stores it, so that a rotation of the secret finds
 * every sealed value.
 */
export type Sealed = string & { readonly [seal]: true }

export interface Secrets {
  /** The ids of the master secrets, newest first, as sealed values and the table of secrets contain them. */
  readonly ids: readonly string[]
  /** The key for new signatures of this use. It is derived from the newest secret. */
  signingKey(use: KeyUse): Buffer
  /** The keys whose signatures are valid. The key of a retired secret stays valid for `lifeSeconds`, the life of the signed values. */
  verifyingKeys(use: KeyUse, lifeSeconds: number): readonly Buffer[]
  /** Loads the time when each secret signed last. */
  noteLastSigned(lastSigned: ReadonlyMap<string, Date>): void
  /** Seals text with AES-256-GCM. Returns hex: version, key id, nonce, tag and ciphertext. `context` (table, column, row id) is authenticated. */
  seal(plain: string, context: string): Sealed
  /** Throws unless a configured secret has sealed the value with the same context. */
  open(sealed: Sealed, context: string): string
  /** Signs a value with the newest key: 44 characters of base64 (HMAC-SHA-256). */
  sign(use: KeyUse, value: string): string
  /** True for a signature by a key that is valid for values of this life, in seconds. */
  isSigned(use: KeyUse, value: string, signature: string, lifeSeconds: number): boolean
}

const version = 1
/** Length of the shortest sealed value in hex: version, key id, nonce and tag. */
export const sealedLength = 2 * (1 + 4 + 12 + 16)

/** True for text in the form of a sealed value. A hash never has this form. */
export const isSealed = (text: string): text is Sealed => text.length >= sealedLength && text.startsWith('01')

/** Id of the secret that has sealed a value. */
export const secretIdOf = (sealed: Sealed): string => sealed.slice(2, 10)

/** Thrown for a stored value that was sealed with a master secret other than the configured ones. */
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

/** Everything that is derived from `GATEHOUSE_SECRET` (a list, newest first) by HKDF-SHA-256. */
export const createSecrets = (masterSecrets: readonly string[], random: Random, clock: Clock = systemClock): Secrets => {
  const derive = (secret: string, use: string) => Buffer.from(hkdfSync('sha256', secret, '', `gatehouse/${use}`, 32))
  const derived = new Map<string, readonly Buffer[]>()
  const keys = (use: KeyUse) => {
    const known = derived.get(use) ?? masterSecrets.map((secret) => derive(secret, use))
    derived.set(use, known)
    return known
  }
  const idOf = (key: Buffer) => createHash('sha256').update(key).digest().subarray(0, 4)
  // For a plain buffer, Node would make a key object for every signature.
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

/** The sealing functions that features receive. */
export interface Crypto extends Secrets {
  readonly passwords: Passwords
}
