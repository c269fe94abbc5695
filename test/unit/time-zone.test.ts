import { expect, test, vi } from 'vitest'
import { readTimeZone } from '../../src/core/time-zone.ts'

test('a time zone that comes with every call is looked up once, whether known or unknown', () => {
  // No other test of this process uses these names.
  const lookUp = vi.spyOn(Intl, 'DateTimeFormat')
  const names = ['Pacific/Chatham', 'Nowhere/OfThisTest', 'Pacific/Chatham', 'Nowhere/OfThisTest', 'pacific/chatham']
  expect(names.map(readTimeZone)).toEqual(['Pacific/Chatham', undefined, 'Pacific/Chatham', undefined, 'Pacific/Chatham'])
  expect(lookUp).toHaveBeenCalledTimes(3)
  for (let i = 0; i < 2_000; i += 1) readTimeZone(`Nowhere/N${i}`)
  expect(readTimeZone('Pacific/Chatham')).toBe('Pacific/Chatham')
})
