import { expect, test } from 'vitest'
import { daysFrom, limitKeys, mergeCounts, mostKeys, periodsOf, shiftDay } from '../../src/statistics/rules.ts'

test.each([
  ['2026-11-23', '2026-W48', '2026-11-23', '2026-11-29'],
  ['2026-11-29', '2026-W48', '2026-11-23', '2026-11-29'],
  ['2027-01-03', '2026-W53', '2026-12-28', '2027-01-03'],
  ['2027-01-04', '2027-W01', '2027-01-04', '2027-01-10'],
  ['2024-12-30', '2025-W01', '2024-12-30', '2025-01-05'],
])('%s is in the week %s, from Monday to Sunday', (day, name, firstDay, lastDay) => {
  expect(periodsOf(day).week).toEqual({ kind: 'week', name, firstDay, lastDay })
})

test.each([
  ['2028-02-29', '2028-02-29'],
  ['2026-12-01', '2026-12-31'],
  ['2026-11-30', '2026-11-30'],
])('the month of %s ends on %s', (day, lastDay) => {
  expect(periodsOf(day).month).toEqual({ kind: 'month', name: day.slice(0, 7), firstDay: `${day.slice(0, 7)}-01`, lastDay })
})

test('a series of days has no gap at the end of a month or a year', () => {
  expect(daysFrom('2026-12-30', '2027-01-02')).toEqual(['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'])
  expect(daysFrom('2026-12-30', '2026-12-29')).toEqual([])
  expect(shiftDay('2028-03-01', -1)).toBe('2028-02-29')
})

test('statistics keys beyond the daily limit are counted together as others, and known keys keep their own count', () => {
  const one = { day: '2026-11-23', measure: 'm', amount: 1 }
  const known = Array.from({ length: mostKeys }, (_, index) => ({ ...one, key: `k${index}` }))
  const counts = [
    { ...one, key: 'k7' },
    { ...one, key: 'new' },
    { ...one, measure: 'another', key: 'new' },
    { ...one, day: '2026-11-24', key: 'new' },
  ]
  expect(limitKeys(counts, known).map(({ key }) => key)).toEqual(['k7', '*', 'new', 'new'])
  const sums = mergeCounts(
    limitKeys(
      [
        { ...one, key: 'new' },
        { ...one, key: 'newer' },
      ],
      known,
    ),
    (a, b) => a + b,
  )
  expect(sums).toEqual([{ ...one, key: '*', amount: 2 }])
})
