import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createConnection } from '../load/connection.ts'
import { cpuMicroseconds, pinnedCommand } from '../system.ts'

/** A measured server in a process of its own. */
export interface Process {
  readonly pid: number
  readonly origin: string
  /** Time from the start of the process to the first successful answer, in milliseconds. */
  readonly readyMs: number
  /** Processor time until that answer, in milliseconds. NaN if the system does not report it. */
  readonly readyCpuMs: number
  stop(): Promise<void>
}

export interface ProcessOptions {
  readonly args: readonly string[]
  readonly port: number
  readonly readyPath: string
  readonly env?: Readonly<Record<string, string>>
  /** True to show the output of the server. */
  readonly verbose: boolean
}

const giveUpMs = 30_000

export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

const untilReady = async (child: ChildProcess, { port, readyPath, args }: ProcessOptions) => {
  const giveUp = performance.now() + giveUpMs
  while (performance.now() < giveUp) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const connection = createConnection(port)
    const answer = await connection
      .send(`GET ${readyPath} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
      .catch(() => undefined)
    connection.close()
    if (answer?.status === 200) return
    await wait(2)
  }
  child.kill('SIGKILL')
  throw new Error(`did not start: ${args.join(' ')} (--verbose shows why)`)
}

/** The environment without variables that change how a server or a command runs, so that it starts as it does for an operator. */
export const inherited = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|UV_|MALLOC_|NODE_OPTIONS$|PORT$)/.test(name)))

/** Starts a server with this Node on the servers' core, and waits until it answers. The server ends when this process ends, if not earlier. */
export const startProcess = async (options: ProcessOptions): Promise<Process> => {
  const [command, args] = pinnedCommand(process.execPath, options.args)
  const env = { ...inherited(), ...options.env }
  const output = options.verbose ? 'inherit' : 'ignore'
  const began = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', output, output] })
  const { pid } = child
  if (pid === undefined) throw new Error(`cannot start ${command}`)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  await untilReady(child, options)
  const readyMs = performance.now() - began
  const readyCpuMs = (cpuMicroseconds([pid]) ?? Number.NaN) / 1000
  return {
    readyCpuMs,
    pid,
    origin: `http://localhost:${options.port}`,
    readyMs,
    stop: async () => {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
