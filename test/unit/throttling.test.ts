import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { attemptSettings } from '../../src/authentication/attempts/contract.ts'
import { decideAttempt, type Failures } from '../../src/authentication/attempts/throttling/rules.ts'

/** The default policy. */
const { guessing: policy } = z.object(attemptSettings).parse({})
const start = 1_700_000_000_000

/** Fails as often as allowed within `seconds`, with a try every `every` seconds. */
const failuresWithin = (seconds: number, every: number) => {
  let failures: Failures | undefined
  let count = 0
  for (let at = 0; at <= seconds; at += every) {
    const attempt = decideAttempt(failures, new Date(start + at * 1000), policy)
    if (attempt.kind !== 'counted') continue
    failures = attempt.failures
    count += 1
  }
  return count
}

test('by default ten wrong passwords are free, and a hundred in a row lock the password', () => {
  expect(policy).toMatchObject({ freeAttempts: 10, resetAfter: 100 })
})

test('waits after wrong passwords double from 15 seconds to 15 minutes', () => {
  let failures: Failures | undefined
  let now = start
  const waits: number[] = []
  for (let i = 0; i < 18; i += 1) {
    const attempt = decideAttempt(failures, new Date(now), policy)
    if (attempt.kind !== 'counted') throw new Error('was to be counted')
    failures = attempt.failures
    const wait = failures.waitUntil === null ? 0 : failures.waitUntil.getTime() - now
    waits.push(wait / 1000)
    now += wait
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900])
})

test('a client can try at most 100 passwords a day and 16 in fifteen minutes, however the attempts are spread', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1000 }), (every) => failuresWithin(86_400, every) <= 100))
  fc.assert(fc.property(fc.integer({ min: 1, max: 300 }), (every) => failuresWithin(900, every) <= 16))
})

test('the wait after wrong passwords ends after fifteen minutes without an attempt, but the count of consecutive wrong passwords stays', () => {
  const seen: Failures = { recent: 9, consecutive: 9, lastAt: new Date(start), waitUntil: null }
  expect(decideAttempt(seen, new Date(start + 901_000), policy)).toMatchObject({ failures: { recent: 1, consecutive: 10 } })
  expect(decideAttempt({ ...seen, consecutive: 100 }, new Date(start + 9_001_000), policy)).toEqual({ kind: 'locked' })
})

test('a count of wrong passwords expires a day after the last wrong password, and a lock does not', () => {
  const seen: Failures = { recent: 9, consecutive: 99, lastAt: new Date(start), waitUntil: null }
  const tomorrow = new Date(start + 86_401_000)
  expect(decideAttempt(seen, tomorrow, policy)).toMatchObject({ failures: { recent: 1, consecutive: 1 } })
  expect(decideAttempt({ ...seen, consecutive: 100 }, tomorrow, policy)).toEqual({ kind: 'locked' })
})
