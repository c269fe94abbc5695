import { expect, test, vi } from 'vitest'
import { readTimeZone } from '../../src/core/time-zone.ts'

test('a zone that comes with every call is looked up once, known or not', () => {
  // Names that no other test of this process has asked for.
  const lookUp = vi.spyOn(Intl, 'DateTimeFormat')
  const names = ['Pacific/Chatham', 'Nowhere/AtAll', 'Pacific/Chatham', 'Nowhere/AtAll', 'pacific/chatham']
  expect(names.map(readTimeZone)).toEqual(['Pacific/Chatham', undefined, 'Pacific/Chatham', undefined, 'Pacific/Chatham'])
  expect(lookUp).toHaveBeenCalledTimes(3)
  for (let i = 0; i < 2_000; i += 1) readTimeZone(`Nowhere/N${i}`)
  expect(readTimeZone('Pacific/Chatham')).toBe('Pacific/Chatham')
})
