import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeFrom, codeLength, normalCode } from '../../src/authentication/methods/recovery-codes/rules.ts'

test('a recovery code has two halves of unambiguous letters and digits, each equally likely', () => {
  const seen = new Map<string, number>()
  for (let byte = 0; byte < 256; byte += 1) {
    const code = codeFrom(Buffer.alloc(codeLength, byte))
    expect(code).toMatch(/^([a-km-np-z2-9])\1{4}-\1{5}$/)
    seen.set(code, (seen.get(code) ?? 0) + 1)
  }
  expect(seen.size).toBe(32)
  expect(new Set(seen.values())).toEqual(new Set([8]))
})

test('a recovery code is the same in capitals, with blanks, and with any or no dash', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: codeLength, maxLength: codeLength }), (bytes) => {
      const code = codeFrom(bytes)
      for (const dash of ['', ' ', '–', '‐', ' - '])
        expect(normalCode(`\t${code.toUpperCase().replace('-', dash)} `)).toBe(normalCode(code))
    }),
  )
  expect(normalCode('abcde-fghij')).toBe('abcdefghij')
})
