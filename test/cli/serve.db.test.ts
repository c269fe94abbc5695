import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import knex from 'knex'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { password } from '../support/app.ts'
import {
  type Environment,
  environmentOf,
  inherited,
  runCommand,
  serveHere,
  slow,
  startDaemon,
  statusOf,
} from '../support/binary.ts'
import { createDatabase, createDatabaseWithKeys, dialect, type TestDatabase } from '../support/database.ts'
import { openStream } from '../support/event-stream.ts'
import { freePort, reservePort } from '../support/port.ts'
import { startSmtp } from '../support/smtp.ts'

let database: TestDatabase
let env: Environment
/** Ends what still runs after a test. */
let stops: (() => Promise<unknown>)[]

beforeEach(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  stops = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await database.drop()
})

/** For tests of the first start: an empty database without a schema. */
const startsEmpty = async () => {
  await database.drop()
  database = await createDatabase()
  env = environmentOf(database)
}

const serve = async (more: Environment = {}, args: readonly string[] = []) => {
  const daemon = await serveHere({ ...env, ...more }, args)
  stops.push(daemon.stop)
  return daemon
}
/** Starts a daemon in a new process. */
const start = async (variables: Environment) => {
  const daemon = await startDaemon(variables)
  stops.push(() => {
    daemon.child.kill('SIGKILL')
    return daemon.ended
  })
  return daemon
}
const account = (email: string) => ({ email, password, name: 'Ann Example' })
const lines = (log: string) =>
  log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const linkIn = (said: string) => /http:\/\/\S+\/setup\?token=([A-Za-z0-9]{43})/.exec(said)

test('serve with metrics.port serves metrics on that port without a token, and not on the public address', slow, async () => {
  const daemon = await serve({ GATEHOUSE_METRICS_PORT: '0' })
  const { address, path } = await vi.waitFor(() => {
    const line = lines(daemon.said.stderr).find(({ msg }) => msg === 'metrics can be read')
    if (line === undefined) throw new Error('no line yet')
    return line
  }, 60_000)
  const own = await fetch(`http://${address}${path}`)
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(await own.text()).toContain('gatehouse_http_request_duration_seconds')
  expect((await fetch(`http://${address}/anything`)).status).toBe(404)
  expect((await daemon.client().request('/metrics')).status).toBe(404)
  expect(await daemon.stop()).toBe(0)
})

test('serve sends traces of requests and their statements to the collector in OTEL_EXPORTER_OTLP_ENDPOINT', slow, async () => {
  const received: Buffer[] = []
  const { port, socket } = await reservePort()
  const collector = createServer(async (req, res) => {
    received.push(Buffer.from(`${req.method} ${req.url} `), await buffer(req))
    res.writeHead(200).end()
  })
  collector.listen(socket)
  // The library reads the environment of its process.
  const daemon = await start({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  await daemon.client().request('/get-session', {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, authorization: `Bearer ${'x'.repeat(32)}` },
  })
  // The last traces are sent when the daemon ends.
  expect(await daemon.stop()).toBe(0)
  collector.close()
  const sent = Buffer.concat(received)
  expect(sent.toString('latin1')).toContain('POST /v1/traces')
  for (const part of ['GET /get-session', 'session s join', 'gatehouse.request_id']) expect(sent.includes(part)).toBe(true)
  expect(sent.includes(Buffer.from(traceId, 'hex'))).toBe(true)
  expect(sent.includes('x'.repeat(32))).toBe(false)
})

describe('the first start', slow, () => {
  test('serve prints a new setup link on the console, not in the log, at each start until there is an administrator', async () => {
    await startsEmpty()
    const first = await serve()
    await vi.waitFor(() => expect(linkIn(first.said.stdout)).not.toBeNull(), 60_000)
    const [url = '', token = ''] = linkIn(first.said.stdout) ?? []
    expect(url).toBe(`${first.url}/setup?token=${token}`)
    expect(first.said.stdout.split(token)).toHaveLength(2)
    expect(first.said.stderr).not.toContain(token)
    expect(await first.stop()).toBe(0)
    expect(lines(first.said.stderr).find(({ msg }) => msg === 'gatehouse is ready')).toMatchObject({
      address: `127.0.0.1:${first.port}`,
      database: dialect,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })

    const second = await serve()
    await vi.waitFor(() => expect(linkIn(second.said.stdout)).not.toBeNull(), 60_000)
    const [, fresh = ''] = linkIn(second.said.stdout) ?? []
    expect(fresh).not.toBe(token)
    const admin = { token: fresh, name: 'Ada', email: 'ada@example.com', password: 'a long and uncommon one' }
    expect(await second.client().post('/setup', admin)).toMatchObject({ status: 200, json: { user: { role: 'admin' } } })
    await second.stop()

    const third = await serve()
    await vi.waitFor(() => expect(third.said.stdout).toContain(`${third.url}/admin`), 60_000)
    await third.stop()
    expect(linkIn(third.said.stdout)).toBeNull()
  })

  test('create-user --role admin creates the first administrator without a browser and without a daemon', async () => {
    await startsEmpty()
    const args = ['create-user', '--email', 'ada@example.com', '--name', 'Ada', '--role', 'admin', '--password-stdin', '--json']
    expect(await runCommand(args, env, 'a long and uncommon one\n')).toMatchObject({ exitCode: 3, stdout: '' })
    expect((await runCommand(['migrate'], env)).exitCode).toBe(0)
    const made = await runCommand(args, env, 'a long and uncommon one\n')
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    const link = await runCommand(['create-setup-link', '--json'], env)
    expect([link.exitCode, JSON.parse(link.stderr)]).toMatchObject([3, { code: 'ADMINISTRATOR_ALREADY_EXISTS' }])
    const daemon = await serve()
    await daemon.stop()
    expect(linkIn(daemon.said.stdout)).toBeNull()
  })

  test('serve prints the addresses of sign-in and console at each start, or as JSON on request', async () => {
    const first = await serve()
    await vi.waitFor(() => expect(linkIn(first.said.stdout)).not.toBeNull(), 60_000)
    expect(first.said.stdout).toMatch(new RegExp(`Sign in +${first.url}/sign-in\n +Console +${first.url}/admin\n`))
    await first.stop()
    const programs = await serve({}, ['--json'])
    await vi.waitFor(() => expect(programs.said.stdout).toContain('\n'), 60_000)
    expect(JSON.parse(programs.said.stdout)).toEqual({
      ...{ signIn: `${programs.url}/sign-in`, console: `${programs.url}/admin` },
      ...{ setupLink: linkIn(programs.said.stdout)?.[0], expiresAt: expect.stringMatching(/Z$/) },
    })
    await programs.stop()
  })

  test('create-setup-link prints a valid setup link', async () => {
    const made = await runCommand(['create-setup-link'], env)
    const [, token] = linkIn(made.stdout) ?? []
    const daemon = await serve()
    expect((await daemon.client().post('/setup/check', { token })).json).toEqual({ valid: true, administratorExists: false })
    expect((await runCommand(['create-setup-link', '--json'], env)).json()).toEqual({
      url: expect.stringContaining('/setup?token='),
      expiresAt: expect.any(String),
    })
  })
})

describe('the end of a daemon', slow, () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'after %s the daemon finishes a request in flight and exits with 0',
    async (signal) => {
      const daemon = await start({ ...env, GATEHOUSE_HTTP_SHUTDOWN_SECONDS: '300' })
      // An idle keep-alive connection must not delay the exit by more than a second. The grace period, which would close it, is longer than the
      // test may take.
      const idle = connect(daemon.port, '127.0.0.1')
      idle.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(idle, 'data')
      const body = JSON.stringify(account('flight@example.com'))
      const flight = connect(daemon.port, '127.0.0.1')
      flight.write(
        `POST /sign-up/email HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
      )
      await statusOf(daemon.port, '/livez')
      daemon.child.kill(signal)
      await vi.waitFor(() => expect(daemon.said.stderr).toContain('shutting down'), 60_000)
      const refused = connect(daemon.port, '127.0.0.1')
      expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
      flight.write(body.slice(20))
      expect(await text(flight)).toMatch(/^HTTP\/1\.1 200 OK/)
      expect(await daemon.ended).toBe(0)
      expect(lines(daemon.said.stderr).at(-1)).toMatchObject({ msg: 'stopped' })
    },
  )

  test.each([
    ['SIGTERM to npm start', 'SIGTERM', false],
    // A terminal sends Ctrl-C to npm too, which passes it on.
    ['Ctrl-C at npm start', 'SIGINT', true],
  ] as const)('%s ends the daemon like a signal to the daemon itself', async (_, signal, isForAll) => {
    const port = await freePort()
    const npm = spawn('npm', ['start', '--ignore-scripts', '--', '--port', String(port)], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...inherited(), ...env },
      detached: true,
    })
    const ended = once(npm, 'exit')
    let said = ''
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    try {
      await vi.waitFor(async () => expect(await statusOf(port, '/readyz')).toBe(200), 60_000)
      process.kill(isForAll ? -(npm.pid ?? 0) : (npm.pid ?? 0), signal)
      await ended
      await vi.waitFor(() => expect(said).toContain('"stopped"'), 20_000)
      await expect(statusOf(port, '/readyz')).rejects.toThrow()
    } finally {
      try {
        process.kill(-(npm.pid ?? 0), 'SIGKILL')
      } catch {
        // All processes of the group have ended.
      }
    }
  })

  test('an open event stream of the console does not delay the exit, and its client is told that the node stops', async () => {
    const given = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'admin', '--password-stdin']
    expect(await runCommand(['create-user', ...given], env, `${password}\n`)).toMatchObject({ exitCode: 0 })
    // The grace period, which would close the stream, is longer than the test may take.
    const daemon = await serve({ GATEHOUSE_HTTP_SHUTDOWN_SECONDS: '300' })
    const browser = daemon.client()
    expect((await browser.post('/sign-in/email', { email: 'ada@example.com', password })).status).toBe(200)
    const stream = await openStream(browser)
    await stream.next()
    const ended = daemon.stop()
    expect((await stream.next(({ event }) => event === 'end'))?.data).toEqual({ reason: 'stopping' })
    expect(await ended).toBe(0)
  })

  test.each([
    ['unhandledRejection', 'Promise.reject(Error())'],
    ['uncaughtException', 'setTimeout(()=>{throw(Error())})'],
  ])('an %s is logged and ends the daemon with 1 after draining', async (event, fault) => {
    // A module loaded before the program, which fails on request.
    const daemon = await start({ ...env, NODE_OPTIONS: `--import=data:text/javascript,process.on('SIGUSR2',()=>{${fault}})` })
    daemon.child.kill('SIGUSR2')
    expect(await daemon.ended).toBe(1)
    const log = lines(daemon.said.stderr)
    expect(log.find(({ level }) => level === 'fatal')).toMatchObject({ event, msg: 'shutting down after a fault' })
    expect(log.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  test('a mail being sent is accepted by the mail server before the daemon ends, and sent once', async () => {
    const smtp = await startSmtp()
    smtp.delay(1_000)
    const daemon = await serve({ GATEHOUSE_SMTP_URL: smtp.url, GATEHOUSE_ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: 'true' })
    await daemon.client().api.accounts.signUpEmail({ body: account('late@example.com') })
    await vi.waitFor(() => expect(smtp.attempts()).toBe(1), { timeout: 60_000, interval: 10 })
    expect(await daemon.stop()).toBe(0)
    const mails = (await runCommand(['list-mails', '--json'], env)).json()
    expect(mails).toMatchObject([{ to: 'late@example.com', kind: 'verification', state: 'sent', attempts: 1 }])
    expect(smtp.received).toHaveLength(1)
    await smtp.stop()
  })

  test('http.shutdownSeconds after SIGTERM a request that never ends is aborted, and a stalled mail server neither delays the exit nor loses the mail', async () => {
    const smtp = await startSmtp()
    // The server stalls for longer than the test may take.
    smtp.delay(300_000)
    const daemon = await start({
      ...env,
      GATEHOUSE_SMTP_URL: smtp.url,
      GATEHOUSE_ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: 'true',
      GATEHOUSE_HTTP_SHUTDOWN_SECONDS: '1',
    })
    await daemon.client().api.accounts.signUpEmail({ body: account('stalled@example.com') })
    await vi.waitFor(() => expect(smtp.attempts()).toBe(1), { timeout: 60_000, interval: 10 })
    const flight = connect(daemon.port, '127.0.0.1').on('error', () => undefined)
    flight.write(
      'POST /sign-up/email HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    )
    await statusOf(daemon.port, '/livez')
    expect(await daemon.stop()).toBe(0)
    expect((await runCommand(['list-mails', '--json'], env)).json()).toMatchObject([{ state: 'pending', attempts: 1 }])
    await smtp.stop()
  })

  test('SIGKILL right after a response loses no acknowledged sign-up', async () => {
    const killed = await start(env)
    expect((await killed.client().post('/sign-up/email', account('kept@example.com'))).status).toBe(200)
    killed.child.kill('SIGKILL')
    expect(await killed.ended).toBe('SIGKILL')
    const daemon = await serve()
    expect((await daemon.client().post('/sign-in/email', account('kept@example.com'))).status).toBe(200)
  })
})

describe('refused starts', slow, () => {
  const refused = async (more: Environment, args: readonly string[] = ['serve']) => {
    const ended = await runCommand([...args, '--json'], { ...env, ...more })
    expect([ended.exitCode, ended.stdout]).toEqual([3, ''])
    return JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '') as { code: string; message: string }
  }

  test('serve on a port in use fails, and the message names the port and a remedy', async () => {
    const daemon = await serve()
    const { code, message } = await refused({ GATEHOUSE_PORT: String(daemon.port) })
    expect(code).toBe('CANNOT_LISTEN')
    expect(message).toContain(`Port ${daemon.port} on 127.0.0.1 is in use`)
    expect(message).toContain('--port')
  })

  test('serve on a host address that this machine does not have fails with an explanation', async () => {
    expect(await refused({ GATEHOUSE_HOST: '192.0.2.1', GATEHOUSE_PORT: '0' })).toMatchObject({ code: 'CANNOT_LISTEN' })
  })

  test('serve refuses a database written by a newer version and changes nothing in the database', async () => {
    const direct = knex(
      dialect === 'postgres'
        ? { client: 'pg', connection: database.url }
        : { client: 'sqlite3', connection: { filename: database.url.slice('sqlite:'.length) }, useNullAsDefault: true },
    )
    await direct('schema_migration').insert({ name: '209901010000_future', done_at: new Date() })
    await direct.destroy()
    for (const args of [['serve'], ['migrate'], ['list-mails']])
      expect(await refused({}, args)).toMatchObject({
        code: 'SCHEMA_TOO_NEW',
        message: expect.stringContaining('209901010000_future'),
      })
  })

  test('serve refuses an unmigrated database when database.migrateOnStart is off', async () => {
    await startsEmpty()
    const byHand = { GATEHOUSE_DATABASE_MIGRATE_ON_START: 'false' }
    expect(await refused(byHand)).toMatchObject({
      code: 'MIGRATIONS_PENDING',
      message: expect.stringContaining('gatehouse migrate'),
    })
    await runCommand(['migrate'], { ...env, ...byHand })
    await serve(byHand)
  })

  test('serve waits for an unresponsive PostgreSQL, then fails without showing the database password', async () => {
    const nowhere = { GATEHOUSE_DATABASE_URL: 'postgres://user:geheim@127.0.0.1:9/x', GATEHOUSE_DATABASE_WAIT_SECONDS: '1' }
    const { code, message } = await refused(nowhere)
    expect(code).toBe('DATABASE_NOT_USABLE')
    expect(message).toContain('GATEHOUSE_DATABASE_URL')
    expect(message).not.toContain('geheim')
  })

  test('serve on PostgreSQL without a configured master secret is refused', async () => {
    const { message } = await refused({ GATEHOUSE_DATABASE_URL: 'postgres://user@127.0.0.1:9/x', GATEHOUSE_SECRET: '' })
    expect(message).toContain('secret: is required with PostgreSQL')
  })

  test('serve refuses an unusable data directory or SQLite file', async () => {
    const file = join(database.dataDir, 'file')
    writeFileSync(file, 'not a database, but long enough to be taken for one by its size alone')
    const sqlite = { GATEHOUSE_DATABASE_URL: `sqlite:${file}` }
    expect(await refused({ GATEHOUSE_DATABASE_URL: `sqlite:${join(file, 'x.db')}` })).toMatchObject({
      code: 'DATA_DIRECTORY_NOT_WRITABLE',
    })
    expect(await refused({ ...sqlite, GATEHOUSE_DATA_DIR: file })).toMatchObject({ code: 'DATA_DIRECTORY_NOT_WRITABLE' })
    expect(await refused(sqlite)).toMatchObject({ code: 'DATABASE_NOT_USABLE' })
  })
})
