import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, inherited, serveHere, slow, startCommand, startDaemon } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/port.ts'

/** Gives a test the environment of its own database, so that tests can run at the same time. */
const withInstance = async <T>(work: (env: Environment) => Promise<T>) => {
  const database = await createDatabaseWithKeys()
  try {
    return await work(environmentOf(database))
  } finally {
    await database.drop()
  }
}

/** A grace period longer than a test may take, so that its end closes no connection. */
const shutdown = { GATEHOUSE_HTTP_SHUTDOWN_SECONDS: '300' }

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Sends SIGTERM to a daemon that waits for a database, which accepts connections and sends nothing. */
const stopWaiting = () =>
  withInstance(async (env) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { child, said, ended } = startCommand(['serve', '--port', '0'], {
      ...env,
      GATEHOUSE_DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing`,
      GATEHOUSE_DATABASE_WAIT_SECONDS: '600',
    })
    await once(server, 'connection')
    child.kill('SIGTERM')
    const result = await Promise.race([ended, pause(60_000)])
    child.kill('SIGKILL')
    server.close()
    return { result, said }
  })

/** The data received on one connection, and how the connection ended. */
const listenOn = (socket: Socket) => {
  const seen = { text: '', error: '', isEnded: false }
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    seen.text += text
  })
  socket.on('error', ({ message }) => {
    seen.error = message
  })
  socket.on('end', () => {
    seen.isEnded = true
  })
  return seen
}

// This daemon gives up its connection after five seconds. Meanwhile the other tests run.
let waiting: ReturnType<typeof stopWaiting>
beforeAll(() => {
  waiting = stopWaiting()
  waiting.catch(() => undefined)
})

describe('the daemon after SIGTERM', slow, () => {
  let database: TestDatabase
  let env: Environment
  let child: ChildProcess | undefined
  beforeEach(async () => {
    database = await createDatabaseWithKeys()
    env = environmentOf(database)
  })
  afterEach(async () => {
    child?.kill('SIGKILL')
    await database.drop()
  })

  test('responses after SIGTERM are complete and say Connection: close, and no connection of 16 busy clients is reset', async () => {
    const daemon = await startDaemon({ ...env, ...shutdown })
    child = daemon.child
    const clients = Array.from({ length: 16 }, () => {
      const socket = connect(daemon.port, '127.0.0.1')
      const seen = listenOn(socket)
      // Like a proxy, the client sends its next request after an answer, unless the answer says that it is the last.
      const send = () => socket.write(request('/get-session'))
      socket.on('data', () => {
        const head = seen.text.slice(seen.text.lastIndexOf('HTTP/1.1'))
        if (!/\r\n\r\n/.test(head) || !head.endsWith('null')) return
        if (/connection: close/i.test(head)) socket.end()
        else setTimeout(send, Math.random() * 20)
      })
      socket.on('connect', send)
      return { socket, seen, closed: once(socket, 'close') }
    })
    await vi.waitFor(() => expect(clients.every(({ seen }) => seen.text.split('HTTP/1.1').length > 3)).toBe(true), 60_000)
    daemon.child.kill('SIGTERM')
    await Promise.all(clients.map(({ closed }) => closed))
    for (const { seen } of clients) {
      const answers = seen.text.split('HTTP/1.1 ').slice(1)
      expect([seen.error, answers.at(-1)]).toEqual(['', expect.stringMatching(/^200 [\s\S]*connection: close[\s\S]*null$/i)])
      expect(answers.slice(0, -1).filter((answer) => /connection: close/i.test(answer))).toEqual([])
    }
    expect(await daemon.ended).toBe(0)
  })

  test('a pipelined request after SIGTERM does not keep the previous request from being answered', async () => {
    const daemon = await serveHere({ ...env, ...shutdown })
    const socket = connect(daemon.port, '127.0.0.1')
    const seen = listenOn(socket)
    socket.write(request('/get-session'))
    await vi.waitFor(() => expect(seen.text).toMatch(/null$/), 60_000)
    const ended = daemon.stop()
    await vi.waitFor(() => expect(daemon.said.stderr).toContain('shutting down'), 60_000)
    // The second request follows the last answer. It gets no answer, and does not cut off the first one.
    socket.write(request('/get-session') + request('/get-session'))
    await vi.waitFor(() => expect(seen.isEnded).toBe(true), 60_000)
    await pause(300)
    expect(seen.error).toBe('')
    expect(seen.text.split('HTTP/1.1 200').slice(1)[1]).toMatch(/connection: close/i)
    socket.end()
    expect(await ended).toBe(0)
  })

  test('idle and unused connections are closed cleanly within seconds after SIGTERM', async () => {
    const daemon = await serveHere({ ...env, ...shutdown })
    const [idle, fresh] = [connect(daemon.port, '127.0.0.1'), connect(daemon.port, '127.0.0.1')]
    const [atIdle, atFresh] = [listenOn(idle), listenOn(fresh)]
    idle.write(request('/livez'))
    await vi.waitFor(() => expect(atIdle.text).toContain('200 OK'), 60_000)
    expect(await daemon.stop()).toBe(0)
    expect([atIdle.isEnded, atIdle.error, atFresh.isEnded, atFresh.error]).toEqual([true, '', true, ''])
  })
})

/** Whether this machine allows the tests to start a process as process 1 of a namespace. */
const hasNamespaces = (() => {
  try {
    execFileSync('unshare', ['-pf', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

// These tests mostly wait, so they run at the same time.
describe.concurrent('a signal during the start', slow, () => {
  test('SIGTERM ends a daemon that waits for its database', async () => {
    const { result, said } = await waiting
    expect([result, said.stderr]).toEqual([0, expect.stringContaining('"stopped"')])
  })

  const moments = process.env['GATEHOUSE_TEST_FULL'] === '1' ? [30, 60, 120, 250, 500, 1_000, 2_000] : [30, 120, 500, 2_000]
  test.skipIf(!hasNamespaces).each(moments)('SIGTERM ends a daemon that is process 1, %d ms after its start', (ms) =>
    withInstance(async (env) => {
      const args = ['-pf', '--mount-proc', process.execPath, 'bin/gatehouse.js', 'serve', '--port', String(await freePort())]
      const outer = spawn('unshare', args, {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...inherited(), ...env, MALLOC_ARENA_MAX: '2' },
        stdio: 'ignore',
      })
      const ended = once(outer, 'exit')
      const pid = await vi.waitFor(() => Number(execFileSync('pgrep', ['-P', String(outer.pid)])), 60_000)
      await pause(ms)
      process.kill(pid, 'SIGTERM')
      const result = await Promise.race([ended, pause(20_000)])
      if (result === undefined) process.kill(pid, 'SIGKILL')
      expect(result).toEqual([0, null])
    }),
  )
})
