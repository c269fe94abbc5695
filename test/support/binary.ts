/** Runs the command line as an operator does, either in this process or in a new process from `bin/gatehouse.js`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { vi } from 'vitest'
import { main } from '../../src/main.ts'
import { type Client, createClient } from './client.ts'
import type { TestDatabase } from './database.ts'
import { freePort } from './port.ts'
import { closeIdleConnections } from './request.ts'
import { testSecret } from './secret.ts'

/** Options of tests that start many processes, each of which takes seconds on a busy machine. */
export const slow = { timeout: 180_000 }

const root = join(import.meta.dirname, '../..')

/** The mask for new files. A command and a daemon in this process change it, and may run at the same time as others. */
const mask = process.umask()

export type Environment = Readonly<Record<string, string>>

/** The environment without gatehouse's variables, because in this process they configure the tests. */
export const inherited = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|PORT$)/.test(name)))

/** Variables that give the program a database, and make hashing fast. */
export const environmentOf = (database: TestDatabase): Environment => ({
  GATEHOUSE_DATABASE_URL: database.url,
  GATEHOUSE_DATABASE_POOLER: database.pooler,
  GATEHOUSE_DATA_DIR: database.dataDir,
  GATEHOUSE_SECRET: testSecret,
  GATEHOUSE_PASSWORD_MEMORY_KIB: '8',
  GATEHOUSE_PASSWORD_TIME_COST: '1',
  GATEHOUSE_PASSWORD_ALLOW_WEAK_HASHING: 'true',
  GATEHOUSE_OIDC_RSA_MODULUS_LENGTH: '2048',
  // Without this variable, the daemon sets it and starts itself again, which takes a fifth of its start. bin/precompile.js, which
  // test/cli/image.test.ts runs, starts a daemon without it.
  MALLOC_ARENA_MAX: '2',
})

interface Running {
  readonly child: ChildProcess
  readonly said: { stdout: string; stderr: string }
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/** The outputs of a process. The output is only recorded if it is a pipe. */
export interface Outputs {
  readonly stdout?: number
  readonly stderr?: number
}

/** Starts a command in a new process. */
export const startCommand = (args: readonly string[], env: Environment, { stdout, stderr }: Outputs = {}): Running => {
  const child = spawn(process.execPath, [join(root, 'bin/gatehouse.js'), ...args], {
    cwd: root,
    env: { ...inherited(), ...env },
    stdio: ['pipe', stdout ?? 'pipe', stderr ?? 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  return { child, said, ended }
}

export interface Result {
  readonly exitCode: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
  /** The standard output as JSON. With `--json` it must contain nothing else. */
  json(): unknown
}

const resultOf = (exitCode: Result['exitCode'], said: { stdout: string; stderr: string }): Result => ({
  exitCode,
  ...said,
  json: () => JSON.parse(said.stdout) as unknown,
})

/** Runs one command to its end in a new process. `input` is its standard input. */
export const spawnCommand = async (
  args: readonly string[],
  env: Environment,
  input: string | Buffer = '',
  outputs: Outputs = {},
): Promise<Result> => {
  const { child, said, ended } = startCommand(args, env, outputs)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return resultOf(await ended, said)
}

/** A terminal without a person, which records its output, and its interrupt. */
const createTerminal = (env: Environment, input: string | Buffer = '') => {
  const said = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof said) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said[name] += String(chunk)
        done()
      },
    })
  const stdin = Readable.from(input === '' ? [] : [input])
  const interrupt = new AbortController()
  const terminal = { stdin, stdout: sink('stdout'), stderr: sink('stderr'), env: { ...inherited(), ...env } }
  return { terminal: { ...terminal, interrupted: interrupt.signal }, said, interrupt: () => interrupt.abort() }
}

/** Runs one command to its end in this process, which saves the start of Node. It opens and closes the application as a new process would. */
export const runCommand = async (args: readonly string[], env: Environment, input: string | Buffer = ''): Promise<Result> => {
  const { terminal, said } = createTerminal(env, input)
  try {
    return resultOf(await main(args, terminal), said)
  } finally {
    process.umask(mask)
  }
}

/** A daemon, in this process or in a new one. */
export interface Served {
  readonly url: string
  readonly port: number
  /** The output so far. */
  readonly said: { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<number | NodeJS.Signals>
  client(): Client
  /** Ends the daemon as a signal does, and resolves to the exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface Daemon extends Served {
  readonly child: ChildProcess
}

/** Asks on a connection that is closed after the answer. A daemon that ends waits a second for each idle connection. */
export const statusOf = async (port: number, path: string): Promise<number> => {
  const [answer] = await once(get({ host: '127.0.0.1', port, path, agent: false }), 'response')
  answer.resume()
  return answer.statusCode
}

/** Starts `serve` on a free port and waits until it is ready. */
const untilReady = async <R extends Pick<Served, 'said' | 'ended'>>(begin: (port: number) => R, end: (running: R) => unknown) => {
  for (;;) {
    const port = await freePort()
    const running = begin(port)
    const url = `http://localhost:${port}`
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    await vi.waitFor(
      async () => {
        if (isOver) return
        if ((await statusOf(port, '/readyz')) !== 200) throw new Error('not ready')
      },
      { timeout: 60_000, interval: 30 },
    )
    const stop = () => {
      closeIdleConnections(port)
      end(running)
      return running.ended
    }
    if (!isOver) return { ...running, url, port, client: () => createClient(url), stop }
    if (!running.said.stderr.includes(`Port ${port} on`)) throw new Error(`the daemon ended: ${running.said.stderr}`)
  }
}

/** Runs `serve` in a new process. For tests of the process, of signals, and of where the log is written. */
export const startDaemon = (env: Environment, args: readonly string[] = [], outputs: Outputs = {}): Promise<Daemon> =>
  untilReady(
    (port) => startCommand(['serve', '--port', String(port), ...args], env, outputs),
    ({ child }) => child.kill('SIGTERM'),
  )

/** Starts `serve` in this process, which saves the start of Node, and does not wait. `end` ends it as a signal does. */
export const serveAtOnce = (env: Environment, port: number, args: readonly string[] = []) => {
  const { terminal, said, interrupt } = createTerminal(env)
  const ended = main(['serve', '--port', String(port), ...args], terminal).finally(() => process.umask(mask))
  return { said, ended, end: interrupt }
}

/** Starts `serve` in this process and waits until it is ready. For tests that need no process, signal or log of a process. */
export const serveHere = async (env: Environment, args: readonly string[] = []): Promise<Served> => {
  try {
    return await untilReady(
      (port) => serveAtOnce(env, port, args),
      ({ end }) => end(),
    )
  } finally {
    process.umask(mask)
  }
}
