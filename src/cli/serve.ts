import packageFile from '../../package.json' with { type: 'json' }
import { systemPrincipal } from '../access/principal.ts'
import type { App } from '../composition.ts'
import { variableOf } from '../core/environment.ts'
import type { Log } from '../core/log.ts'
import { readableSecret } from '../core/master-secret.ts'
import { StartError } from '../core/start.ts'
import { trackConnections } from '../http/connections.ts'
import { listen, portOf } from '../http/listen.ts'
import { createTextServer } from '../http/text-server.ts'
import type { GatehouseCommand } from './command.ts'
import { flushed, open, prepareDatabase } from './open.ts'
import type { Shell } from './run.ts'

/** Ends the process at once. A process 1 is not killed by signals of its own. */
const kill = () => (process.pid === 1 ? process.abort() : process.kill(process.pid, 'SIGKILL'))

/** Resolves with the exit code when the daemon has to end: 0 after a signal, 1 after an uncaught error. */
const untilStopped = (log: Log): Promise<number> =>
  new Promise((resolve) => {
    let isStopping = false
    const stop = (signal: NodeJS.Signals) => {
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'shutting down')
      resolve(0)
      // npm passes on a Ctrl-C that the terminal has sent to the daemon, too. A later one ends the daemon at once.
      setTimeout(() => void process.off('SIGTERM', stop).off('SIGINT', stop), 1_000).unref()
    }
    // SIGHUP is of a closed terminal, from the kernel and from the shell: the second must not kill. Log rotation
    // needs no signal: files that are written to are opened anew for each batch.
    process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
    for (const event of ['unhandledRejection', 'uncaughtException'] as const)
      process.on(event, (err) => {
        log.fatal({ err, event }, 'shutting down after a fault')
        resolve(1)
      })
  })

/** Where the instance is used, and the link that makes the first administrator where there is none. */
const printAddresses = async ({ print }: Shell, log: Log, { setup, core }: App) => {
  const addresses = { signIn: `${core.url}/sign-in`, console: `${core.url}/admin` }
  const text = `\n  Sign in  ${addresses.signIn}\n  Console  ${addresses.console}\n`
  // Plain text on the console and not in the log: logs are collected, kept and read by others.
  const linked = async () => {
    if (await setup.hasAdministrator()) return { json: addresses, text }
    const { url: setupLink, expiresAt } = await setup.createSetupLink(systemPrincipal(core.random.requestId()))
    return {
      json: { ...addresses, setupLink, expiresAt: expiresAt.toISOString() },
      text: `${text}\nThere is no administrator yet. Open this link within an hour to become it:\n\n  ${setupLink}\n`,
    }
  }
  const output = await linked()
  // Not a fault of the daemon: create-setup-link prints another link.
  await print(output).catch((err: unknown) => log.warn({ err }, 'the addresses could not be printed'))
}

/** True when the work was done within the time. */
const within = (ms: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

/** Traces, where the environment says where they go; the library is loaded for nobody else. */
const tracingOf = async (env: Readonly<Record<string, string | undefined>>) => {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].filter((name) => variableOf(env, name))
  for (const name of names)
    if (!URL.canParse(variableOf(env, name) ?? ''))
      throw new StartError('CONFIGURATION_INVALID', `${name}: must be the address of a collector, such as http://collector:4318.`)
  if (names.length === 0) return undefined
  const { startTracing } = await import('../http/tracing.ts')
  return startTracing(packageFile.version, env['OTEL_SERVICE_NAME'])
}

const serve = async (shell: Shell): Promise<number> => {
  const opened = open(shell.terminal, shell.globals(), { isDaemon: true, mayCreate: true })
  const { app, log } = opened
  const { config, database } = app
  const stopped = untilStopped(log)
  // What is printed beside the log, on a full disk or a closed terminal.
  for (const stream of [shell.terminal.stdout, shell.terminal.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => log.warn({ code }, 'standard output cannot be written'))
  const server = await app.server()
  const beside = app.listeners.map((listener) => ({
    ...listener,
    server: createTextServer(listener.path, listener.mediaType, listener.read, log),
  }))
  const tracing = await tracingOf(shell.terminal.env)
  tracing?.attachServer(server)
  tracing?.attachDatabase(database)
  // Behind the tracing, which takes the place of the handler of requests.
  const connections = trackConnections(server)
  let isOver = false
  const start = async () => {
    // People and programs are answered during a migration: with 503 and the time to come back.
    await prepareDatabase(opened, async () => {
      app.maintenance.begin()
      if (!server.listening) await listen(server, config.host, config.port)
      log.info('migrating the database; requests are answered with 503 meanwhile')
    })
    await app.prepare()
    if (isOver) return
    for (const { name, host, port: ownPort, path, server: own } of beside) {
      const settings = { host: `GATEHOUSE_${name.toUpperCase()}_HOST`, port: `GATEHOUSE_${name.toUpperCase()}_PORT` }
      log.info({ address: `${host}:${await listen(own, host, ownPort, settings)}`, path }, `${name} can be read`)
    }
    const port = server.listening ? portOf(server) : await listen(server, config.host, config.port)
    app.maintenance.end()
    app.jobs.start()
    const address = `${config.host}:${port}`
    const secret = readableSecret(config)
    if (secret !== undefined) log.warn(secret, 'others than its owner can read the file with the master secret')
    for (const warning of app.warnings) log.warn({ warning }, 'the configuration is unwise')
    log.info({ url: config.url, address, database: database.dialect, version: packageFile.version }, 'gatehouse is ready')
    await printAddresses(shell, log, app)
  }
  try {
    // A signal ends a start, too, which may wait for a database for minutes; a migration that is not committed is rolled back.
    await Promise.race([start(), stopped])
    const exitCode = await stopped
    isOver = true
    app.drain()
    if (server.listening) await connections.close(config.http.shutdownSeconds)
    // A little less than the time there is: what still runs is given back to other nodes.
    await within(config.http.shutdownSeconds * 1000, app.jobs.stop(config.http.shutdownSeconds * 800))
    log.info('stopped')
    return exitCode
  } finally {
    for (const { server: own } of beside) own.close()
    server.close()
    await within(500, app.jobs.stop())
    await within(5_000, database.destroy())
    await within(2_000, tracing?.stop() ?? Promise.resolve())
    const isLogged = await within(2_000, flushed(log))
    // A mail server that stalls may still hold the process. It must not: what is claimed and not settled is done again later. A thread that
    // writes the log to a socket that nobody reads holds even the exit.
    setTimeout(() => (isLogged ? process.exit() : kill()), 1_000).unref()
  }
}

/** `finish` receives the exit code of the daemon. */
export const serveCommand = (program: GatehouseCommand, shell: Shell, finish: (exitCode: number) => void): void => {
  program
    .command('serve')
    .inGroup('Start and run')
    .description('Run the daemon.')
    .examples('serve', 'serve --config /etc/gatehouse.yaml', 'serve --url https://auth.example.com --host 0.0.0.0 --port 3000')
    .action(async () => finish(await serve(shell)))
}
