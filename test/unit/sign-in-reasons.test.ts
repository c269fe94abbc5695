import { expect, test } from 'vitest'
import { createQuota, redactText } from '../../src/authentication/failures/rules.ts'
import { inShell } from '../../src/core/terminal.ts'

test('an argument with special shell characters is quoted', () => {
  expect(inShell('ann+shop@example.com')).toBe('ann+shop@example.com')
  expect(inShell(`o'hara$(id)@example.com`)).toBe(`'o'\\''hara$(id)@example.com'`)
})

test('email addresses and control characters are removed from external text, and long text is shortened', () => {
  expect(redactText('user <ann@example.com> and ann%40example.com\u001b[31m')).toBe('user <…> and … [31m')
  expect(redactText('x'.repeat(1000))).toHaveLength(200)
})

test('a quota is taken from all keys or from none, and starts anew each hour', () => {
  const quota = createQuota()
  const now = new Date('2026-01-01T10:30:00Z')
  const take = (at = now) =>
    quota.take(
      [
        ['person', 1],
        ['network', 2],
      ],
      at,
    )
  expect([take(), take()]).toEqual([undefined, 0])
  expect(quota.take([['network', 2]], now)).toBeUndefined()
  expect(quota.take([['network', 2]], now)).toBe(0)
  expect(take(new Date('2026-01-01T11:00:00Z'))).toBeUndefined()
})
