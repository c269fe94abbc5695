import { expect, test } from 'vitest'
import { proofWays } from '../../../admin-ui/shared/proof/ways.ts'

const facts: Parameters<typeof proofWays>[0] = {
  status: { isEnabled: false, methods: ['passkey'] },
  accounts: [{ provider: 'credential' }],
  ...{ needsSecondFactor: false, knowsPasskeys: true, emailVerified: true, isAgain: false },
}
const withoutPassword = { ...facts, accounts: [{ provider: 'github' }] }

test('a person with a password is asked for the password, and asked again if another proof was not enough', () => {
  expect(proofWays(facts)).toEqual(['password', 'passkey'])
  expect(proofWays({ ...facts, isAgain: true })).toEqual(['password'])
  const enabled = { ...facts, status: { isEnabled: true, methods: ['totp', 'recovery-code'] } }
  expect(proofWays(enabled)).toEqual(['totp', 'recovery-code'])
  expect(proofWays({ ...enabled, isAgain: true })).toEqual(['password', 'totp', 'recovery-code'])
})

test('a person without a password is not asked again after an insufficient proof, because only a new sign-in helps', () => {
  expect(proofWays(withoutPassword)).toEqual(['passkey'])
  expect(proofWays({ ...withoutPassword, isAgain: true })).toEqual([])
  const nothing = { ...withoutPassword, status: { isEnabled: false, methods: [] } }
  expect(proofWays(nothing)).toEqual(['mail-code'])
  expect(proofWays({ ...nothing, isAgain: true })).toEqual([])
})
