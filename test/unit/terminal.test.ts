import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { confirm, formatFailure, parseFlags, readLine, UsageError } from '../../src/core/terminal.ts'

test('the command asks a question only at an interactive terminal', async () => {
  const stderr = new PassThrough({ encoding: 'utf8' })
  const keyboard = Object.assign(new PassThrough(), { isTTY: true as const })
  keyboard.end('acme\n')
  expect(await readLine({ stdin: keyboard, stderr }, 'Which? ', 'pass --yes')).toBe('acme')
  expect(stderr.read()).toBe('Which? ')
  const pipe = new PassThrough()
  await expect(readLine({ stdin: pipe, stderr }, 'Which? ', 'pass --yes')).rejects.toEqual(new UsageError('pass --yes'))
  expect(stderr.read()).toBeNull()
})

test('a destructive command proceeds with --yes or the typed word, and without a terminal only with --yes', async () => {
  const stderr = new PassThrough()
  const typing = (text: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true as const })
    stdin.end(`${text}\n`)
    return { stdin, stderr }
  }
  await confirm({ stdin: new PassThrough(), stderr }, true, 'This deletes acme.', 'acme')
  await confirm(typing(' acme '), false, 'This deletes acme.', 'acme')
  await expect(confirm(typing('yes'), false, 'This deletes acme.', 'acme')).rejects.toThrow(UsageError)
  const pipe = new PassThrough()
  pipe.end('acme\n')
  await expect(confirm({ stdin: pipe, stderr }, false, 'This deletes acme.', 'acme')).rejects.toThrow(
    /This deletes acme\.\n.*--yes/,
  )
})

test('a wrong value of a flag is a usage error that names the flag', () => {
  const Flags = z.object({
    role: z.enum(['user', 'admin']),
    perPage: z.coerce.number().int().max(10),
    mailTo: z.email(),
    redirectUri: z.array(z.string().min(3)),
  })
  const wrong = { role: 'owner', perPage: 'many', mailTo: 'nobody', redirectUri: ['x'] }
  const failure = (() => {
    try {
      return parseFlags(Flags, wrong)
    } catch (error) {
      return formatFailure(error, true)
    }
  })()
  expect(failure).toMatchObject({ exitCode: 2 })
  expect(JSON.parse((failure as { text: string }).text)).toEqual({
    code: 'USAGE',
    message:
      '--role: must be user or admin (is "owner"); --per-page: must be a number (is "many"); ' +
      '--mail-to: must be an email address (is "nobody"); --redirect-uri: must have at least 3 characters (is "x")',
    issues: [
      { path: '--role', message: 'must be user or admin (is "owner")' },
      { path: '--per-page', message: 'must be a number (is "many")' },
      { path: '--mail-to', message: 'must be an email address (is "nobody")' },
      { path: '--redirect-uri', message: 'must have at least 3 characters (is "x")' },
    ],
  })
})
