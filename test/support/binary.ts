/** Runs the command line as an operator does: in this process, or as a process of its own from `bin/gatehouse.js`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { vi } from 'vitest'
import { open, prepareDatabase } from '../../src/cli/open.ts'
import { createServing } from '../../src/cli/serving.ts'
import { compose } from '../../src/composition.ts'
import { main } from '../../src/main.ts'
import { type Client, createClient } from './client.ts'
import type { TestDatabase } from './database.ts'
import { freePort, reservePort } from './port.ts'
import { testSecret } from './secret.ts'

/** For tests that start many processes: a busy machine takes seconds for each. */
export const slow = { timeout: 180_000 }

const root = join(import.meta.dirname, '../..')

export type Environment = Readonly<Record<string, string>>

/** Our variables of this process stay out: they are about the tests. */
export const inherited = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|PORT$)/.test(name)))

/** What points the program at a database of its own, with cheap hashes. */
export const environmentOf = (database: TestDatabase): Environment => ({
  GATEHOUSE_DATABASE_URL: database.url,
  GATEHOUSE_DATABASE_POOLER: database.pooler,
  GATEHOUSE_DATA_DIR: database.dataDir,
  GATEHOUSE_SECRET: testSecret,
  GATEHOUSE_PASSWORD_MEMORY_KIB: '8',
  GATEHOUSE_PASSWORD_TIME_COST: '1',
  GATEHOUSE_PASSWORD_ALLOW_WEAK_HASHING: 'true',
  GATEHOUSE_OIDC_RSA_MODULUS_LENGTH: '2048',
  // Where it is set, a daemon does not begin anew with it, which is a fifth of its start; bin/precompile.js, in test/cli/image.test.ts, starts one without.
  MALLOC_ARENA_MAX: '2',
})

interface Running {
  readonly child: ChildProcess
  readonly said: { stdout: string; stderr: string }
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/** Where a process writes: what it said is read from pipes, and from nothing else. */
export interface Outputs {
  readonly stdout?: number
  readonly stderr?: number
}

/** Starts a command as a process of its own. */
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
  /** Standard output, which with `--json` must be JSON and nothing else. */
  json(): unknown
}

const resultOf = (exitCode: Result['exitCode'], said: { stdout: string; stderr: string }): Result => ({
  exitCode,
  ...said,
  json: () => JSON.parse(said.stdout) as unknown,
})

/** Runs one command to its end as a process of its own; `input` is its standard input. */
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

/** A terminal that nobody types at, and what was written on it. */
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
  return { terminal: { stdin, stdout: sink('stdout'), stderr: sink('stderr'), env: { ...inherited(), ...env } }, said }
}

/** The same in this process, which spares a start of Node. It opens and closes the application as the process would. */
export const runCommand = async (args: readonly string[], env: Environment, input: string | Buffer = ''): Promise<Result> => {
  const { terminal, said } = createTerminal(env, input)
  const mask = process.umask()
  try {
    return resultOf(await main(args, terminal), said)
  } finally {
    process.umask(mask)
  }
}

export interface Daemon {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** What it has written so far. */
  readonly said: { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<number | NodeJS.Signals>
  client(): Client
  /** Sends SIGTERM and gives the exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

/** Starts `serve` on a free port and waits until it is ready. */
export const startDaemon = async (env: Environment, args: readonly string[] = [], outputs: Outputs = {}): Promise<Daemon> => {
  const port = await freePort()
  const running = startCommand(['serve', '--port', String(port), ...args], env, outputs)
  const url = `http://localhost:${port}`
  let isOver = false
  void running.ended.then(() => {
    isOver = true
  })
  await vi.waitFor(
    async () => {
      if (isOver) return
      if ((await fetch(`${url}/readyz`)).status !== 200) throw new Error('not ready')
    },
    { timeout: 60_000, interval: 30 },
  )
  if (isOver && running.said.stderr.includes(`Port ${port} on`)) return startDaemon(env, args, outputs)
  if (isOver) throw new Error(`the daemon ended: ${running.said.stderr}`)
  return {
    ...running,
    url,
    port,
    client: () => createClient(url),
    stop: () => {
      running.child.kill('SIGTERM')
      return running.ended
    },
  }
}

/** What `serve` serves, in this process: for commands beside it, where neither its process nor its log is the subject. */
export const serveHere = async (env: Environment): Promise<Pick<Daemon, 'url' | 'port' | 'client' | 'stop'>> => {
  const { port, socket } = await reservePort()
  const mask = process.umask()
  const opened = await open(createTerminal(env).terminal, { port: String(port) }, { isDaemon: true, mayCreate: true })
  process.umask(mask)
  await prepareDatabase(opened)
  const serving = await createServing({ ...opened, compose })
  await serving.current().prepare()
  serving.start()
  await new Promise<void>((resolve) => serving.server.listen(socket, resolve))
  const url = `http://localhost:${port}`
  return {
    url,
    port,
    client: () => createClient(url),
    stop: async () => {
      serving.server.closeAllConnections()
      await new Promise((resolve) => serving.server.close(resolve))
      await serving.stop()
      await opened.node.database.destroy()
      return 0
    },
  }
}
