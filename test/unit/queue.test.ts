import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backOff } from '../../src/core/queue-worker.ts'

test('the wait between attempts of a task doubles up to the maximum, with at most a fifth added', () => {
  expect([1, 2, 3, 4].map((attempts) => backOff(attempts, [5, 3_600], 0))).toEqual([5, 10, 20, 40])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 3600 }), fc.nat(255), (attempts, first, byte) => {
      const plain = backOff(attempts, [first, 3_600], 0)
      const delay = backOff(attempts, [first, 3_600], byte)
      return plain <= 3600 && delay >= plain && delay <= plain * 1.2
    }),
  )
})
