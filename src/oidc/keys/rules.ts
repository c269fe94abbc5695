import { daySeconds } from '../../core/time.ts'
import { longestApiTokenSeconds } from '../resource-servers/contract.ts'

/** The times of a signing key, from which its state follows. */
export interface KeySchedule {
  readonly alg: string
  readonly generation: number
  readonly signsFrom: Date
  /** End of publication; null for the newest key. */
  readonly retiresAt: Date | null
}

export type KeyState = 'next' | 'signing' | 'retiring' | 'retired'

const isPublished = (key: KeySchedule, now: Date) => key.retiresAt === null || key.retiresAt > now

/**
 * The published keys, the signing key of each algorithm first. Verifiers see every key before it signs and until all that it signed has
 * expired. If every key starts in the future, because a clock was ahead when they were made, the oldest one signs.
 */
export const publishedKeys = <K extends KeySchedule>(keys: readonly K[], now: Date): K[] => {
  const newestFirst = keys.filter((key) => isPublished(key, now)).sort((a, b) => b.generation - a.generation)
  const signs = (key: K) => key.signsFrom <= now
  return [...newestFirst.filter(signs), ...newestFirst.filter((key) => !signs(key)).reverse()]
}

/** The state of each key at a time. */
export const stateOf = (key: KeySchedule, keys: readonly KeySchedule[], now: Date): KeyState => {
  if (!isPublished(key, now)) return 'retired'
  const [signing] = publishedKeys(
    keys.filter((other) => other.alg === key.alg),
    now,
  )
  if (signing?.generation === key.generation) return 'signing'
  return key.signsFrom > now && key.generation > (signing?.generation ?? 0) ? 'next' : 'retiring'
}

/** The next time at which a key starts to sign or retires, or undefined. */
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
 * How long a scheduled key is published before it signs: enough for an application that keeps the key set for the overlap, from a cache
 * that had kept it for its max-age, at a node with another clock.
 */
export const keyLeadSeconds = ({ keyOverlapSeconds, documentCacheSeconds, keySkewSeconds }: Lead): number =>
  keyOverlapSeconds + documentCacheSeconds + keySkewSeconds

interface Lifetimes {
  readonly idTokenTtlSeconds: number
  readonly accessTokenTtlSeconds: number
  readonly keySkewSeconds: number
}

/** How long a key stays published after its last signature: longer than any token that it signed is valid, including tokens for APIs. */
export const keyTailSeconds = ({ idTokenTtlSeconds, accessTokenTtlSeconds, keySkewSeconds }: Lifetimes): number =>
  Math.max(idTokenTtlSeconds, accessTokenTtlSeconds, longestApiTokenSeconds) + keySkewSeconds

interface RotationPeriod {
  /** 0: no scheduled rotation. */
  readonly keyRotationDays: number
}

/** Start of the successor of the newest key; null without scheduled rotation. */
export const successionOf = ({ signsFrom }: Pick<KeySchedule, 'signsFrom'>, { keyRotationDays }: RotationPeriod): Date | null =>
  keyRotationDays === 0 ? null : new Date(signsFrom.getTime() + keyRotationDays * daySeconds * 1000)

/** True when the successor of the newest key has to be published. A key that does not sign yet has no successor. */
export const isSuccessorDue = (newest: KeySchedule, config: RotationPeriod & Lead, now: Date): boolean => {
  const at = successionOf(newest, config)
  return at !== null && newest.signsFrom <= now && at.getTime() - keyLeadSeconds(config) * 1000 <= now.getTime()
}

/** End of a key's signing: the start of its successor, published or planned; null without one. A planned start is never before `earliest`. */
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
