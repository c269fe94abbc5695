import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Db, isUnavailable, lockRow, openDatabase } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { dialect, isPooled } from '../../support/database.ts'
import { hurry } from '../../support/time.ts'

const lines: string[] = []
let t: TestApp
beforeAll(async () => {
  t = await testApp({ onLog: (line) => lines.push(line) })
})
afterAll(() => t.stop())

test('a failed statement is logged without its values', async () => {
  const { knex } = t.app.core.db
  await knex.schema.renameTable('account', 'account_away')
  const answer = await t.client().post('/sign-up/email', { name: 'Leak', email: 'leak@example.com', password })
  await knex.schema.renameTable('account_away', 'account')
  expect([answer.status, Object.keys(answer.json)]).toEqual([500, ['code', 'message', 'requestId']])
  const log = lines.join('')
  expect(log).toContain(String(answer.json['requestId']))
  expect(log).toContain('account')
  for (const value of ['argon2id', 'leak@example.com', password]) expect(log).not.toContain(value)
})

test('no log line of a sign-in contains password, token or cookie', async () => {
  lines.length = 0
  const client = await t.signedIn('quiet@example.com')
  const token = (await client.api.sessions.getSession())?.session.token ?? ''
  await client.request(`/verify-email?token=${token}`)
  const log = lines.join('')
  expect(log).toContain('/verify-email')
  for (const secret of [password, token, 'gatehouse.session']) expect(log).not.toContain(secret)
})

type Line = Readonly<Record<string, unknown>>
const parsed = () => lines.map((line) => JSON.parse(line) as Line)
const logged = (wanted: Line) =>
  vi.waitFor(() => {
    const line = parsed().find((one) => Object.entries(wanted).every(([key, value]) => one[key] === value))
    if (line === undefined) throw new Error(`no line ${JSON.stringify(wanted)}`)
    return line
  }, 60_000)

test('a logged path is at most 256 characters long, and a token at the cut is masked', async () => {
  lines.length = 0
  await t.client().request(`/${'lower/'.repeat(2_000)}`)
  await t.client().request(`/${'a/'.repeat(120)}SecretSecretSecretSecret`)
  const [long, cut] = [await logged({ msg: 'request' }), parsed().filter(({ msg }) => msg === 'request')[1]]
  expect([String(long['path']).length, String(cut?.['path']).endsWith('/*')]).toEqual([256, true])
})

/** Begins a request that announces more bytes than it sends, and disconnects. */
const goAway = async (path: string, type: string, isReset: boolean) => {
  const socket = connect(Number(new URL(t.url).port), '127.0.0.1').on('error', () => undefined)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\nExpect: 100-continue\r\nX-Request-Id: away\r\n\r\na=b`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
}

test.each([
  ['/sign-in/email', 'application/json', false],
  ['/oauth2/token', 'application/x-www-form-urlencoded', false],
  ['/oauth2/token', 'application/json', true],
  ['/oauth2/introspect', 'application/x-www-form-urlencoded', true],
])('an aborted request to %s is logged in one line without status or stack', async (path, type, isReset) => {
  lines.length = 0
  await goAway(path, type, isReset)
  const line = await logged({ msg: 'request aborted', path })
  expect([line['requestId'], line['level'], line['aborted'], 'status' in line]).toEqual(['away', 'info', true, false])
  const others = parsed().filter(({ level }) => level === 'warn' || level === 'error')
  expect([others, lines.join('').includes('stack')]).toEqual([[], false])
})

test('a failed sign-out keeps the session cookie', async () => {
  const client = await t.signedIn('again@example.com')
  const { knex } = t.app.core.db
  await knex.schema.alterTable('session', (table) => table.renameColumn('id', 'id_away'))
  const failed = await client.post('/sign-out')
  await knex.schema.alterTable('session', (table) => table.renameColumn('id_away', 'id'))
  expect(failed.status).toBe(500)
  expect(failed.headers.getSetCookie()).toEqual([])
  expect((await client.post('/sign-out')).json).toEqual({ success: true })
})

test('a picture URL must be an https address, and a script, data or file address is refused', async () => {
  for (const image of [
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'file:///etc/passwd',
    'http://example.com/a.png',
    'nonsense',
  ]) {
    const answer = await t.client().post('/sign-up/email', { name: 'P', email: 'p@example.com', password, image })
    expect([answer.status, answer.json['issues']]).toEqual([
      400,
      [{ path: 'image', message: 'an https address without blanks, quotes and control characters' }],
    ])
  }
  const fine = await t
    .client()
    .post('/sign-up/email', { name: 'P', email: 'p@example.com', password, image: 'https://example.com/a.png' })
  expect(fine.json['user']).toMatchObject({ image: 'https://example.com/a.png' })
})

test('the front page redirects to the account page and keeps the query', async () => {
  const answer = await t.client().request('/?error=invalid_token', { headers: { accept: 'text/html' } })
  expect([answer.status, answer.location]).toEqual([302, '/account?error=invalid_token'])
})

test('of two transactions that deadlock both succeed in the end', async () => {
  await t.signedIn('one@example.com')
  await t.signedIn('two@example.com')
  const ids: string[] = await t.app.core.db.knex('user').whereIn('email', ['one@example.com', 'two@example.com']).pluck('id')
  const both = (order: readonly string[]) =>
    t.app.core.transact(async (tx) => {
      for (const id of order) {
        await lockRow(tx, 'user', id)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return 'done'
    })
  expect(await Promise.all([both(ids), both([...ids].reverse())])).toEqual(['done', 'done'])
})

/** A PostgreSQL that accepts connections and answers nothing. */
const silentServer = async (): Promise<{ url: string; close: () => void }> => {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://nobody@127.0.0.1:${port}/nothing`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** The longest time that a request may wait for the database (security baseline, section 15). */
const longestWaitMs = 10_000

describe.runIf(dialect === 'postgres')('PostgreSQL without an answer', () => {
  let endHurry = () => {}
  afterEach(() => endHurry())

  test('a database that accepts connections but does not answer gives 503 within ten seconds', async () => {
    endHurry = hurry({ longestMs: longestWaitMs })
    const server = await silentServer()
    const database = openDatabase({ url: server.url, poolMax: 2, synchronous: 'NORMAL' })
    const error = await database.db.knex.raw('select 1').catch((caught: unknown) => caught)
    expect(isUnavailable(error)).toBe(true)
    server.close()
    await database.destroy()
  })

  test('a query without an answer within ten seconds gives 503, and its connection leaves the pool', async () => {
    const database = openDatabase({ ...t.database, poolMax: 1, synchronous: 'NORMAL' })
    const pidOf = async () => (await database.db.knex.raw('select pg_backend_pid() as pid')).rows[0].pid as number
    const pid = await pidOf()
    endHurry = hurry({ longestMs: longestWaitMs })
    const error = await database.db.knex.raw('select pg_sleep(60)').catch((caught: unknown) => caught)
    endHurry()
    expect(isUnavailable(error)).toBe(true)
    expect(await pidOf()).not.toBe(pid)
    await database.destroy()
    await t.app.core.db.knex.raw('select pg_terminate_backend(?)', [pid])
  })

  test('the server cancels a query after eight seconds, and a cancelled query gives 503', async () => {
    const limitOf = async ({ knex }: Db) => (await knex.raw('show statement_timeout')).rows
    const eightSeconds = [{ statement_timeout: '8s' }]
    expect(await t.app.core.transact(limitOf)).toEqual(eightSeconds)
    // A pooler does not know the limits of a connection.
    if (!isPooled) expect(await limitOf(t.app.core.db)).toEqual(eightSeconds)
    const cancelled = t.app.core.transact(async (tx) => {
      await tx.knex.raw('set local statement_timeout = 20')
      await tx.knex.raw('select pg_sleep(60)')
    })
    await expect(cancelled).rejects.toSatisfy(isUnavailable)
    expect((await t.client().request('/get-session')).status).toBe(200)
  })
})
