import { daySeconds } from '../../core/time.ts'
import { longestApiTokenSeconds } from '../resource-servers/contract.ts'

/** The times of a signing key. Its state follows from them. */
export interface KeySchedule {
  readonly alg: string
  readonly generation: number
  readonly signsFrom: Date
  /** The time until which the key is published; null for the newest key of its algorithm. */
  readonly retiresAt: Date | null
}

export type KeyState = 'next' | 'signing' | 'retiring' | 'retired'

const isPublished = (key: KeySchedule, now: Date) => key.retiresAt === null || key.retiresAt > now

/**
 * The keys to publish. Of each algorithm, the key that signs comes first. Verifiers see each key before it signs, and until everything
 * that it signed has expired. If every key starts in the future, because a clock was ahead when the keys were made, the oldest key signs.
 */
export const publishedKeys = <K extends KeySchedule>(keys: readonly K[], now: Date): K[] => {
  const newestFirst = keys.filter((key) => isPublished(key, now)).sort((a, b) => b.generation - a.generation)
  const signs = (key: K) => key.signsFrom <= now
  return [...newestFirst.filter(signs), ...newestFirst.filter((key) => !signs(key)).reverse()]
}

/** The state of a key at the time `now`. */
export const stateOf = (key: KeySchedule, keys: readonly KeySchedule[], now: Date): KeyState => {
  if (!isPublished(key, now)) return 'retired'
  const [signing] = publishedKeys(
    keys.filter((other) => other.alg === key.alg),
    now,
  )
  if (signing?.generation === key.generation) return 'signing'
  return key.signsFrom > now && key.generation > (signing?.generation ?? 0) ? 'next' : 'retiring'
}

/** The next time at which a key starts to sign or retires; undefined if there is none. */
export const nextChange = (keys: readonly KeySchedule[], now: Date): Date | undefined =>
  keys
    .flatMap((key) => (key.retiresAt === null ? [key.signsFrom] : [key.signsFrom, key.retiresAt]))
    .filter((at) => at > now)
    .sort((a, b) => a.getTime() - b.getTime())[0]

interface Lead {
  readonly keyOverlapSeconds: number
  readonly documentCacheSeconds: number
  readonly keySkewSeconds: number
}

/**
 * The number of seconds for which a planned key is published before it signs. An application may keep a key set for `keyOverlapSeconds`.
 * A cache may have kept the set for its max-age before that. The clocks of nodes may differ too.
 */
export const keyLeadSeconds = ({ keyOverlapSeconds, documentCacheSeconds, keySkewSeconds }: Lead): number =>
  keyOverlapSeconds + documentCacheSeconds + keySkewSeconds

interface Lifetimes {
  readonly idTokenTtlSeconds: number
  readonly accessTokenTtlSeconds: number
  readonly keySkewSeconds: number
}

/**
 * The number of seconds for which a key stays published after its last signature. It is longer than the lifetime of every token that the
 * key may have signed, including tokens for APIs.
 */
export const keyTailSeconds = ({ idTokenTtlSeconds, accessTokenTtlSeconds, keySkewSeconds }: Lifetimes): number =>
  Math.max(idTokenTtlSeconds, accessTokenTtlSeconds, longestApiTokenSeconds) + keySkewSeconds

interface RotationPeriod {
  /** The number of days after which a key is replaced. With 0 there is no automatic rotation. */
  readonly keyRotationDays: number
}

/** The time at which the successor of the newest key is planned to start; null if automatic rotation is off. */
export const successionOf = ({ signsFrom }: Pick<KeySchedule, 'signsFrom'>, { keyRotationDays }: RotationPeriod): Date | null =>
  keyRotationDays === 0 ? null : new Date(signsFrom.getTime() + keyRotationDays * daySeconds * 1000)

/** True if the successor of the newest key has to be published now. A key that does not sign yet needs no successor. */
export const isSuccessorDue = (newest: KeySchedule, config: RotationPeriod & Lead, now: Date): boolean => {
  const at = successionOf(newest, config)
  return at !== null && newest.signsFrom <= now && at.getTime() - keyLeadSeconds(config) * 1000 <= now.getTime()
}

/**
 * The time until which a key signs: the start of the next key, whether that key exists or is only planned. Null if there is neither. A
 * planned start is never before `earliest`.
 */
export const signsUntil = (
  key: KeySchedule,
  keys: readonly KeySchedule[],
  config: RotationPeriod,
  earliest: Date,
): Date | null => {
  const successor = keys.find(({ alg, generation }) => alg === key.alg && generation === key.generation + 1)
  if (successor !== undefined) return successor.signsFrom
  const planned = key.retiresAt === null ? successionOf(key, config) : null
  return planned !== null && planned < earliest ? earliest : planned
}
