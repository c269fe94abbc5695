import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { listOf } from '../support/breached.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = { ...environmentOf(database), GATEHOUSE_PASSWORD_BREACHED_SOURCE: 'file' }
})
afterAll(() => database.drop())

const createUser = (password: string, email = 'ann@example.com') =>
  runCommand(['create-user', '--email', email, '--name', 'Ann', '--password-stdin', '--json'], env, password)

test(
  'import-breached creates the file in which create-user looks up passwords, from a file or standard input',
  slow,
  async () => {
    const list = join(database.dataDir, 'list.txt')
    writeFileSync(list, listOf({ 'a staple that leaked': 20, 'a rare staple': 2 }))
    const done = await runCommand(['import-breached', '--from', list, '--minimum-count', '10', '--json'], env)
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    const file = join(database.dataDir, 'breached.hashes')
    expect(done.json()).toMatchObject({ file, entries: 1, minimumCount: 10 })
    const refused = await createUser('a staple that leaked')
    expect([refused.exitCode, JSON.parse(refused.stderr)]).toMatchObject([3, { code: 'PASSWORD_WAS_LEAKED' }])
    expect((await createUser('a rare staple')).exitCode).toBe(0)

    const piped = await runCommand(['import-breached', '--from', '-', '--to', file], env, listOf({ 'a rare staple': 2 }))
    expect(piped).toMatchObject({ exitCode: 0, stdout: `${file}: 1 breached password\n`, stderr: '' })
    expect((await createUser('a rare staple', 'other@example.com')).exitCode).toBe(3)
  },
)

test('import-breached refuses a list of another kind, a missing file and an invalid count', slow, async () => {
  const wrong = await runCommand(['import-breached', '--from', '-', '--json'], env, `${'A'.repeat(32)}:3\n`)
  expect([wrong.exitCode, JSON.parse(wrong.stderr)]).toMatchObject([3, { code: 'BREACHED_LIST_IS_INVALID' }])
  const missing = await runCommand(['import-breached', '--from', '/no/such/list', '--json'], env)
  expect([missing.exitCode, missing.stderr]).toEqual([
    3,
    expect.stringContaining('--from: /no/such/list does not exist (ENOENT)'),
  ])
  const count = await runCommand(['import-breached', '--from', '-', '--minimum-count', '0'], env)
  expect([count.exitCode, count.stderr]).toEqual([2, expect.stringContaining('--minimum-count')])
})

test('serve refuses to start without the file of breached passwords, and says how to make the file', slow, async () => {
  const done = await runCommand(['serve', '--port', '0'], {
    ...env,
    GATEHOUSE_PASSWORD_BREACHED_FILE: join(database.dataDir, 'nowhere.hashes'),
  })
  expect(done.exitCode).not.toBe(0)
  expect(done.stderr).toContain('nowhere.hashes does not exist: make it anew with import-breached')
})
