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
