import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test, vi } from 'vitest'
import { configSchema } from '../../../src/composition.ts'
import { loadConfig } from '../../../src/core/config.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { noteEvents, writeNote } from '../../support/events.ts'
import { freePort } from '../../support/port.ts'
import { datagramServer, syslogServer, webhookServer } from './receivers.ts'

const directory = temporaryDirectory()

let t: TestApp | undefined
const closing: (() => void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) close()
  await t?.stop()
  t = undefined
})

const start = async (events: Record<string, unknown>): Promise<TestApp> => {
  const outbound = { allowHttp: true, allow: ['127.0.0.1'] }
  t = await testApp({ config: { events, outbound } })
  t.app.events.register({ events: noteEvents })
  const app = t
  const names = Object.keys(events)
  // The readers have started, so every later event is copied.
  await eventually(async () => {
    const known = await app.app.core.db.knex('event_reader').whereIn('name', names).pluck('name')
    expect(known).toHaveLength(names.length)
  })
  return t
}
const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
/** Waits for a copy without the polling intervals of its jobs. */
const soon = (check: () => void) =>
  eventually(async () => {
    await t?.wake('events.seal', 'events.read.file', 'events.read.syslog')
    check()
  })
const write = async ({ app }: TestApp, ...ids: string[]) => {
  for (const id of ids) await app.core.transact((tx) => writeNote(app, tx, id))
}
const subjects = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { subjectId: string }).subjectId)
const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [])
const bodyOf = (message: string) => message.slice(message.indexOf('{'))

test('every event is appended to a file with its position in the chain, and after the file is renamed a new file is begun', async () => {
  const path = join(directory, 'events.jsonl')
  const app = await start({ file: path })
  await write(app, 'a', 'b')
  await soon(() => expect(subjects(linesOf(path))).toEqual(['a', 'b']))
  expect(JSON.parse(linesOf(path)[0] ?? '')).toMatchObject({
    ...{ type: 'note.written', data: { length: 1 }, position: 1 },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(statSync(path).mode & 0o077).toBe(0)
  renameSync(path, `${path}.1`)
  await write(app, 'c')
  await soon(() => expect(subjects(linesOf(path))).toEqual(['c']))
  // A file with an incomplete line, as after a full disk.
  appendFileSync(path, '{"torn":')
  await write(app, 'd')
  await soon(() => expect(linesOf(path)).toHaveLength(3))
  expect(subjects([linesOf(path)[2] ?? ''])).toEqual(['d'])
  expect(subjects(linesOf(`${path}.1`))).toEqual(['a', 'b'])
})

test('every event is sent to a syslog server over TCP by RFC 5424, preceded by its length', async () => {
  const server = await syslogServer()
  closing.push(server.close)
  const app = await start({ syslog: `tcp://127.0.0.1:${server.port}` })
  await write(app, 'a', 'ünï', 'c')
  await soon(() => expect(subjects(server.messages.map(bodyOf))).toEqual(['a', 'ünï', 'c']))
  expect(server.messages[0]).toMatch(
    /^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [\x21-\x7e]+ gatehouse \d+ note\.written - \{"id":/,
  )
})

test('every event is sent to a syslog server over UDP as one datagram', async () => {
  const server = await datagramServer()
  closing.push(server.close)
  const app = await start({ syslog: `udp://127.0.0.1:${server.port}` })
  await write(app, 'a', 'b')
  await soon(() => expect(subjects(server.messages.map(bodyOf))).toEqual(['a', 'b']))
})

const makeKey = (): { readonly key: string; readonly cert: string; readonly certFile: string } | undefined => {
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', keyFile, '-out', certFile, '-days', '2', ...names], {
      stdio: 'ignore',
    })
  } catch {
    return undefined
  }
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), certFile }
}
/** Only readers of copies, because statistics read events as well. */
const readersOf = async (t: TestApp) => (await t.app.audit.readers()).filter(({ name }) => name !== 'statistics')

const key = makeKey()

test.skipIf(key === undefined)('events are sent over TLS to a server with a trusted certificate, and to no other', async () => {
  if (key === undefined) throw new Error('no key')
  const server = await syslogServer(key)
  closing.push(server.close)
  const app = await start({ syslog: `tls://localhost:${server.port}` })
  await write(app, 'a')
  await eventually(async () =>
    expect((await readersOf(app)).find(({ name }) => name === 'syslog')?.lastError).toMatch(/self.signed/),
  )
  expect(server.messages).toEqual([])
  const node = await app.node({ events: { syslog: `tls://localhost:${server.port}`, syslogCaFile: key.certFile } })
  await soon(() => expect(subjects(server.messages.map(bodyOf))).toEqual(['a']))
  await node.stop()
})

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test('every event is posted to an endpoint, signed and in order, until the endpoint accepts it', async () => {
  const server = await webhookServer((n) => (n <= 2 ? 503 : 204))
  closing.push(server.close)
  const app = await start({ webhook: { url: server.url, secret } })
  const posted = (check: () => void) =>
    eventually(async () => {
      await app.wake('events.seal', 'events.read.webhook', 'queue.events.webhook')
      check()
    })
  await write(app, 'a', 'b')
  for (const times of [1, 2]) {
    await posted(() => expect(server.received.length).toBeGreaterThanOrEqual(times))
    // The clock moves after the attempt, because an attempt with an expired lease would be repeated.
    await eventually(async () => expect(await app.app.tasks.list('events.webhook', 'running', 10)).toEqual([]))
    if (times === 1) await write(app, 'c')
    app.clock.advance({ minutes: 20 })
  }
  const taken = () =>
    server.received.slice(2).flatMap(({ body }) => {
      const { data } = JSON.parse(body) as { data: { events: readonly { subjectId: string }[] } }
      return data.events.map(({ subjectId }) => subjectId)
    })
  await posted(() => expect(taken()).toEqual(['a', 'b', 'c']))
  const [first, second, third] = server.received
  expect(first?.headers['webhook-id']).toBe(third?.headers['webhook-id'])
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
  const headers = third?.headers as Record<string, string>
  expect(() => new Webhook(secret).verify(third?.body ?? '', headers)).not.toThrow()
  expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(third?.body ?? '', headers)).toThrow()
  expect(JSON.parse(third?.body ?? '')).toMatchObject({
    type: 'events.recorded',
    data: { events: [{ position: 1 }, { position: 2 }] },
  })
}, 120_000)

test('an unreachable copy of the events delays neither other copies nor sealing, and doctor reports its reader', async () => {
  const path = join(directory, 'beside.jsonl')
  const app = await start({ file: path, syslog: `tcp://127.0.0.1:${await freePort()}` })
  await write(app, 'a', 'b')
  await soon(() => expect(subjects(linesOf(path))).toEqual(['a', 'b']))
  await eventually(async () =>
    expect(await readersOf(app)).toMatchObject([
      { name: 'file', lag: 0, failures: 0, failingSince: null, lastError: null },
      { name: 'syslog', lag: 2, failingSince: expect.any(Date), lastError: expect.stringContaining('ECONNREFUSED') },
    ]),
  )
  expect((await app.app.audit.verify()).unsealed).toBe(0)
})

test('a copy of the events without a secret, or to an unsupported address, is refused at start', () => {
  const refused = (events: Record<string, unknown>) => () =>
    loadConfig(configSchema, { env: {}, flags: { databaseUrl: 'sqlite::memory:', events } })
  expect(refused({ webhook: { url: 'https://siem.example/events' } })).toThrow('url and secret')
  expect(refused({ webhook: { url: 'https://siem.example/events', secret: 'short' } })).toThrow('whsec_')
  expect(refused({ syslog: 'http://siem.example' })).toThrow('udp://')
})
