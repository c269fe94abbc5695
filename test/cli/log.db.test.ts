import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, type Environment, environmentOf, serveHere, slow, startDaemon } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
})
afterAll(() => database.drop())

test('the daemon logs JSON if standard error is not a terminal, and readable lines with log.format: text', slow, async () => {
  const daemon = await serveHere({ ...env, GATEHOUSE_LOG_FORMAT: 'text' })
  await daemon.stop()
  const lines = daemon.said.stderr.trimEnd().split('\n')
  for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d (INFO |WARN ) \S/)
  expect(lines.some((line) => line.includes('gatehouse is ready  url=http://localhost:'))).toBe(true)
  expect(lines.at(-1)).toMatch(/INFO {2}stopped$/)
  const other = await serveHere(env)
  await other.stop()
  for (const line of other.said.stderr.trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
})

describe('a daemon that cannot write its log', slow, () => {
  /** Has the daemon write so many log lines, of 420 bytes each, and checks that it still answers. */
  const fill = async (daemon: Daemon, lines: number) => {
    const client = daemon.client()
    for (let i = 0; i < lines; i += 10)
      await Promise.all(Array.from({ length: 10 }, (_, j) => client.request(`/${'x'.repeat(4000)}-${i}-${j}`)))
    expect(await Promise.race([client.request('/livez'), pause(10_000)])).toMatchObject({ status: 200 })
  }

  const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1'

  // A log in text differs from a log in JSON only in its lines, so it fills the disk only in the full test run.
  test.each(isFull ? ['json', 'text'] : ['json'])(
    'a daemon whose log in the format %s fills the disk continues and ends after SIGTERM',
    async (format) => {
      const full = openSync('/dev/full', 'w')
      const daemon = await startDaemon({ ...env, GATEHOUSE_LOG_FORMAT: format }, [], { stdout: full, stderr: full })
      closeSync(full)
      await fill(daemon, 100)
      expect(await daemon.stop()).toBe(0)
    },
  )

  const pairs: readonly [format: string, reader: string][] = [
    ['text', 'is gone'],
    ['json', 'does not read'],
    ['json', 'is gone'],
    ['text', 'does not read'],
  ]
  // The stream implementation is the same for all pairs, so all of them run only in the full test run.
  test.each(isFull ? pairs : pairs.slice(0, 2))(
    'a daemon whose log in the format %s goes into a pipe whose reader %s continues and ends after SIGTERM',
    async (format, reader) => {
      const directory = mkdtempSync(join(tmpdir(), 'log-'))
      const path = join(directory, 'pipe')
      execFileSync('mkfifo', [path])
      const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      const writing = openSync(path, 'w')
      const daemon = await startDaemon({ ...env, GATEHOUSE_LOG_FORMAT: format }, [], { stderr: writing })
      closeSync(writing)
      if (reader === 'is gone') closeSync(reading)
      // More than the 64 kB that a pipe holds.
      await fill(daemon, 300)
      expect(await daemon.stop()).toBe(0)
      if (reader !== 'is gone') closeSync(reading)
      rmSync(directory, { recursive: true })
    },
  )

  test('a daemon whose log goes into a socket that nobody reads continues and ends after SIGTERM', async () => {
    const daemon = await startDaemon(env)
    daemon.child.stderr?.removeAllListeners('data').pause()
    // More than the 208 kB that a socket holds.
    await fill(daemon, 600)
    void daemon.stop()
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      daemon.child.once('exit', (...how) => resolve(how)),
    )
    expect([0, 'SIGKILL']).toContain(code ?? signal)
    daemon.child.stderr?.resume()
  })
})
