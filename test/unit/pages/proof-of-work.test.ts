import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSearch } from '../../../admin-ui/shared/proof-of-work/search.ts'
import { hasZeroBits, parseSolution } from '../../../src/limits/proof-of-work/rules.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the server accepts the proof of work of the pages, with challenges of any length', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w.-]{0,200}$/), fc.integer({ min: 1, max: 9 }), (challenge, difficulty) => {
      const solution = createSearch(challenge, difficulty)(100_000) ?? ''
      expect(solution.startsWith(`${challenge}.`)).toBe(true)
      expect(hasZeroBits(sha256(solution), difficulty)).toBe(true)
    }),
  )
})

test('a search for a proof of work continues where it stopped', () => {
  const challenge = 'the same challenge'
  const search = createSearch(challenge, 12)
  let found: string | undefined
  while (found === undefined) found = search(7)
  expect(found).toBe(createSearch(challenge, 12)(1_000_000))
})

test('zero bits are counted as in the binary form of the hash', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f]{8}$/), fc.integer({ min: 1, max: 26 }), (hex, bits) => {
      const binary = Number.parseInt(hex, 16).toString(2).padStart(32, '0')
      expect(hasZeroBits(hex, bits)).toBe(binary.startsWith('0'.repeat(bits)))
    }),
  )
})

test.each(['', '.', 'sign-up', 'sign-up.1.1.x.y.z', `other.1.1.${'a'.repeat(24)}.${'b'.repeat(43)}.c`, 'a'.repeat(10_000)])(
  'the header %.40s does not have the form of a proof of work',
  (header) => {
    expect(parseSolution(header)).toBeUndefined()
  },
)
