import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../../src/main.ts'
import { type Environment, environmentOf, inherited, runCommand, slow, spawnCommand } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let full: number
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  full = openSync('/dev/full', 'w')
  await runCommand(['create-org', '--name', 'Acme', '--slug', 'acme'], env)
})
afterAll(async () => {
  closeSync(full)
  await database.drop()
})

const root = join(import.meta.dirname, '../..')

/** Runs a command whose standard output fails: each write ends with this error code. */
const losing = async (args: readonly string[], code = 'ENOSPC', input = '') => {
  let stderr = ''
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('no'), { code })) })
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      stderr += String(chunk)
      done()
    },
  })
  const terminal = { stdin: Readable.from(input === '' ? [] : [input]), stdout, stderr: sink, env: { ...inherited(), ...env } }
  return { exitCode: await main(args, terminal), stderr }
}

test('a secret lost to a full disk is reported with a working command that creates another secret', slow, async () => {
  const register = ['register-client', '--name', 'Shop', '--redirect-uri', 'https://shop.example/cb', '--client-id', 'shop']
  const lost = await spawnCommand(register, env, '', { stdout: full })
  expect([lost.exitCode, lost.stderr]).toEqual([3, expect.stringContaining('ENOSPC')])
  const [, remedy = ''] = /run: gatehouse (.*)/.exec(lost.stderr) ?? []
  expect(remedy).toBe('rotate-client-secret shop --now --yes')
  expect((await runCommand([...remedy.split(' '), '--json'], env)).json()).toMatchObject({ client_secret: expect.any(String) })
})

test('each command whose result is shown once says how to get another result if it could not be written', slow, async () => {
  await runCommand(['register-client', '--name', 'B', '--redirect-uri', 'https://b.example/cb', '--client-id', 'b'], env)
  await runCommand(
    ['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--password-stdin'],
    env,
    'a long and uncommon one\n',
  )
  for (const args of [
    ['create-api-key', '--name', 'Export', '--permission', 'users:read'],
    ['rotate-client-secret', 'b'],
    ['add-webhook-endpoint', '--name', 'polar-eu'],
    ['create-setup-link'],
  ]) {
    const lost = await losing(args)
    const [, remedy = ''] = /run: gatehouse (.*)/.exec(lost.stderr) ?? []
    expect([args, lost.exitCode, remedy]).toEqual([args, 3, expect.stringMatching(/^\w+/)])
    for (const one of remedy.trim().split(' && gatehouse '))
      expect([one, (await runCommand([...one.split(' '), '--json'], env)).exitCode]).toEqual([one, 0])
  }
  for (const args of [
    ['create-recovery-link', '--user', 'ann@example.com'],
    ['invite-member', '--org', 'acme', '--email', 'ben@example.com', '--role', 'owner'],
  ])
    expect((await losing(args)).exitCode).toBe(3)
})

test.each([
  ['list-orgs'],
  ['list-orgs', '-o', 'jsonl'],
  ['export-audit'],
  ['check-config'],
  ['completion', 'bash'],
  ['--help'],
  ['--version'],
  ['list-orgs', '--help'],
])('%s %s ends with 3 when its output is lost, and with 0 when its reader is gone', slow, async (...args) => {
  for (const code of ['ENOSPC', 'EIO', 'EFBIG', 'EDQUOT']) expect((await losing(args, code)).exitCode).toBe(3)
  expect((await losing(args, 'EPIPE')).exitCode).toBe(0)
})

test('an error in writing to standard error does not fail a command', slow, async () => {
  const listed = await spawnCommand(['list-orgs', '-o', 'id'], env, '', { stderr: full })
  expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringMatching(/^\w{32}\n$/)])
  expect((await spawnCommand(['list-orgs', '--limit', 'x'], env, '', { stderr: full })).exitCode).toBe(2)
})

test('a disk that becomes full in the middle of a write is reported as an error', slow, async () => {
  const file = join(database.dataDir, 'output')
  // A file size limit of the process makes the last write partial, like a full disk.
  const script = `
    import { standardOutput, writeOutput } from './src/core/output/written.ts'
    await writeOutput(standardOutput(), 'x'.repeat(100_000)).catch(({ refusal, message }) => {
      process.stderr.write(refusal + ' ' + message)
      process.exitCode = 3
    })`
  const child = spawn(
    'sh',
    ['-c', `ulimit -f 64; exec "$0" --input-type=module -e "$1" > "$2"`, process.execPath, script, file],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [exitCode] = await once(child, 'close')
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/OUTPUT_NOT_WRITTEN.*EFBIG/)])
  expect(statSync(file).size).toBeLessThan(100_000)
})

test('the output of a command into a file is complete', slow, async () => {
  const file = join(database.dataDir, 'events.jsonl')
  const fd = openSync(file, 'w')
  expect((await spawnCommand(['export-audit'], env, '', { stdout: fd })).exitCode).toBe(0)
  closeSync(fd)
  const types = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect(types).toContain('organization.created')
})
