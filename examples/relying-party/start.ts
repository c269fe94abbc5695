import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createApp } from './app.ts'

export interface DemoOptions {
  /** Ports of gatehouse and of the application. */
  readonly port: number
  readonly appPort: number
  /** The directory with the database, the log and the registered client. It is kept for the next start. */
  readonly dataDir: string
}

export interface Demo {
  readonly url: string
  readonly appUrl: string
  /** Resolves when gatehouse has ended, by `stop` or by itself. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const gatehouse = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url))
const run = promisify(execFile)
const startTimeoutMs = 30_000

/** Contains only what the demonstration sets, so that settings of another gatehouse on this machine have no effect. */
const environment = (url: string, { port, dataDir }: DemoOptions): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GATEHOUSE_') && name !== 'PORT')),
  GATEHOUSE_URL: url,
  GATEHOUSE_PORT: String(port),
  GATEHOUSE_DATA_DIR: dataDir,
})

/** An error with the end of the daemon's log, which contains the reason. */
const failure = (message: string, logFile: string) =>
  new Error(`${message}; the end of ${logFile}:\n${readFileSync(logFile, 'utf8').slice(-2000)}`)

/** Thrown if another program listens on a port. The message says how to start anyway. */
export class PortTaken extends Error {}

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    return false
  } finally {
    probe.close()
  }
}

const isGatehouse = async (url: string): Promise<boolean> => {
  const signal = AbortSignal.timeout(2_000)
  const answer: unknown = await fetch(`${url}/readyz`, { signal })
    .then((response) => response.json())
    .catch(() => undefined)
  return typeof answer === 'object' && answer !== null && 'checks' in answer
}

/** Throws `PortTaken`. Without this check, the application could meet another gatehouse, which does not know the client. */
const requireFreePorts = async ({ port, appPort }: DemoOptions): Promise<void> => {
  if (!(await isFree(port))) {
    const beside = `DEMO_PORT=${port + 1} npm run demo`
    throw new PortTaken(
      (await isGatehouse(`http://localhost:${port}`))
        ? `Port ${port} is taken by a gatehouse that runs already. Stop it, or start the demo beside it: ${beside}`
        : `Port ${port} is taken. Stop what listens there, or: ${beside}`,
    )
  }
  if (!(await isFree(appPort)))
    throw new PortTaken(`Port ${appPort} is taken. Stop what listens there, or: RP_PORT=${appPort + 1} npm run demo`)
}

/**
 * Waits until the daemon's log says that it is ready. A request to its address would not show this, because another program could answer
 * there.
 */
const untilReady = async (daemon: ChildProcess, logFile: string): Promise<void> => {
  const giveUp = Date.now() + startTimeoutMs
  while (Date.now() < giveUp) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) throw failure('gatehouse did not start', logFile)
    if (readFileSync(logFile, 'utf8').includes('"gatehouse is ready"')) return
    await wait(50)
  }
  throw failure('gatehouse is not ready yet', logFile)
}

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

/** Registers the application as an operator would, unless an earlier start has done so. The secret is shown only once, so it is stored. */
const registerOnce = async (redirectUri: string, options: DemoOptions, env: NodeJS.ProcessEnv): Promise<Client> => {
  const cli = async (...args: readonly string[]) =>
    JSON.parse((await run(process.execPath, [gatehouse, ...args, '--json'], { env })).stdout)
  const file = join(options.dataDir, 'example-client.json')
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    const clients = JSON.stringify(await cli('list-clients'))
    if (kept.redirect_uri === redirectUri && clients.includes(kept.client_id)) return kept
  }
  const home = redirectUri.replace(/callback$/, '')
  const where = ['--redirect-uri', redirectUri, '--post-logout-redirect-uri', home]
  const made: Client = await cli('register-client', '--name', 'Example application', ...where)
  writeFileSync(file, JSON.stringify({ ...made, redirect_uri: redirectUri }), { mode: 0o600 })
  return made
}

/**
 * Starts gatehouse as a process of its own, and the example application in this process. Both answer when the promise resolves. Throws
 * `PortTaken`.
 */
export const startDemo = async (options: DemoOptions): Promise<Demo> => {
  await requireFreePorts(options)
  const url = `http://localhost:${options.port}`
  const appUrl = `http://localhost:${options.appPort}`
  const logFile = join(options.dataDir, 'gatehouse.log')
  const env = environment(url, options)
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  const log = openSync(logFile, 'w', 0o600)

  // The daemon gets a process group of its own. So Ctrl-C reaches only this process, which then stops both in order.
  const daemon = spawn(process.execPath, [gatehouse, 'serve'], { env, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = once(daemon, 'exit').then(() => undefined)
  const abandon = () => daemon.kill('SIGKILL')
  process.once('exit', abandon)
  const stopDaemon = async () => {
    process.off('exit', abandon)
    daemon.kill('SIGTERM')
    await ended
  }

  try {
    await untilReady(daemon, logFile)
    const client = await registerOnce(`${appUrl}/callback`, options, env)
    const app = await createApp({ issuer: url, clientId: client.client_id, clientSecret: client.client_secret, url: appUrl })
    const server = app.listen(options.appPort, '127.0.0.1')
    await once(server, 'listening')
    const stop = async () => {
      server.close()
      server.closeAllConnections()
      await stopDaemon()
    }
    return { url, appUrl, ended, stop }
  } catch (error) {
    await stopDaemon()
    throw error
  }
}
