import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../../src/main.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  for (const slug of ['acme', 'beta']) await runCommand(['create-org', '--name', `Name of ${slug}`, '--slug', slug], env)
})
afterAll(() => database.drop())

const run = (...args: readonly string[]) => runCommand(args, env)

/** Runs a command at a terminal and interrupts it as soon as its output satisfies `isEnough`. */
const atTerminal = async (
  args: readonly string[],
  more: Environment = {},
  isEnough: (text: string) => boolean = () => false,
  columns = 60,
) => {
  const said = { stdout: '', stderr: '' }
  const interrupt = new AbortController()
  const stream = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          said[name] += String(chunk)
          if (isEnough(said.stdout)) interrupt.abort()
          done()
        },
      }),
      { isTTY: true as const, columns },
    )
  const [stdout, stderr] = [stream('stdout'), stream('stderr')]
  const terminal = { stdin: process.stdin, stdout, stderr, env: { ...env, ...more }, interrupted: interrupt.signal }
  return { exitCode: await main(args, terminal), ...said }
}

test('a list is printed as JSON, JSON Lines, CSV or ids, with only the requested columns', slow, async () => {
  const rows = (await run('list-orgs', '-o', 'json')).json() as { id: string }[]
  expect((await run('list-orgs', '--output=json')).json()).toEqual(rows)
  expect((await run('list-orgs', '--output', 'jsonl')).stdout).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  expect((await run('list-orgs', '-o', 'csv', '--columns', 'slug, members')).stdout).toBe('slug,members\nacme,0\nbeta,0\n')
  expect((await run('list-orgs', '-o', 'id')).stdout).toBe(rows.map(({ id }) => `${id}\n`).join(''))
  expect((await run('list-orgs', '--columns', 'slug')).stdout).toBe('slug\nacme\nbeta\n')
})

test(
  'an unknown column or format is a usage error that names the known ones, and is printed as JSON if results are JSON',
  slow,
  async () => {
    expect(await run('list-orgs', '--columns', 'slug,plan')).toEqual(
      expect.objectContaining({
        exitCode: 2,
        stdout: '',
        stderr: 'gatehouse: --columns: there is no column plan; there are: id, slug, name, members, createdAt\n',
      }),
    )
    const wrong = await run('list-orgs', '--columns', 'plan', '-o', 'jsonl')
    expect([wrong.exitCode, wrong.stdout, JSON.parse(wrong.stderr)]).toMatchObject([2, '', { code: 'USAGE' }])
    const format = await run('list-orgs', '-o', 'xml')
    expect([format.exitCode, format.stdout]).toEqual([2, ''])
    expect(format.stderr).toContain('table, json, jsonl, csv, id')
    expect(await run('list-orgs', '--json', '-o', 'csv')).toMatchObject({ exitCode: 2, stdout: '' })
  },
)

test('the result of a change is printed in full when it lacks the requested columns', slow, async () => {
  const made = await run('create-org', '--name', 'Gamma', '--slug', 'gamma', '-o', 'json', '--columns', 'secret')
  expect([made.exitCode, made.json()]).toMatchObject([0, { slug: 'gamma' }])
  expect(made.stderr).toContain('there is no column secret')
  expect((await run('delete-org', '--org', 'gamma', '--yes', '-o', 'csv', '--columns', 'slug')).stdout).toBe('slug\ngamma\n')
})

test('a terminal shows relative times, colours unless NO_COLOR is set, and lines no longer than its width', slow, async () => {
  const shown = await atTerminal(['list-orgs'])
  expect(shown.exitCode).toBe(0)
  expect(shown.stdout).toMatch(/ (now|\d+ (second|minute)s? ago)\n/)
  expect(shown.stdout).toContain('\u001b[1m')
  const plain = await atTerminal(['list-orgs'], { NO_COLOR: '1' })
  expect(plain.stdout).not.toContain('\u001b')
  for (const line of plain.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  expect((await atTerminal(['list-orgs', '-o', 'csv'])).stdout).not.toMatch(/ago|\[/)
})

test('--watch shows a list again and again on a terminal, until it is interrupted', slow, async () => {
  const screens = (text: string) => text.split('\u001b[2J').length - 1
  const watched = await atTerminal(['list-tasks', '--watch', '0.1'], {}, (text) => screens(text) >= 2)
  expect([watched.exitCode, watched.stderr, screens(watched.stdout)]).toEqual([0, '', 2])
  expect(watched.stdout).toContain('Every 0.1 s; Ctrl-C ends it.')
})

test('--watch with JSON Lines prints new and changed rows once', slow, async () => {
  const idsIn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { id: string }).id)
  const before = idsIn((await run('list-audit', '-o', 'jsonl')).stdout)
  let making: Promise<unknown> | undefined
  const { stdout, exitCode } = await atTerminal(['list-audit', '--watch', '0.1', '-o', 'jsonl'], {}, (text) => {
    const count = text.split('\n').length - 1
    if (count === before.length) making ??= run('create-org', '--name', 'Watched', '--slug', 'watched')
    return count > before.length
  })
  await making
  expect(exitCode).toBe(0)
  const shown = idsIn(stdout)
  expect(shown.slice(0, before.length)).toEqual(before.toReversed())
  expect(new Set(shown).size).toBe(shown.length)
  expect(shown.length).toBeGreaterThan(before.length)
})

test('--watch without a terminal, with another format or with a zero interval is a usage error', slow, async () => {
  expect(await run('list-tasks', '--watch')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('--output jsonl'),
  })
  expect(await atTerminal(['list-tasks', '--watch', '-o', 'csv'])).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await run('list-tasks', '--watch', 'often', '-o', 'jsonl')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--watch: must be a number'),
  })
})

test('help fits the terminal, is grouped and ends with examples', slow, async () => {
  const { stdout } = await atTerminal(['help'], {}, undefined, 100)
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100)
  expect(stdout).toMatch(/^Start and run:\n {2}init/m)
  expect((await run('help', 'list-orgs')).stdout).toMatch(/Examples:\n {2}gatehouse list-orgs --search acme\n/)
  expect((await run('list-orgs', '--help')).stdout).toBe((await run('help', 'list-orgs')).stdout)
})
