import fc from 'fast-check'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { keyUri, secretOf, stepOf } from '../../src/authentication/methods/totp/service.ts'

/** RFC 6238, appendix B: the SHA-1 secret and its codes of 8 digits. Codes here are the last 6 digits. */
const secret = secretOf(Buffer.from('12345678901234567890'))
const vectors: readonly (readonly [seconds: number, code: string])[] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]
const at = (seconds: number) => new Date(seconds * 1000)
const codeAt = (step: number) => generateSync({ secret, epoch: step * 30 })

test('an authenticator app secret of 20 bytes is written in 32 letters and digits', () => {
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

test.each(vectors)('the code of RFC 6238 at second %i is right', (seconds, code) => {
  expect(stepOf(secret, code.slice(2), at(seconds), null)).toBe(Math.floor(seconds / 30))
  expect(stepOf(secret, ` ${code.slice(2, 5)} ${code.slice(5)}`, at(seconds), null)).toBe(Math.floor(seconds / 30))
})

test('an authenticator app code is accepted one time step before and after its own step, and not two steps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 60_000_000 }), fc.integer({ min: 0, max: 29 }), (step, second) => {
      const now = at(step * 30 + second)
      for (const drift of [-1, 0, 1])
        expect([step - 1, step, step + 1]).toContain(stepOf(secret, codeAt(step + drift), now, null))
      const near = [-1, 0, 1].map((drift) => codeAt(step + drift))
      for (const drift of [-2, 2]) {
        const code = codeAt(step + drift)
        if (!near.includes(code)) expect(stepOf(secret, code, now, null)).toBeUndefined()
      }
    }),
  )
})

test('an authenticator app code of a used time step, or of an earlier one, is not accepted again', () => {
  const now = at(3000)
  expect(stepOf(secret, codeAt(100), now, 99)).toBe(100)
  expect(stepOf(secret, codeAt(100), now, 100)).toBeUndefined()
  expect(stepOf(secret, codeAt(99), now, 100)).toBeUndefined()
  expect(stepOf(secret, codeAt(101), now, 100)).toBe(101)
})

test('codes of an authenticator app are refused without an error after a clock was set back', () => {
  for (const last of [101, 102, 1_000_000]) expect(stepOf(secret, codeAt(100), at(3000), last)).toBeUndefined()
})

test('any other text in place of an authenticator app code is a wrong code, and not an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (typed) => {
      if (!/^\s*(\d\s*){6}$/.test(typed)) expect(stepOf(secret, typed, at(3000), null)).toBeUndefined()
    }),
  )
  for (const typed of ['', '12345', '1234567', '12a456', '１２３４５６'])
    expect(stepOf(secret, typed, at(3000), null)).toBeUndefined()
})

test('the address in the QR code names issuer and account, whatever their characters', () => {
  const uri = new URL(keyUri(secret, 'Acme & Co: Ltd', 'ann+1@example.com'))
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Acme & Co Ltd:ann+1@example.com',
  ])
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: 'Acme & Co Ltd' })
})
