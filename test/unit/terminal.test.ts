import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { readLine, UsageError } from '../../src/core/terminal.ts'

test('a question is asked where somebody can answer, and nowhere else', async () => {
  const asked = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  keyboard.end('acme\n')
  expect(await readLine('Which? ', 'pass --yes', keyboard)).toBe('acme')
  expect(asked).toHaveBeenCalledWith('Which? ')
  asked.mockClear()
  await expect(readLine('Which? ', 'pass --yes', new PassThrough())).rejects.toEqual(new UsageError('pass --yes'))
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})
