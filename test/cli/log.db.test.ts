import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Environment, environmentOf, slow, startDaemon } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
})
afterAll(() => database.drop())

test('the daemon logs JSON where standard error is no terminal, and lines for people with log.format: text', slow, async () => {
  const daemon = await startDaemon({ ...env, GATEHOUSE_LOG_FORMAT: 'text' })
  await daemon.stop()
  const lines = daemon.said.stderr.trimEnd().split('\n')
  for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d (INFO |WARN ) \S/)
  expect(lines.some((line) => line.includes('gatehouse is ready  url=http://localhost:'))).toBe(true)
  expect(lines.at(-1)).toMatch(/INFO {2}stopped$/)
  const other = await startDaemon(env)
  await other.stop()
  for (const line of other.said.stderr.trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
})
