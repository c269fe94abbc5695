/** Piped input of commands in the encodings of real shells: read correctly or refused, but never stored wrongly. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOf, runCommand, slow, spawnCommand } from '../support/binary.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()
const utf32le = (text: string) =>
  Buffer.concat(
    [0xfeff, ...[...text].map((one) => one.codePointAt(0) ?? 0)].map((point) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(point)
      return bytes
    }),
  )

let count = 0
const create = (input: string | Buffer) => {
  const email = `person${++count}@example.com`
  const args = ['create-user', '--email', email, '--name', 'A', '--password-stdin', '--json']
  return runCommand(args, environmentOf(database), input)
}

// The last letter has the byte 0A in its code unit, which is not a line end.
const password = 'ein grünes Pferd ਊ 🐎'

test(
  'a password is the same in UTF-8 with or without byte order mark and in UTF-16, whatever its line ending',
  slow,
  async () => {
    const words = (await import('../../src/core/terminal.ts')).readSecret
    const read = async (...pieces: readonly Buffer[]) => {
      const { Readable, Writable } = await import('node:stream')
      return words({ stdin: Readable.from(pieces), stdout: new Writable(), stderr: new Writable(), env: {} }, 'Password', true)
    }
    for (const end of ['', '\n', '\r\n', '\nanother line\n'])
      for (const encode of [
        (text: string) => Buffer.from(text),
        (text: string) => Buffer.from(`\ufeff${text}`),
        utf16le,
        utf16be,
      ]) {
        const bytes = encode(password + end)
        expect(await read(bytes)).toBe(password)
        // Byte by byte, like a slow pipe.
        expect(await read(...[...bytes].map((byte) => Buffer.from([byte])))).toBe(password)
        expect((await create(bytes)).exitCode).toBe(0)
      }
  },
)

test('a password that is not valid text is refused, and no user is created', slow, async () => {
  const before = ((await runCommand(['list-users', '--json'], environmentOf(database))).json() as unknown[]).length
  for (const [what, bytes] of [
    ['Latin-1', Buffer.from('ein grünes Pferd, und noch eins\n', 'latin1')],
    ['code page 850', Buffer.from([...Buffer.from('ein gr'), 0x81, ...Buffer.from('nes Pferd, und noch eins\n')])],
    ['UTF-16 without a mark', Buffer.from('a green horse and another\n', 'utf16le')],
    ['UTF-32', utf32le('a green horse and another\n')],
    ['UTF-8 that is cut off', Buffer.from('a green horse and 🐎').subarray(0, -1)],
    ['half a surrogate pair', Buffer.concat([utf16le('a green horse and '), Buffer.from([0x3d, 0xd8, 0x0a, 0x00])])],
  ] as const) {
    const { exitCode, stderr } = await create(bytes)
    expect([what, exitCode, stderr]).toEqual([what, 2, expect.stringContaining('standard input')])
    expect(stderr).toContain('UTF-8')
  }
  expect((await runCommand(['list-users', '--json'], environmentOf(database))).json()).toHaveLength(before)
})

test('a piped declaration is read in UTF-16 and refused in Latin-1', slow, async () => {
  const yaml = (slug: string) => `source: ${slug}\norganizations: { ${slug}: { name: Müller } }\n`
  const apply = (input: Buffer) => runCommand(['apply', '--file', '-', '--yes', '--json'], environmentOf(database), input)
  expect(await apply(utf16le(yaml('acme-one')))).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await apply(Buffer.from(`\ufeff${yaml('acme-two')}`))).exitCode).toBe(0)
  expect(await apply(Buffer.from(yaml('acme-three'), 'latin1'))).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('UTF-8'),
  })
  const names = (await runCommand(['list-orgs', '--json'], environmentOf(database))).json() as { name: string }[]
  expect(names.map(({ name }) => name)).toEqual(['Müller', 'Müller'])
})

test('a list of breached passwords can begin with a byte order mark, and is refused in UTF-16', slow, async () => {
  const list = `${'A'.repeat(40)}:3\r\n`
  const run = (input: Buffer) => runCommand(['import-breached', '--from', '-', '--json'], environmentOf(database), input)
  expect((await run(Buffer.from(`\ufeff${list}`))).json()).toMatchObject({ entries: 1 })
  expect(await run(utf16le(list))).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('UTF-16') })
})

test('an argument that is not UTF-8 is refused', slow, async () => {
  const { exitCode, stderr } = await runCommand(['create-org', '--name', 'M\ufffdller', '--slug', 'm'], environmentOf(database))
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('argument is not valid UTF-8')])
  // Node decodes arguments before the program starts. An argument of a Latin-1 shell arrives with the replacement character.
  const { execFileSync } = await import('node:child_process')
  const shell = `exec '${process.execPath}' -e 'process.stdout.write(process.argv[1])' "$(printf 'M\\374ller')"`
  expect(execFileSync('sh', ['-c', shell]).toString()).toBe('M\ufffdller')
  expect(
    (await spawnCommand(['create-org', '--name', 'Möller', '--slug', 'moeller', '--json'], environmentOf(database))).exitCode,
  ).toBe(0)
})
