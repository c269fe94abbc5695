import { migrations } from '../../migrations/index.ts'
import { systemPrincipal } from '../access/principal.ts'
import type { App } from '../composition.ts'
import { systemClock as clock } from '../core/clock.ts'
import { migrationStatus } from '../core/db/migrate.ts'
import { columnProblem, formatNext, formatOutput, type Output } from '../core/output/format.ts'
import { printable } from '../core/output/table.ts'
import { writeOutput } from '../core/output/written.ts'
import { systemRandom as random } from '../core/random.ts'
import { createRemedies } from '../core/remedies.ts'
import { requireSettings, whenReachable } from '../core/start.ts'
import { confirm, readInput, readSecret, showProgress, type Terminal, UsageError } from '../core/terminal.ts'
import type { Cli } from '../feature.ts'
import { type Fallback, type Globals, loadConfiguration, outputOptions, placeOptions, reasonFlag, viewOf } from './globals.ts'
import { composeStored, composeWith, flushed, type Opened, open, patienceOf, withSchema } from './open.ts'
import { localOnly } from './remote/refusals.ts'
import { remoteOf, workRemotely } from './remote/remote.ts'
import { watch } from './watch.ts'

/** The functions that all commands can use: those of features get them as `Cli`. */
export interface Shell extends Cli<App> {
  readonly terminal: Terminal
  globals(): Globals
  /**
   * Prints the result in the requested format. If the result is only a part of a list, standard error says how to read the next part.
   * Throws `OutputError`.
   */
  print(output: Output): Promise<void>
  /** Builds the application, does the work, prints the result and closes the application. */
  withApp(mayCreate: boolean, work: (opened: Opened) => Promise<Output>): Promise<void>
}

/**
 * Calls `work` with a function that writes to standard output. If the reader of the output stops (`| head`), the work ends without an
 * error. Throws `OutputError`.
 */
const writing = async ({ stdout }: Terminal, work: (write: (text: string) => Promise<void>) => Promise<void>) => {
  const gone = new Error('nobody reads standard output')
  const cutShort = { done: 'The result is cut short.' }
  const write = async (text: string) => {
    if (!(await writeOutput(stdout, text, { ...cutShort, isEnd: false }))) throw gone
  }
  try {
    await work(write)
    await writeOutput(stdout, '', cutShort)
  } catch (error) {
    if (error !== gone) throw error
  }
}

/** What is known about the running command. */
interface Running {
  /** The value of the option `--watch`. Undefined if the command does not have the option, or if it was not given. */
  readonly watchSeconds: string | undefined
  /** True if the command's output depends on the configuration. */
  readonly hasConfiguration: boolean
  /** True if the command repairs settings in the database. */
  readonly isRepair: boolean
}

export const createShell = (terminal: Terminal, globals: () => Globals, running: () => Running): Shell => {
  const options = () => outputOptions(globals(), viewOf(terminal, clock.now()))
  const principal = () => systemPrincipal(random.requestId(), reasonFlag(globals()))
  /** Formats a result as the options request. Throws `UsageError` if the list does not have a requested column. */
  const format = (output: Output): string => {
    const { columns = [], ...rest } = options()
    const problem = columns.length === 0 ? undefined : columnProblem(output, columns)
    // Only a list can be refused for an unknown column. Any other result is printed in full, because it may contain a secret that is
    // shown only once.
    if (problem !== undefined && (output.rows !== undefined || Array.isArray(output.json))) throw new UsageError(problem)
    if (problem !== undefined) terminal.stderr.write(`gatehouse: ${problem}\n`)
    const isPicked = columns.length > 0 && problem === undefined
    return formatOutput(output, { ...rest, columns: isPicked ? columns : undefined })
  }
  const print = async (output: Output) => {
    await writeOutput(terminal.stdout, format(output), { done: output.done })
    const next = formatNext(output, options().format)
    if (next !== undefined) terminal.stderr.write(next)
  }

  const isJson = () => /^jsonl?$/.test(options().format)
  /**
   * Does the work, and prints a notice on standard error if the running daemon has another configuration. People get the notice before
   * the result. Programs get it only after the result, because an error on standard error has to be a single JSON object.
   */
  const compared = async ({ database, daemonConfigurations }: App, work: () => Promise<void>) => {
    const warning = database.acceptsWrites() ? await daemonConfigurations.difference() : undefined
    if (warning !== undefined && !isJson()) terminal.stderr.write(`gatehouse: ${printable(warning)}\n`)
    await work()
    if (warning !== undefined && isJson()) terminal.stderr.write(`${JSON.stringify({ warning })}\n`)
  }
  /**
   * Returns the result of a command whose output depends on the configuration, together with notices about the configuration. People see
   * the notices even if the command fails.
   */
  const withSources = async ({ daemonConfigurations }: App, work: () => Promise<Output>): Promise<Output> => {
    if (!running().hasConfiguration || options().format !== 'table' || options().columns !== undefined) return work()
    const sources = `Configuration: ${printable(daemonConfigurations.ownSources())}\n`
    try {
      const output = await work()
      await writeOutput(terminal.stdout, sources, { isEnd: false })
      return output
    } catch (error) {
      terminal.stderr.write(sources)
      throw error
    }
  }

  const opening = async (mayCreate: boolean, work: (opened: Opened) => Promise<void>, fallback?: Fallback) => {
    const opened = await open(terminal, globals(), { isDaemon: false, mayCreate, fallback })
    try {
      await work(opened)
    } finally {
      await opened.node.database.destroy()
      await flushed(opened.log)
    }
  }
  /** Calls `work` with the application, built with the settings in the database. The schema is not migrated. */
  const withApplication = (work: (app: App) => Promise<void>) =>
    opening(false, (opened) =>
      withSchema(opened, async () => {
        const app = await composeStored(opened, running().isRepair)
        await compared(app, () => work(app))
      }),
    )

  /** Throws `UsageError` if an instance on another machine is named for a command that needs the database. */
  const requireHere = () => {
    if (remoteOf(globals(), terminal) !== undefined) throw new UsageError(localOnly)
  }
  const remotely = async (instance: string, work: (app: App) => Promise<Output>) => {
    const result = () => workRemotely(instance, terminal, reasonFlag(globals()), work)
    const seconds = running().watchSeconds
    if (seconds === undefined) await print(await result())
    else await watch(terminal, seconds, options().format, async () => format(await result()))
  }

  return {
    terminal,
    globals,
    remedies: () => {
      const instance = remoteOf(globals(), terminal)
      return createRemedies(instance === undefined ? placeOptions(globals()) : ['--remote', instance])
    },
    print,
    withApp: async (mayCreate, work) => {
      requireHere()
      await opening(mayCreate, async (opened) => print(await work(opened)))
    },
    run: async (work) => {
      const instance = remoteOf(globals(), terminal)
      if (instance !== undefined) return remotely(instance, (app) => work(app, principal()))
      return withApplication(async (app) => {
        const result = () => withSources(app, () => work(app, principal()))
        const seconds = running().watchSeconds
        if (seconds === undefined) await print(await result())
        else await watch(terminal, seconds, options().format, async () => format(await result()))
      })
    },
    stream: async (work) => {
      const instance = remoteOf(globals(), terminal)
      const all = (app: App) => writing(terminal, (write) => work(app, principal(), write))
      if (instance === undefined) await withApplication(all)
      else await workRemotely(instance, terminal, reasonFlag(globals()), all)
    },
    create: async (secretOf, work) => {
      requireHere()
      // A random value for `secret`. If it is still in the configuration afterwards, no secret is configured. PostgreSQL requires a
      // configured one.
      const unset = random.token(64)
      const config = loadConfiguration(terminal, globals(), { secret: [unset] })
      const secret = await secretOf({ ...config, secret: config.secret.filter((one) => one !== unset) })
      await opening(
        true,
        async (opened) => {
          const app = composeWith(opened, [])
          const { database } = app
          await whenReachable(patienceOf(opened), async () => {
            await requireSettings(database)
            await migrationStatus(database, migrations)
          })
          await print(await work(app, principal()))
        },
        { secret },
      )
    },
    readSecret: (label, fromStdin, flag) => readSecret(terminal, label, fromStdin, flag),
    readInput: (flag) => readInput(terminal, flag),
    inputPieces: async function* () {
      for await (const piece of terminal.stdin) yield Buffer.from(piece)
    },
    confirm: (isConfirmed, consequence, word) => confirm(terminal, isConfirmed, consequence, word),
    progress: (text) => showProgress(terminal, text),
  }
}
