import { dayOf, shiftDay, timeOf } from './rules.ts'

const minuteMs = 60_000
const halfHourMs = 30 * minuteMs

/** The half hour of a time, in UTC: `2026-11-23T05:30`. In nearly every zone, days consist of whole half hours; a few zones have quarters. */
export const halfHourOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / halfHourMs) * halfHourMs).toISOString().slice(0, 16)

/** Consecutive half hours for which the zone has the same offset from UTC. */
export interface Segment {
  /** The first half hour, and the one after the last. */
  readonly begins: string
  readonly ends: string
  /** The offset from UTC in minutes. */
  readonly minutes: number
}

/** Returns a function for a zone's offset from UTC in minutes, rounded to half hours. */
const offsetsOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en', {
    ...{
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    },
  })
  return (time: number): number => {
    // Offsets of zones have no seconds.
    const at = Math.floor(time / minuteMs) * minuteMs
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return Math.floor((Date.UTC(year, month - 1, day, hour, minute) - at) / halfHourMs) * 30
  }
}

/** The day of a time in a zone. */
export const dayIn = (zone: string, at: Date): string => dayOf(new Date(at.getTime() + offsetsOf(zone)(at.getTime()) * minuteMs))

/** The half hours of the days in a range, in a zone. Each change of the zone's clocks begins a new segment. */
export const segmentsOf = (zone: string, from: string, to: string): readonly Segment[] => {
  const offsetAt = offsetsOf(zone)
  const isBefore = (at: number, day: string) => dayOf(new Date(at + offsetAt(at) * minuteMs)) < day
  /** No zone is more than 14 hours from UTC. If clocks change at midnight, a day may begin at one o'clock. */
  const beginOf = (day: string) => {
    let at = timeOf(day) - 28 * halfHourMs
    while (isBefore(at, day)) at += halfHourMs
    return at
  }
  const end = beginOf(shiftDay(to, 1))
  const segments: Segment[] = []
  let begin = beginOf(from)
  let offset = offsetAt(begin)
  const put = (ends: number) =>
    segments.push({ begins: halfHourOf(new Date(begin)), ends: halfHourOf(new Date(ends)), minutes: offset })
  for (let at = begin; at < end; ) {
    const next = Math.min(end, at + 24 * 2 * halfHourMs)
    // Clocks change at most once a day, so the change is searched between two times whose offsets differ.
    if (offsetAt(next) === offset) at = next
    else {
      while (offsetAt(at) === offset && at < end) at += halfHourMs
      if (at >= end) break
      put(at)
      begin = at
      offset = offsetAt(at)
    }
  }
  put(end)
  return segments
}
