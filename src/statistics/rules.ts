import { dayMs } from '../core/time.ts'

/** The key under which everything beyond the limit of keys is counted together. */
export const others = '*'

export type PeriodKind = 'day' | 'week' | 'month'

/** The day of a time, in UTC, such as `2026-11-23`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The time at which a day begins in UTC, in milliseconds. */
export const timeOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

/** The day that is `days` days after `day`. With a negative number it is an earlier day. */
export const shiftDay = (day: string, days: number): string => dayOf(new Date(timeOf(day) + days * dayMs))

/** All days from `from` to `to`, including both. */
export const daysFrom = (from: string, to: string): readonly string[] => {
  const count = Math.round((timeOf(to) - timeOf(from)) / dayMs) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => shiftDay(from, index))
}

/** A day, week or month in which a person is counted once. */
export interface Period {
  readonly kind: PeriodKind
  /** The name of a day (`2026-11-23`), a week (`2026-W48`, numbered as in ISO 8601) or a month (`2026-11`). */
  readonly name: string
  readonly firstDay: string
  readonly lastDay: string
}

/** The three periods that contain a day: the day itself, its week (beginning on Monday) and its month. */
export const periodsOf = (day: string): Readonly<Record<PeriodKind, Period>> => {
  const sinceMonday = (new Date(timeOf(day)).getUTCDay() + 6) % 7
  const monday = shiftDay(day, -sinceMonday)
  const thursday = shiftDay(monday, 3)
  const year = thursday.slice(0, 4)
  const week = Math.floor((timeOf(thursday) - timeOf(`${year}-01-01`)) / (7 * dayMs)) + 1
  const month = day.slice(0, 7)
  const afterMonth = new Date(timeOf(`${month}-01`))
  afterMonth.setUTCMonth(afterMonth.getUTCMonth() + 1)
  return {
    day: { kind: 'day', name: day, firstDay: day, lastDay: day },
    week: { kind: 'week', name: `${year}-W${String(week).padStart(2, '0')}`, firstDay: monday, lastDay: shiftDay(monday, 6) },
    month: { kind: 'month', name: month, firstDay: `${month}-01`, lastDay: shiftDay(dayOf(afterMonth), -1) },
  }
}

/** A number to add to the stored number, or to compare with it. */
export interface Count {
  /** A day in UTC. For measures that can be shown in any zone, it is a half hour. */
  readonly day: string
  readonly measure: string
  readonly key: string
  readonly amount: number
}

const idOf = ({ day, measure, key }: Omit<Count, 'amount'>) => JSON.stringify([day, measure, key])

/** Merges counts that have the same day, measure and key. The result has the same order on all nodes, so that they do not block each other. */
export const mergeCounts = (counts: readonly Count[], merge: (one: number, other: number) => number): readonly Count[] => {
  const merged = new Map<string, Count>()
  for (const count of counts) {
    const id = idOf(count)
    const before = merged.get(id)
    merged.set(id, before === undefined ? count : { ...count, amount: merge(before.amount, count.amount) })
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count)
}

/** How many keys of a measure are counted separately on one day at most. */
export const mostKeys = 200

/** Counts keys beyond `mostKeys` under `others`. Keys that are already stored for the day (`known`) stay as they are. */
export const limitKeys = (counts: readonly Count[], known: readonly Omit<Count, 'amount'>[]): readonly Count[] => {
  const groupOf = ({ day, measure }: Omit<Count, 'amount'>) => `${day} ${measure}`
  const groups = new Map<string, Set<string>>()
  const keysOf = (count: Omit<Count, 'amount'>) => {
    const keys = groups.get(groupOf(count)) ?? new Set()
    groups.set(groupOf(count), keys)
    return keys
  }
  for (const one of known) if (one.key !== others) keysOf(one).add(one.key)
  return counts.map((count) => {
    const keys = keysOf(count)
    if (count.key === others || keys.has(count.key)) return count
    if (keys.size >= mostKeys) return { ...count, key: others }
    keys.add(count.key)
    return count
  })
}
