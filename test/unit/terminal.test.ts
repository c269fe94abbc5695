import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readLine, UsageError } from '../../src/core/terminal.ts'

test('a question is asked where somebody can answer, and nowhere else', async () => {
  const stderr = new PassThrough({ encoding: 'utf8' })
  const keyboard = Object.assign(new PassThrough(), { isTTY: true as const })
  keyboard.end('acme\n')
  expect(await readLine({ stdin: keyboard, stderr }, 'Which? ', 'pass --yes')).toBe('acme')
  expect(stderr.read()).toBe('Which? ')
  const pipe = new PassThrough()
  await expect(readLine({ stdin: pipe, stderr }, 'Which? ', 'pass --yes')).rejects.toEqual(new UsageError('pass --yes'))
  expect(stderr.read()).toBeNull()
})
