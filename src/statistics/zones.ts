import { dayOf, shiftDay, timeOf } from './rules.ts'

const minuteMs = 60_000
const halfHourMs = 30 * minuteMs

/**
 * The half hour that contains a time, in UTC, such as `2026-11-23T05:30`. In nearly every zone, a day consists of whole half hours. Only
 * a few zones have quarter hours.
 */
export const halfHourOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / halfHourMs) * halfHourMs).toISOString().slice(0, 16)

/** Consecutive half hours during which a zone has one offset from UTC. */
export interface Segment {
  /** The first half hour, and the half hour that follows the last. */
  readonly begins: string
  readonly ends: string
  /** The zone's offset from UTC in minutes. */
  readonly minutes: number
}

/** Returns a function that gives a zone's offset from UTC at a time. The offset is in minutes and rounded down to half hours. */
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
    // The time is cut to whole minutes before it is compared, because the format has no seconds. This loses nothing, as offsets from UTC
    // have no seconds.
    const at = Math.floor(time / minuteMs) * minuteMs
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return Math.floor((Date.UTC(year, month - 1, day, hour, minute) - at) / halfHourMs) * 30
  }
}

/** The day of a time in a zone. */
export const dayIn = (zone: string, at: Date): string => dayOf(new Date(at.getTime() + offsetsOf(zone)(at.getTime()) * minuteMs))

/** The half hours of a range of days in a zone. Whenever the zone's clocks change, a new segment begins. */
export const segmentsOf = (zone: string, from: string, to: string): readonly Segment[] => {
  const offsetAt = offsetsOf(zone)
  const isBefore = (at: number, day: string) => dayOf(new Date(at + offsetAt(at) * minuteMs)) < day
  /**
   * Returns the time at which a day begins. The search starts 14 hours before midnight UTC, because no zone is further ahead. If clocks
   * change at midnight, a day may begin at one o'clock.
   */
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
    // Clocks change at most once a day. If the offsets of two times differ, the change is searched between them.
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
