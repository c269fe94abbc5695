import knex from 'knex'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, serveAtOnce, slow } from '../support/binary.ts'
import { createDatabase, dialect, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/port.ts'

let database: TestDatabase
let env: Environment
beforeAll(async () => {
  database = await createDatabase()
  env = environmentOf(database)
  await runCommand(['migrate'], env)
  await runCommand(['migrate', '--down', '--yes'], env)
})
afterAll(() => database.drop())

/** Holds a lock that a migration waits for, until the returned function is called. */
const holdMigrations = async () => {
  const isPostgres = dialect === 'postgres'
  const connection = isPostgres ? database.url : { filename: database.url.slice('sqlite:'.length) }
  const other = knex({ client: isPostgres ? 'pg' : 'sqlite3', connection, useNullAsDefault: true, pool: { min: 1, max: 1 } })
  await other.raw(isPostgres ? 'select pg_advisory_lock(7251120261)' : 'begin immediate')
  return () => other.destroy()
}

test('a daemon that migrates its schema answers 503 with the time to return until it is ready', slow, async () => {
  const release = await holdMigrations()
  const port = await freePort()
  const daemon = serveAtOnce(env, port)
  const ready = `http://localhost:${port}/readyz`
  await vi.waitFor(() => fetch(ready), { timeout: 60_000, interval: 30 })
  const answer = await fetch(ready)
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '30',
    { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' },
  ])
  expect((await fetch(`http://localhost:${port}/livez`)).status).toBe(200)
  await release()
  await vi.waitFor(async () => expect((await fetch(ready)).status).toBe(200), { timeout: 60_000, interval: 30 })
  daemon.end()
  expect(await daemon.ended).toBe(0)
  expect(daemon.said.stdout + daemon.said.stderr).toContain('migrating the database')
})
