import { expect, test, vi } from 'vitest'
import { readTimeZone } from '../../src/core/time-zone.ts'

test('a zone that comes with every call is looked up once, known or not', () => {
  const lookUp = vi.spyOn(Intl, 'DateTimeFormat')
  const names = ['Asia/Tokyo', 'Nowhere/None', 'Asia/Tokyo', 'Nowhere/None', 'asia/tokyo']
  expect(names.map(readTimeZone)).toEqual(['Asia/Tokyo', undefined, 'Asia/Tokyo', undefined, 'Asia/Tokyo'])
  expect(lookUp).toHaveBeenCalledTimes(3)
  for (let i = 0; i < 2_000; i += 1) readTimeZone(`Nowhere/N${i}`)
  expect(readTimeZone('Asia/Tokyo')).toBe('Asia/Tokyo')
})
