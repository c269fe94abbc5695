import { expect, test } from 'vitest'
import { dayIn, halfHourOf, segmentsOf } from '../../src/statistics/zones.ts'

test('a half hour begins at its first minute', () => {
  expect(halfHourOf(new Date('2026-11-23T05:59:59.999Z'))).toBe('2026-11-23T05:30')
  expect(halfHourOf(new Date('2026-11-23T06:00:00.000Z'))).toBe('2026-11-23T06:00')
})

test.each([
  ['Pacific/Kiritimati', '2026-11-23T10:00:30Z', '2026-11-24'],
  ['Pacific/Pago_Pago', '2026-11-23T10:59:59Z', '2026-11-22'],
  ['Asia/Kolkata', '2026-11-23T18:30:00Z', '2026-11-24'],
  ['UTC', '2026-11-23T23:59:59Z', '2026-11-23'],
])('the day and time in %s at %s is the %s', (zone, at, day) => {
  expect(dayIn(zone, new Date(at))).toBe(day)
})

test.each([
  ['UTC', '2026-11-01', '2026-11-30', [['2026-11-01T00:00', '2026-12-01T00:00', 0]]],
  [
    'Europe/Berlin',
    '2026-03-29',
    '2026-03-29',
    [
      ['2026-03-28T23:00', '2026-03-29T01:00', 60],
      ['2026-03-29T01:00', '2026-03-29T22:00', 120],
    ],
  ],
  // Clocks change at midnight here, so the day begins at one.
  ['Africa/Cairo', '2026-04-24', '2026-04-24', [['2026-04-23T22:00', '2026-04-24T21:00', 180]]],
  [
    'Australia/Lord_Howe',
    '2026-04-05',
    '2026-04-05',
    [
      ['2026-04-04T13:00', '2026-04-04T15:00', 660],
      ['2026-04-04T15:00', '2026-04-05T13:30', 630],
    ],
  ],
  // A quarter of an hour away from the half hours.
  ['Asia/Kathmandu', '2026-11-23', '2026-11-23', [['2026-11-22T18:30', '2026-11-23T18:30', 330]]],
])('the half hours of %s from %s to %s follow the clocks of the zone', (zone, from, to, expected) => {
  expect(segmentsOf(zone, from, to).map(({ begins, ends, minutes }) => [begins, ends, minutes])).toEqual(expected)
})

test('every half hour of a year is in the day that the clocks of its zone show', () => {
  for (const zone of ['America/Sao_Paulo', 'Africa/Casablanca', 'Asia/Tehran', 'America/St_Johns', 'Pacific/Apia']) {
    const segments = segmentsOf(zone, '2026-01-01', '2026-12-31')
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
    for (const { begins, ends, minutes } of segments)
      for (let at = Date.parse(`${begins}Z`); at < Date.parse(`${ends}Z`); at += 1_800_000)
        expect(new Date(at + minutes * 60_000).toISOString().slice(0, 10), `${zone} ${at}`).toBe(format.format(at))
    expect(segments.map(({ begins }) => begins).slice(1)).toEqual(segments.map(({ ends }) => ends).slice(0, -1))
  }
})
