import { expect, test } from 'vitest'
import { isAllowed, isBesideMailbox } from '../../src/authentication/methods/mail-codes/rules.ts'

const good = { isOn: true, emailVerified: true, hasSecondFactor: true, isRequired: false, isBlocked: false }

test('a mailed code is allowed only where each of its conditions is met', () => {
  expect(isAllowed(good)).toBe(true)
  for (const key of Object.keys(good) as (keyof typeof good)[])
    expect([key, isAllowed({ ...good, [key]: !good[key] })]).toEqual([key, false])
})

test('a mailed code needs a proof of something else than the mailbox before it', () => {
  expect(isBesideMailbox(['password'])).toBe(true)
  expect(isBesideMailbox(['mail-link', 'federated'])).toBe(true)
  for (const given of [[], ['mail-link'], ['mail-link', 'mail-code']] as const) expect(isBesideMailbox(given)).toBe(false)
})
