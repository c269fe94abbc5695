import { expect, test } from 'vitest'
import { isAllowed, isBesideMailbox } from '../../src/authentication/methods/mail-codes/rules.ts'
import type { AuthenticationMethod, Factor, MethodName } from '../../src/core/second-factors.ts'

const good = { isOn: true, emailVerified: true, hasSecondFactor: true, isRequired: false, isBlocked: false }

test('a mailed second-factor code is allowed only if each of its conditions is met', () => {
  expect(isAllowed(good)).toBe(true)
  for (const key of Object.keys(good) as (keyof typeof good)[])
    expect([key, isAllowed({ ...good, [key]: !good[key] })]).toEqual([key, false])
})

const proven = (name: MethodName, ...factors: readonly Factor[]): AuthenticationMethod => ({ name, amr: [], factors })
const [link, code] = [proven('mail-link', 'knowledge'), proven('mail-code', 'possession')]
const federated = proven('federated', 'knowledge')

test('a mailed second-factor code requires an earlier proof that access to the mailbox cannot give', () => {
  for (const given of [proven('password', 'knowledge'), proven('federated', 'knowledge', 'possession')])
    expect(isBesideMailbox([link, given])).toBe(true)
  for (const given of [[], [link], [link, code], [federated], [federated, link]]) expect(isBesideMailbox(given)).toBe(false)
})
