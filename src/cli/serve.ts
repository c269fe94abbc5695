import { channel } from 'node:diagnostics_channel'
import packageFile from '../../package.json' with { type: 'json' }
import { systemPrincipal } from '../access/principal.ts'
import { type App, compose } from '../composition.ts'
import { variableOf } from '../core/environment.ts'
import type { Log } from '../core/log.ts'
import { readableSecret } from '../core/master-secret.ts'
import { StartError } from '../core/start.ts'
import type { Terminal } from '../core/terminal.ts'
import type { Listener } from '../feature.ts'
import { trackConnections } from '../http/connections.ts'
import { listen, portOf } from '../http/listen.ts'
import { createTextServer } from '../http/text-server.ts'
import type { GatehouseCommand } from './command.ts'
import { advised, flushed, type Opened, open, prepareDatabase } from './open.ts'
import type { Shell } from './run.ts'
import { createServing, type Serving } from './serving.ts'

/** Ends the process immediately. A process with the id 1 ignores signals that it sends to itself, so it aborts. */
const kill = () => (process.pid === 1 ? process.abort() : process.kill(process.pid, 'SIGKILL'))

/** Resolves with the exit code when the daemon has to end: 0 after a signal or an interrupt of its terminal, and 1 after an uncaught error. */
const untilStopped = (log: Log, { interrupted }: Terminal): Promise<number> =>
  new Promise((resolve) => {
    let isStopping = false
    const stop = (signal: NodeJS.Signals) => {
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'shutting down')
      resolve(0)
      // After Ctrl-C, npm sends the daemon a second signal, which must be ignored. Only after this time does a further signal end the
      // daemon immediately.
      setTimeout(() => void process.off('SIGTERM', stop).off('SIGINT', stop), 1_000).unref()
    }
    if (interrupted !== undefined) return interrupted.addEventListener('abort', () => stop('SIGINT'))
    // When a terminal is closed, the kernel and the shell both send SIGHUP. The second one must not kill the daemon, so SIGHUP has a
    // handler, too. Log rotation does not need SIGHUP, because files are opened again for each batch.
    process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
    for (const event of ['unhandledRejection', 'uncaughtException'] as const)
      process.on(event, (err) => {
        log.fatal({ err, event }, 'shutting down after a fault')
        resolve(1)
      })
  })

/** Prints the URL of the instance. If the instance has no administrator, also prints a link with which the first one can be created. */
const printAddresses = async ({ print }: Shell, log: Log, { setup, core }: App) => {
  const addresses = { signIn: `${core.url}/sign-in`, console: `${core.url}/admin` }
  const text = `\n  Sign in  ${addresses.signIn}\n  Console  ${addresses.console}\n`
  // The link is printed on the console and not logged, because logs are collected and stored, and other people read them.
  const linked = async () => {
    if (await setup.hasAdministrator()) return { json: addresses, text }
    const { url: setupLink, expiresAt } = await setup.createSetupLink(systemPrincipal(core.random.requestId()))
    return {
      json: { ...addresses, setupLink, expiresAt: expiresAt.toISOString() },
      text: `${text}\nThere is no administrator yet. Open this link within an hour to become it:\n\n  ${setupLink}\n`,
    }
  }
  const output = await linked()
  // The daemon continues after this failure. The command `create-setup-link` can print another link.
  await print(output).catch((err: unknown) => log.warn({ err }, 'the addresses could not be printed'))
}

/**
 * Ends the start as soon as no request is under way. The loader of the bundle (`bin/loader.js`) then stores code that this start has
 * compiled. After that, the memory that only the start needed (an eighth of all) is returned. This takes about 100 ms and needs
 * `--expose-gc`, which the launcher sets. Otherwise the process would keep the memory until load makes it collect.
 */
const endStart = ({ open }: Pick<Serving, 'open'>): void => {
  const timer = setInterval(() => {
    if (open() > 0) return
    clearInterval(timer)
    channel('gatehouse:started').publish(undefined)
    void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, 3_000).unref()
}

/** Returns true if the work ended within `ms` milliseconds. */
const within = (ms: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

/** Starts tracing if the environment names a target for traces. Otherwise the tracing library is not loaded. */
const tracingOf = async (env: Readonly<Record<string, string | undefined>>) => {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].filter((name) => variableOf(env, name))
  for (const name of names)
    if (!URL.canParse(variableOf(env, name) ?? ''))
      throw new StartError('CONFIGURATION_INVALID', `${name}: must be the address of a collector, such as http://collector:4318.`)
  if (names.length === 0) return undefined
  const { startTracing } = await import('../http/tracing.ts')
  return startTracing(packageFile.version, env['OTEL_SERVICE_NAME'])
}

/** What the start of the daemon builds once the database is ready. */
interface Running {
  readonly serving: Serving
  readonly connections: ReturnType<typeof trackConnections>
  readonly beside: readonly (Listener & { readonly server: ReturnType<typeof createTextServer> })[]
  readonly tracing: Awaited<ReturnType<typeof tracingOf>>
}

/** Builds the features with the settings in the database, and the HTTP server. */
const build = async ({ terminal }: Shell, opened: Opened): Promise<Running> => {
  const { node, log, read, runtime } = opened
  const onConfig = ({ logLevel }: App['config']) => {
    log.level = logLevel
  }
  const tracing = await tracingOf(terminal.env)
  const serving = await createServing({ compose, runtime, read, node, onConfig }).catch((error: unknown) => {
    throw advised(opened, error)
  })
  const beside = serving.current().listeners.map((listener) => ({
    ...listener,
    server: createTextServer(listener.path, listener.mediaType, listener.read, log),
  }))
  tracing?.attachServer(serving.server)
  tracing?.attachDatabase(node.database)
  // The connections are tracked only after tracing has replaced the server's request handler.
  return { serving, beside, tracing, connections: trackConnections(serving.server) }
}

const serve = async (shell: Shell): Promise<number> => {
  const opened = await open(shell.terminal, shell.globals(), { isDaemon: true, mayCreate: true })
  const { log, core: config, node } = opened
  const stopped = untilStopped(log, shell.terminal)
  // A write error on the console, such as a full disk or a closed terminal, is logged and does not end the daemon.
  for (const stream of [shell.terminal.stdout, shell.terminal.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => log.warn({ code }, 'standard output cannot be written'))
  let isOver = false
  let running: Running | undefined
  const start = async () => {
    let isUpgrade = false
    // While the schema is being migrated, every request gets the status 503 with a `Retry-After` header.
    await prepareDatabase(opened, async () => {
      isUpgrade = true
      running ??= await build(shell, opened)
      const { serving } = running
      serving.current().maintenance.begin()
      if (!serving.server.listening) await listen(serving.server, config.host, config.port)
      log.info('migrating the database; requests are answered with 503 meanwhile')
    })
    running ??= await build(shell, opened)
    const { serving, beside } = running
    const { server } = serving
    if (isUpgrade) await serving.reload()
    const app = serving.current()
    await app.prepare()
    if (isOver) return
    for (const { name, host, port: ownPort, path, server: own } of beside) {
      const settings = { host: `GATEHOUSE_${name.toUpperCase()}_HOST`, port: `GATEHOUSE_${name.toUpperCase()}_PORT` }
      log.info({ address: `${host}:${await listen(own, host, ownPort, settings)}`, path }, `${name} can be read`)
    }
    const port = server.listening ? portOf(server) : await listen(server, config.host, config.port)
    app.maintenance.end()
    serving.start()
    const address = `${config.host}:${port}`
    const secret = readableSecret(config)
    if (secret !== undefined) log.warn(secret, 'others than its owner can read the file with the master secret')
    for (const warning of app.warnings) log.warn({ warning }, 'the configuration is unwise')
    const { url } = app.config
    log.info({ url, address, database: node.database.dialect, version: packageFile.version }, 'gatehouse is ready')
    await printAddresses(shell, log, app)
    endStart(serving)
  }
  try {
    // A signal also ends a daemon that is still starting, because waiting for a database may take minutes. A migration that is not
    // committed is rolled back.
    await Promise.race([start(), stopped])
    const exitCode = await stopped
    isOver = true
    if (running !== undefined) {
      const { serving, connections } = running
      const { drain, config: now } = serving.current()
      const { shutdownSeconds } = now.http
      drain()
      if (serving.server.listening) await connections.close(shutdownSeconds)
      // Jobs get a little less than the whole time, so that unfinished work can still be given back for other nodes.
      await within(shutdownSeconds * 1000, serving.stop(shutdownSeconds * 800))
    }
    log.info('stopped')
    return exitCode
  } finally {
    for (const { server: own } of running?.beside ?? []) own.close()
    running?.serving.server.close()
    await within(500, running?.serving.stop() ?? Promise.resolve())
    await within(5_000, node.database.destroy())
    await within(2_000, running?.tracing?.stop() ?? Promise.resolve())
    const isLogged = await within(2_000, flushed(log))
    // The process has to end now, although for example a stalled mail server may keep it alive. Other nodes repeat unfinished work. If
    // the log could not be written, the process is killed, because a regular exit would wait for the log thread.
    if (shell.terminal.interrupted === undefined) setTimeout(() => (isLogged ? process.exit() : kill()), 1_000).unref()
  }
}

/** The command that runs the daemon. `finish` is called with the exit code. */
export const serveCommand = (program: GatehouseCommand, shell: Shell, finish: (exitCode: number) => void): void => {
  program
    .command('serve')
    .inGroup('Start and run')
    .description('Run the daemon.')
    .examples('serve', 'serve --config /etc/gatehouse.yaml', 'serve --url https://auth.example.com --host 0.0.0.0 --port 3000')
    .action(async () => finish(await serve(shell)))
}
