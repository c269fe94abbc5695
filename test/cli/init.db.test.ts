import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../src/composition.ts'
import { loadConfig } from '../../src/core/config.ts'
import { main } from '../../src/main.ts'
import { environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabase, createMigratedDatabase, dialect, type TestDatabase } from '../support/database.ts'
import { reservePort } from '../support/port.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'

let directory: string
let file: string
let database: TestDatabase
let smtp: Smtp

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-init-'))
  file = join(directory, 'gatehouse.yaml')
  database = await createDatabase()
  smtp = await startSmtp()
})
afterEach(async () => {
  await smtp.stop()
  await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

/** Answers the questions at a terminal, line by line. */
const answer = async (answers: readonly string[], ...flags: readonly string[]) => {
  const said = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof said) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said[name] += String(chunk)
        done()
      },
    })
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const })
  stdin.end(answers.map((line) => `${line}\n`).join(''))
  const mask = process.umask()
  const args = ['init', '--data-dir', database.dataDir, ...flags]
  const exitCode = await main(args, { stdin, stdout: sink('stdout'), stderr: sink('stderr'), env: {} })
  process.umask(mask)
  return { exitCode, ...said }
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
const written = () => loadConfig(configSchema, { file, env: {} })

test('init asks six questions, tries each answer, and writes a file that gatehouse starts with', slow, async () => {
  const address = ['https://auth.example.com', '10.0.0.7, 10.1.0.0/16']
  const answers = [...address, database.url, 'ada@example.com', 'Acme <no-reply@acme.example>', smtp.url, file]
  const { exitCode, stdout, stderr } = await answer(answers, '--port', '0', '--json')
  expect(exitCode).toBe(0)
  for (const number of [1, 2, 3, 4, 5, 6]) expect(stderr).toContain(`${number}. `)
  expect(stderr).toMatch(
    dialect === 'postgres' ? /PostgreSQL \d+\.\d+ answers, and is empty\./ : /The first start makes .*\.db\./,
  )
  expect(stderr).toContain('The mail server took a test mail to ada@example.com: 250')
  expect(smtp.received).toMatchObject([{ from: 'no-reply@acme.example', to: ['ada@example.com'] }])
  const { written: files, next } = JSON.parse(stdout) as { written: string[]; next: string[] }
  expect(files[0]).toBe(file)
  for (const path of files) expect(mode(path)).toBe('600')
  expect(next).toEqual([
    `gatehouse serve --config ${file}`,
    `gatehouse migrate --config ${file} && gatehouse create-user --config ${file} --role admin --verified --email ada@example.com --name Administrator`,
  ])
  expect(written()).toMatchObject({
    ...{ url: 'https://auth.example.com', port: 0, databaseUrl: database.url, smtpUrl: smtp.url },
    ...{ mailFrom: 'Acme <no-reply@acme.example>', dataDir: database.dataDir, trustedProxies: ['10.0.0.7', '10.1.0.0/16'] },
  })
  // The commands that init prints work, with only the file that it wrote.
  expect((await runCommand(['migrate', '--config', file], {})).exitCode).toBe(0)
  const args = [
    'create-user',
    '--config',
    file,
    '--role',
    'admin',
    '--email',
    'ada@example.com',
    '--name',
    'Ada',
    '--password-stdin',
  ]
  expect(await runCommand(args, {}, 'a long and uncommon one\n')).toMatchObject({ exitCode: 0 })
})

test(
  'the file that init writes mentions a proxy or SQLite only if it is used, and the printed command accepts the file',
  slow,
  async () => {
    const make = async (...flags: readonly string[]) => {
      const args = ['init', '--yes', '--force', '--file', file, '--data-dir', database.dataDir, '--port', '0', ...flags]
      expect(await runCommand(args, {})).toMatchObject({ exitCode: 0 })
      return readFileSync(file, 'utf8')
    }
    const local = await make('--url', 'http://localhost:3999')
    expect(local).not.toContain('proxy')
    expect(local).toContain('the SQLite file')
    const [, command = ''] = /^# {3}gatehouse (check-config .*)$/m.exec(local) ?? []
    expect(await runCommand(command.split(' '), {})).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^The configuration is good.\nRead: \S+\.\nSettings of the database: not checked, since there is no database yet\.\n$/,
      ),
    })
    const behind = await make('--url', 'https://auth.example.com')
    expect(behind).toContain('a reverse proxy passes on to it')
  },
)

test(
  'an empty answer to init takes the suggestion in brackets, and a wrong answer is asked again with the reason',
  slow,
  async () => {
    smtp.refuse(1, 550)
    const answers = [
      ...['ftp://nowhere', 'http://localhost:4000', 'mysql://x', 'postgres://127.0.0.1:9/nobody', database.url, 'nobody'],
      ...[
        'ada@example.com',
        'not a mailbox',
        'Acme <no-reply@acme.example>',
        smtp.url,
        smtp.url,
        join(directory, 'no/where.yaml'),
        file,
      ],
    ]
    const { exitCode, stderr } = await answer(answers, '--port', '0')
    expect(exitCode).toBe(0)
    for (const reason of [
      'an http or https address',
      'sqlite:<file> or postgres://…',
      'The database does not answer (ECONNREFUSED)',
      'must be an email address, or none',
      'an address such as Acme <no-reply@acme.com>',
      'The mail server refused: 550',
      `The directory ${join(directory, 'no')} does not exist`,
    ])
      expect(stderr).toContain(reason)
    expect(stderr).toContain('for trying out on this machine only')
    expect(smtp.received).toHaveLength(1)
    const presets = await answer(['', '', '', '', '', file, 'yes'], '--port', '0', '--url', 'http://localhost:4000')
    expect([presets.exitCode, presets.stderr.includes('[none]')]).toEqual([0, true])
    expect(written()).toMatchObject({ url: 'http://localhost:4000', mailFrom: 'gatehouse <no-reply@localhost>' })
    expect(written().smtpUrl).toBeUndefined()
  },
)

test('init warns of http beyond loopback, and uses http only after the answer yes', slow, async () => {
  const insecure = 'http://auth.internal'
  const { exitCode, stderr } = await answer([insecure, 'no', insecure, 'yes', '', '', '', '', '', file], '--port', '0')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('passwords and cookies travel in the clear')
  expect(written()).toMatchObject({ url: insecure, http: { allowInsecureUrl: true } })
})

test('init reports a port in use at once, and behind a proxy asks for another port', slow, async () => {
  const { port, socket } = await reservePort()
  const local = await answer([`http://localhost:${port}`])
  expect(local).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`) })
  const answers = ['https://auth.example.com', '99999', '0', '', '', '', '', '', file]
  expect((await answer(answers, '--port', String(port))).exitCode).toBe(0)
  expect(written().port).toBe(0)
  socket.close()
})

test('init --yes refuses a port in use and writes nothing, even behind a proxy', slow, async () => {
  const { port, socket } = await reservePort()
  const args = ['init', '--yes', '--url', 'https://auth.example.com', '--port', String(port), '--data-dir', database.dataDir]
  const refused = await runCommand([...args, '--file', file, '--json'], { GATEHOUSE_DATABASE_URL: database.url })
  expect([refused.exitCode, refused.stdout, existsSync(file)]).toEqual([3, '', false])
  expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
  socket.close()
})

test(
  'init asks for the proxies of a public address, and suggests this machine only if no other machine can reach the port',
  slow,
  async () => {
    const asked = ['https://auth.example.com', 'the proxy', 'none', '', '', '', '', file]
    const { exitCode, stderr } = await answer(asked, '--port', '0')
    expect([exitCode, written().trustedProxies]).toEqual([0, []])
    expect(stderr).toContain('an IP address or a CIDR range')
    const base = ['init', '--yes', '--force', '--port', '0', '--data-dir', database.dataDir, '--file', file]
    const proxiesOf = async (args: readonly string[], env: Record<string, string> = {}) => {
      const ran = await runCommand([...base, ...args], { GATEHOUSE_DATABASE_URL: database.url, ...env })
      expect(ran).toMatchObject({ exitCode: 0 })
      return written().trustedProxies
    }
    const url = ['--url', 'https://auth.example.com']
    expect(await proxiesOf(url)).toEqual(['127.0.0.1'])
    expect(await proxiesOf([...url, '--host', '0.0.0.0'])).toEqual([])
    expect(await proxiesOf(url, { GATEHOUSE_TRUSTED_PROXIES: '10.0.0.7' })).toEqual(['10.0.0.7'])
    expect(await proxiesOf([])).toEqual([])
  },
)

test('init overwrites an existing file only after the answer yes or with --force', slow, async () => {
  writeFileSync(file, 'kept\n')
  const other = join(directory, 'other.yaml')
  expect((await answer(['', '', '', '', '', file, 'no', other], '--port', '0')).exitCode).toBe(0)
  expect([readFileSync(file, 'utf8'), existsSync(other)]).toEqual(['kept\n', true])
  const unasked = ['init', '--yes', '--port', '0', '--data-dir', database.dataDir, '--file', file, '--json']
  const refused = await runCommand(unasked, {})
  expect([refused.exitCode, refused.stdout, readFileSync(file, 'utf8')]).toEqual([3, '', 'kept\n'])
  expect((await runCommand([...unasked, '--force'], {})).exitCode).toBe(0)
  expect([readFileSync(file, 'utf8').includes('url: '), mode(file)]).toEqual([true, '600'])
})

test(
  'init without a terminal requires --yes, takes options and variables, and refuses settings that do not work',
  slow,
  async () => {
    const base = ['init', '--port', '0', '--data-dir', database.dataDir, '--file', file]
    expect(await runCommand(base, {})).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') })
    const nowhere = { GATEHOUSE_DATABASE_URL: 'postgres://ann:geheim@127.0.0.1:9/x' }
    const refused = await runCommand([...base, '--yes', '--json'], nowhere)
    expect([refused.exitCode, refused.stdout, existsSync(file)]).toEqual([3, '', false])
    expect(refused.stderr).toContain('"code":"ANSWER_NOT_USABLE"')
    expect(refused.stderr).not.toContain('geheim')
    for (const flag of ['--smtp-url', '--database-url']) {
      const wrong = await runCommand([...base, '--yes', flag, 'smtp://ann:geheim@mail.example'], {})
      expect([wrong.exitCode, wrong.stderr.includes('geheim')]).toEqual([2, false])
    }
    const spawned = await runCommand([...base, '--yes', '--admin-email', 'ada@example.com', '--json'], {
      GATEHOUSE_DATABASE_URL: database.url,
      GATEHOUSE_SMTP_URL: smtp.url,
    })
    expect([spawned.exitCode, spawned.stderr.includes('took a test mail')]).toEqual([0, true])
    expect(spawned.json()).toMatchObject({ written: expect.arrayContaining([file]) })
  },
)

test('init writes passwords to separate files, and creates a master secret for PostgreSQL only once', slow, async () => {
  const base = ['init', '--yes', '--force', '--port', '0', '--data-dir', database.dataDir, '--file', file]
  const env = { GATEHOUSE_DATABASE_URL: database.url }
  expect((await runCommand(base, env)).exitCode).toBe(0)
  const secret = join(database.dataDir, 'secret')
  if (dialect === 'sqlite') return expect(existsSync(secret)).toBe(false)
  const first = readFileSync(secret, 'utf8')
  expect([mode(secret), written().secret]).toEqual(['600', [first.trim()]])
  expect(readFileSync(file, 'utf8').includes(new URL(database.url).password)).toBe(new URL(database.url).password === '')
  expect((await runCommand(base, env)).exitCode).toBe(0)
  expect(readFileSync(secret, 'utf8')).toBe(first)
})

test("init accepts the database of an existing instance only with the instance's master secret", slow, async () => {
  const full = await createMigratedDatabase()
  const base = ['init', '--yes', '--force', '--port', '0', '--data-dir', full.dataDir, '--file', file]
  const env = { GATEHOUSE_DATABASE_URL: full.url }
  const refused = await runCommand(base, env)
  expect([refused.exitCode, refused.stderr.includes('Put its master secret into')]).toEqual([3, true])
  writeFileSync(join(full.dataDir, 'secret'), `${environmentOf(full)['GATEHOUSE_SECRET']}\n`, { mode: 0o600 })
  const taken = await runCommand(base, env)
  expect([taken.exitCode, taken.stderr.includes('holds a gatehouse already, which will go on')]).toEqual([0, true])
  expect((await runCommand(['list-orgs', '--config', file, '--json'], {})).json()).toEqual([])
  await full.drop()
})
