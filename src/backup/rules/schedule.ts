import { daySeconds, hourSeconds } from '../../core/time.ts'

export interface Schedule {
  /** Hours between two backups. With 0, no backups are scheduled. */
  readonly everyHours: number
  /** A time of day in UTC, such as `03:30`, from which the hours are counted. */
  readonly at: string | undefined
}

/** How long to wait before a failed backup is tried again, in milliseconds. */
const retryMs = hourSeconds * 1000

/**
 * True if a backup has to be made now. Either enough hours have passed since the last good backup began, or a scheduled time has come
 * since then. A failed backup is tried again after an hour.
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
 * Returns the good backups that can be deleted. `backups` have to be sorted, newest first. A backup is kept if it is among the newest
 * `count` backups, or younger than `days`. The newest backup is always kept.
 */
export const chooseOutdated = <B extends { readonly startedAt: Date }>(
  newestFirst: readonly B[],
  keep: Keep,
  now: Date,
): readonly B[] =>
  newestFirst
    .slice(Math.max(1, keep.count))
    .filter(({ startedAt }) => keep.days === undefined || now.getTime() - startedAt.getTime() >= keep.days * daySeconds * 1000)

/** A file name such as `gatehouse-20261122T101500Z-Ab3dEf.jsonl.gz`. Names sort by time, and backups within one second have different names. */
export const fileNameOf = (now: Date, random: string): string =>
  `gatehouse-${now.toISOString().replace(/[-:]|\.\d{3}/g, '')}-${random}.jsonl.gz`

/** True if the last backup is older than the schedule allows. */
export const isOld = (madeAt: Date, everyHours: number, now: Date): boolean =>
  now.getTime() - madeAt.getTime() > Math.max(48, 2 * everyHours) * hourSeconds * 1000
