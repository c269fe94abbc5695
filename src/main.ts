import { Command, CommanderError, Option } from 'commander'
import { migrations } from '../migrations/index.ts'
import packageFile from '../package.json' with { type: 'json' }
import { systemPrincipal } from './access/principal.ts'
import { type App, compose, configSchema, configWarnings, gatehouse } from './composition.ts'
import { systemClock as clock } from './core/clock.ts'
import { loadConfig, processEnvironment } from './core/config.ts'
import { type MigrationStatus, migrateDown, migrateUp, migrationStatus, previewDown } from './core/db/migrate.ts'
import { createLog, type Log } from './core/log.ts'
import { systemRandom as random } from './core/random.ts'
import { hasFiles, makeReady, requireDirectories, requireFiles, whenReachable, withFiles } from './core/start.ts'
import { confirm, formatFailure, formatOutput, readSecret, type Terminal, UsageError } from './core/terminal.ts'
import type { Cli, Output } from './feature.ts'
import { closeServer, listen } from './http/listen.ts'

/** Options that every command takes. All but `config` and `json` are keys of the configuration. */
interface Globals {
  readonly config?: string
  readonly url?: string
  readonly host?: string
  readonly port?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly logLevel?: string
  readonly json?: boolean
}

const processTerminal = (): Terminal => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: processEnvironment(),
})

/** True for an address with a password: arguments are visible to all users of the machine, and kept in histories. */
const hasPassword = (databaseUrl: string | undefined): boolean => {
  const url = URL.parse(databaseUrl ?? '')
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

const load = ({ env }: Terminal, { config: file, json: _, ...flags }: Globals) => {
  if (hasPassword(flags.databaseUrl))
    throw new UsageError('--database-url: must not hold a password; pass the address in GATEHOUSE_DATABASE_URL or a file')
  return loadConfig(configSchema, { file, env, flags })
}

interface Opened {
  readonly app: App
  readonly log: Log
}

interface Opening {
  readonly isDaemon: boolean
  /** True when the command may create an instance that does not exist. */
  readonly mayCreate: boolean
}

/** Composes the application. Nothing of it runs yet. Commands log only what is wrong, unless more is asked for. */
const open = (terminal: Terminal, globals: Globals, { isDaemon, mayCreate }: Opening): Opened => {
  // Whatever is written, the database and its log included, is the owner's alone.
  process.umask(0o077)
  const config = load(terminal, globals)
  requireFiles(config, mayCreate)
  requireDirectories(config.dataDir, config.databaseUrl)
  const isQuiet = !isDaemon && globals.logLevel === undefined && config.logLevel === 'info'
  const isOwnProcess = terminal.stderr === process.stderr
  const log = createLog(isQuiet ? 'warn' : config.logLevel, isOwnProcess ? undefined : terminal.stderr)
  return { log, app: withFiles(() => compose(config, { clock, random, log })) }
}

const patienceOf = ({ app, log }: Opened) => ({ clock, log, waitSeconds: app.config.database.waitSeconds })

const prepareDatabase = (opened: Opened, mayCreate: boolean) =>
  makeReady({
    ...patienceOf(opened),
    mayCreate,
    database: opened.app.database,
    migrations,
    migrateOnStart: opened.app.config.database.migrateOnStart,
  })

const flushed = (log: Log) => new Promise<void>((resolve) => log.flush(() => resolve()))

/** Resolves with the exit code when the daemon has to end: 0 after a signal, 1 after an uncaught error. */
const untilStopped = (log: Log): Promise<number> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => {
        log.info({ signal }, 'shutting down')
        resolve(0)
      })
    for (const event of ['unhandledRejection', 'uncaughtException'] as const)
      process.on(event, (err) => {
        log.fatal({ err, event }, 'shutting down after a fault')
        resolve(1)
      })
  })

const printSetupLink = async ({ stdout }: Terminal, { setup }: App, asJson: boolean) => {
  if (await setup.hasAdministrator()) return
  const { url, expiresAt } = await setup.createSetupLink()
  // Plain text on the console and not in the log: logs are collected, kept and read by others.
  const text = `\nThere is no administrator yet. Open this link within an hour to become it:\n\n  ${url}\n`
  stdout.write(formatOutput({ json: { setupLink: url, expiresAt: expiresAt.toISOString() }, text }, asJson))
}

const within = (ms: number, work: Promise<unknown>) => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const serve = async (terminal: Terminal, globals: Globals): Promise<number> => {
  const opened = open(terminal, globals, { isDaemon: true, mayCreate: true })
  const { app, log } = opened
  const { config, database } = app
  const stopped = untilStopped(log)
  const server = app.server()
  try {
    await prepareDatabase(opened, true)
    await app.prepare()
    const port = await listen(server, config.host, config.port)
    app.jobs.start()
    const address = `${config.host}:${port}`
    for (const warning of app.warnings) log.warn({ warning }, 'the configuration is unwise')
    log.info({ url: config.url, address, database: database.dialect, version: packageFile.version }, 'gatehouse is ready')
    await printSetupLink(terminal, app, globals.json === true)
    const exitCode = await stopped
    app.health.drain()
    await closeServer(server, config.http.shutdownSeconds)
    // A little less than the time there is: what still runs is given back to other nodes.
    await within(config.http.shutdownSeconds * 1000, app.jobs.stop(config.http.shutdownSeconds * 800))
    log.info('stopped')
    return exitCode
  } finally {
    server.close()
    await within(500, app.jobs.stop())
    await within(5_000, database.destroy())
    await within(2_000, flushed(log))
    // A mail server that stalls may still hold the process. It must not: what is claimed and not settled is done again later.
    setTimeout(() => process.exit(), 1_000).unref()
  }
}

interface MigrateFlags {
  readonly dryRun?: boolean
  readonly status?: boolean
  readonly down?: boolean
  readonly yes?: boolean
}

const shownStatus = ({ done, pending }: MigrationStatus, { dryRun }: MigrateFlags): Output => {
  if (dryRun === true) return { json: { pending }, text: ['Would run:', ...pending].join('\n  ') }
  const rows = [...done.map((name) => ({ name, state: 'done' })), ...pending.map((name) => ({ name, state: 'pending' }))]
  return { json: { done, pending }, rows }
}

const nothingToUndo: Output = { json: { undone: null, lost: [] }, text: 'Nothing to take back.' }

const takeBack = async (terminal: Terminal, { database }: App, isConfirmed: boolean): Promise<Output> => {
  const preview = await previewDown(database, migrations)
  if (preview === undefined) return nothingToUndo
  const { name, lost } = preview
  const loss = lost.length === 0 ? 'nothing' : lost.join(', ')
  await confirm(terminal, isConfirmed, `This takes ${name} back. What is lost, for good: ${loss}.`)
  const undone = (await migrateDown(database, migrations)) ?? null
  return { json: { undone, lost }, text: `Taken back: ${undone}. Lost: ${loss}.` }
}

const migrate = (terminal: Terminal, opened: Opened, flags: MigrateFlags): Promise<Output> =>
  whenReachable(patienceOf(opened), async () => {
    const { database } = opened.app
    if (flags.down === true) return takeBack(terminal, opened.app, flags.yes === true)
    if (flags.status === true || flags.dryRun === true) return shownStatus(await migrationStatus(database, migrations), flags)
    const ran = await migrateUp(database, migrations, () => clock.now())
    return { json: { done: ran }, text: ran.length === 0 ? 'The database is up to date.' : ['Migrated:', ...ran].join('\n  ') }
  })

/** The result for an instance that does not exist yet, and that reading may not create. */
const migrateNothing = (flags: MigrateFlags): Output =>
  flags.down === true ? nothingToUndo : shownStatus({ done: [], pending: Object.keys(migrations).sort() }, flags)

/**
 * The whole command line. `argv` is what it will be asked to parse, so that wrong usage is printed as JSON with `--json` too;
 * `finish` receives the exit code of a command that ended without an error but not with 0.
 */
export const createProgram = (
  terminal = processTerminal(),
  argv: readonly string[] = [],
  finish: (exitCode: number) => void = () => undefined,
): Command => {
  const program = new Command('gatehouse')
  const globals = (): Globals => program.opts()
  const asJson = () => globals().json === true
  const print = (output: Output) => void terminal.stdout.write(formatOutput(output, asJson()))

  /** Opens the application, does the work, prints what it returns, and closes. */
  const withApp = async (mayCreate: boolean, work: (opened: Opened) => Promise<Output>) => {
    const opened = open(terminal, globals(), { isDaemon: false, mayCreate })
    try {
      print(await work(opened))
    } finally {
      await opened.app.database.destroy()
      await flushed(opened.log)
    }
  }
  const cli: Cli<App> = {
    run: (work) =>
      withApp(false, async (opened) => {
        await prepareDatabase(opened, false)
        return work(opened.app, systemPrincipal(random.requestId()))
      }),
    readSecret: (label, fromStdin) => readSecret(terminal, label, fromStdin),
    confirm: (isConfirmed, consequence, word) => confirm(terminal, isConfirmed, consequence, word),
  }

  program
    .description('Self-hosted identity server: sign-in, organizations, OpenID Provider.')
    .version(packageFile.version)
    .option('--config <file>', 'YAML file with the configuration (GATEHOUSE_CONFIG)')
    .option('--url <url>', 'public address (GATEHOUSE_URL)')
    .option('--host <host>', 'address to listen on (GATEHOUSE_HOST)')
    .option('--port <port>', 'port to listen on (GATEHOUSE_PORT)')
    .option('--data-dir <directory>', 'directory of SQLite file, secret and mail outbox (GATEHOUSE_DATA_DIR)')
    .option('--database-url <url>', 'sqlite:<file> or postgres://… (GATEHOUSE_DATABASE_URL)')
    .option('--log-level <level>', 'least level that is logged (GATEHOUSE_LOG_LEVEL)')
    .option('--json', 'print results as JSON on standard output, and errors as JSON on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: (text, write) => {
        const message = text.replace(/^error: /, '').trim()
        write(asJson() || argv.includes('--json') ? `${JSON.stringify({ code: 'USAGE', message })}\n` : `gatehouse: ${message}\n`)
      },
    })
    .exitOverride()

  program
    .command('serve')
    .description('Run the daemon.')
    .action(async () => finish(await serve(terminal, globals())))
  program
    .command('migrate')
    .description('Bring the database schema up to date.')
    .addOption(new Option('--dry-run', 'only name what would run').conflicts(['status', 'down']))
    .addOption(new Option('--status', 'list what has run and what is to run').conflicts('down'))
    .option('--down', 'take the last migration back, with what it keeps')
    .option('--yes', 'with --down: do not ask')
    .action(async (flags: MigrateFlags) => {
      const isLooking = flags.dryRun === true || flags.status === true || flags.down === true
      if (isLooking && !hasFiles(load(terminal, globals()))) return print(migrateNothing(flags))
      return withApp(true, (opened) => migrate(terminal, opened, flags))
    })
  program
    .command('check-config')
    .description('Check the configuration and name everything that is wrong with it.')
    .action(() => {
      const warnings = configWarnings(load(terminal, globals()))
      print({
        json: { ok: true, warnings },
        text: ['The configuration is good.', ...warnings.map((w) => `Warning: ${w}`)].join('\n'),
      })
    })
  for (const add of gatehouse.commands) add(program, cli)
  return program
}

/** Runs one command at a terminal, the process's own if none is given. Returns the exit code: 0 done, 1 a bug, 2 wrong usage, 3 refused. */
export const main = async (argv: readonly string[], terminal = processTerminal()): Promise<number> => {
  let exitCode = 0
  const program = createProgram(terminal, argv, (code) => {
    exitCode = code
  })
  // A reader that closes early (`| head`) is not an error.
  terminal.stdout.on('error', () => undefined)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const failure = formatFailure(error, argv.includes('--json'))
    terminal.stderr.write(failure.text)
    return failure.exitCode
  }
}
