import { time } from './shared.ts'

const first = '0000-01-01T00:00:00.000000Z'
const last = '9999-12-31T23:59:59.999999Z'

/**
 * A `time` of an event as UTC text of fixed width with 6 fraction digits (more are cut), so that comparing texts compares times.
 * `2025-07-01T02:00:00.5+02:00` becomes `2025-07-01T00:00:00.500000Z`. Text that is no time comes before all times: of events that we
 * know no more of than an id, nobody has checked the stamps.
 */
export const sortableTime = (text: string): string => {
  if (!time.safeParse(text).success) return first
  const [, seconds = '', fraction = '', offset = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(text) ?? []
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  if (offset === 'Z') return `${seconds}.${micros}Z`
  // Offsets are whole minutes: they leave the fraction alone.
  const utc = new Date(`${seconds}${offset}`).toISOString()
  // Years before 0 and after 9999 have a sign; an offset can lead there.
  if (utc.startsWith('-')) return first
  return utc.startsWith('+') ? last : `${utc.slice(0, 19)}.${micros}Z`
}
