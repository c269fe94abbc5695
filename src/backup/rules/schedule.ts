import { daySeconds, hourSeconds } from '../../core/time.ts'

export interface Schedule {
  /** Hours between two backups. 0 means no scheduled backups. */
  readonly everyHours: number
  /** Time of day in UTC (`03:30`) from which the hours are counted. */
  readonly at: string | undefined
}

/** Time before a failed backup is repeated. */
const retryMs = hourSeconds * 1000

/**
 * True when a backup is due: enough hours have passed since the last good one began, or a scheduled time lies between its beginning and
 * now. A failed backup is repeated an hour later.
 */
export const isDue = (
  { everyHours, at }: Schedule,
  now: Date,
  last: { readonly madeAt: Date | undefined; readonly failedAt: Date | undefined },
): boolean => {
  if (everyHours === 0) return false
  if (last.failedAt !== undefined && now.getTime() - last.failedAt.getTime() < retryMs) return false
  const everyMs = everyHours * hourSeconds * 1000
  if (last.madeAt === undefined) return true
  if (at === undefined) return now.getTime() - last.madeAt.getTime() >= everyMs
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const anchor = (hours * 60 + minutes) * 60_000
  const slot = anchor + Math.floor((now.getTime() - anchor) / everyMs) * everyMs
  return last.madeAt.getTime() < slot
}

export interface Keep {
  readonly count: number
  readonly days?: number | undefined
}

/**
 * The good backups to delete. `backups` are ordered newest first. A backup stays if it is among the newest `count` or younger than
 * `days`; the newest one always stays.
 */
export const chooseOutdated = <B extends { readonly startedAt: Date }>(
  newestFirst: readonly B[],
  keep: Keep,
  now: Date,
): readonly B[] =>
  newestFirst
    .slice(Math.max(1, keep.count))
    .filter(({ startedAt }) => keep.days === undefined || now.getTime() - startedAt.getTime() >= keep.days * daySeconds * 1000)

/** `gatehouse-20261122T101500Z-Ab3dEf.jsonl.gz`: names sort by time, and differ even within one second. */
export const fileNameOf = (now: Date, random: string): string =>
  `gatehouse-${now.toISOString().replace(/[-:]|\.\d{3}/g, '')}-${random}.jsonl.gz`

/** True when the last backup is too old. */
export const isOld = (madeAt: Date, everyHours: number, now: Date): boolean =>
  now.getTime() - madeAt.getTime() > Math.max(48, 2 * everyHours) * hourSeconds * 1000
