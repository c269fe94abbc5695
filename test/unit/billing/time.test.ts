import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortableTime } from '../../../src/billing/events/shared.ts'

test.each([
  ['2025-07-01T02:00:00Z', '2025-07-01T02:00:00.000000Z'],
  ['2025-07-01T02:00:00.5+02:00', '2025-07-01T00:00:00.500000Z'],
  ['2025-12-31T23:30:00.123456-01:00', '2026-01-01T00:30:00.123456Z'],
  ['2025-07-01T02:00:00.123456789Z', '2025-07-01T02:00:00.123456Z'],
  ['2024-02-29T23:59:59.999999+00:00', '2024-02-29T23:59:59.999999Z'],
  ['0000-01-01T00:00:00+01:00', '0000-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59.999999Z'],
  ['yesterday', '0000-01-01T00:00:00.000000Z'],
  ['', '0000-01-01T00:00:00.000000Z'],
])('the time %s is %s in UTC with a fixed width', (text, sortable) => {
  expect(sortableTime(text)).toBe(sortable)
})

const pad = (value: number, width: number) => String(value).padStart(width, '0')

/** A time written with some offset and number of digits, and the same time in microseconds. */
const times = fc
  .record({
    minute: fc.integer({ min: 10_000, max: 60_000_000 }),
    second: fc.nat(59),
    micros: fc.nat(999_999),
    offset: fc.integer({ min: -1439, max: 1439 }),
    more: fc.stringMatching(/^\d{0,4}$/),
  })
  .map(({ minute, second, micros, offset, more }) => {
    const local = new Date((minute + offset) * 60_000).toISOString().slice(0, 16)
    const sign = offset < 0 ? '-' : '+'
    const zone = `${sign}${pad(Math.floor(Math.abs(offset) / 60), 2)}:${pad(Math.abs(offset) % 60, 2)}`
    return { text: `${local}:${pad(second, 2)}.${pad(micros, 6)}${more}${zone}`, at: (minute * 60 + second) * 1_000_000 + micros }
  })

test('sortable times compare like the times from which they were made, whatever their offset and digits', () => {
  fc.assert(
    fc.property(times, times, (a, b) => {
      const [left, right] = [sortableTime(a.text), sortableTime(b.text)]
      expect(left).toHaveLength(27)
      expect(Math.sign(a.at - b.at)).toBe(left < right ? -1 : left > right ? 1 : 0)
    }),
  )
})
