import { expect, test } from 'vitest'
import { parseEmail } from '../../src/core/wire.ts'

test('an address is lower-cased, and only what is an address as typed: no letter becomes one of ASCII', () => {
  expect(parseEmail(' Kate@X.Example ')).toBe('kate@x.example')
  for (const bad of ['\u212Aate@x.example', 'kate@\u212A.example', 'ﬁ@x.example', '\u0130@x.example', 'a@b@c'])
    expect(parseEmail(bad), bad).toBeUndefined()
})
