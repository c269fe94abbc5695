import { daySeconds } from '../../core/time.ts'
import { longestApiTokenSeconds } from '../resource-servers/contract.ts'

/** The schedule of a signing key; its state follows from its times. */
export interface KeySchedule {
  readonly alg: string
  readonly generation: number
  readonly signsFrom: Date
  /** When it stops being published; null while it is the newest. */
  readonly retiresAt: Date | null
}

export type KeyState = 'next' | 'signing' | 'retiring' | 'retired'

const isPublished = (key: KeySchedule, now: Date) => key.retiresAt === null || key.retiresAt > now

/**
 * The published keys, the one that signs first for its algorithm: verifiers see every key before it is used and until nothing it signed is valid. Where the time
 * of none has come, because the clock was ahead when they were made, the oldest signs.
 */
export const publishedKeys = <K extends KeySchedule>(keys: readonly K[], now: Date): K[] => {
  const newestFirst = keys.filter((key) => isPublished(key, now)).sort((a, b) => b.generation - a.generation)
  const signs = (key: K) => key.signsFrom <= now
  return [...newestFirst.filter(signs), ...newestFirst.filter((key) => !signs(key)).reverse()]
}

/** State of each key at a time. */
export const stateOf = (key: KeySchedule, keys: readonly KeySchedule[], now: Date): KeyState => {
  if (!isPublished(key, now)) return 'retired'
  const [signing] = publishedKeys(
    keys.filter((other) => other.alg === key.alg),
    now,
  )
  if (signing?.generation === key.generation) return 'signing'
  return key.signsFrom > now && key.generation > (signing?.generation ?? 0) ? 'next' : 'retiring'
}

/** The next instant at which a key starts to sign or retires, or undefined. */
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
 * How long before it signs a key is published that comes by itself: an application that keeps the key set for the overlap, from a cache that had kept it for
 * its max-age, at a node with another clock, has it by then.
 */
export const keyLeadSeconds = ({ keyOverlapSeconds, documentCacheSeconds, keySkewSeconds }: Lead): number =>
  keyOverlapSeconds + documentCacheSeconds + keySkewSeconds

interface Lifetimes {
  readonly idTokenTtlSeconds: number
  readonly accessTokenTtlSeconds: number
  readonly keySkewSeconds: number
}

/** How long a key stays published after its last signature: longer than any token that it signed is valid, one for an API included. */
export const keyTailSeconds = ({ idTokenTtlSeconds, accessTokenTtlSeconds, keySkewSeconds }: Lifetimes): number =>
  Math.max(idTokenTtlSeconds, accessTokenTtlSeconds, longestApiTokenSeconds) + keySkewSeconds

interface RotationPeriod {
  /** 0: keys do not change by themselves. */
  readonly keyRotationDays: number
}

/** When the successor of the newest key of an algorithm should sign; null where it comes by hand alone. */
export const successionOf = ({ signsFrom }: Pick<KeySchedule, 'signsFrom'>, { keyRotationDays }: RotationPeriod): Date | null =>
  keyRotationDays === 0 ? null : new Date(signsFrom.getTime() + keyRotationDays * daySeconds * 1000)

/** True when it is time to publish the successor of the newest key. One that does not sign yet has no successor. */
export const isSuccessorDue = (newest: KeySchedule, config: RotationPeriod & Lead, now: Date): boolean => {
  const at = successionOf(newest, config)
  return at !== null && newest.signsFrom <= now && at.getTime() - keyLeadSeconds(config) * 1000 <= now.getTime()
}

/** Until when a key signs: the time of its successor, published or planned; null where none is planned. A plan is never for before `earliest`. */
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
