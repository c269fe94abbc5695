import { migrations } from '../../migrations/index.ts'
import { type App, compose, type configSchema, type Runtime, readStored } from '../composition.ts'
import { systemClock as clock } from '../core/clock.ts'
import { ConfigError, type ConfigReader, type CoreConfig } from '../core/config.ts'
import { createLog, type Log } from '../core/log.ts'
import { type Node, openNode } from '../core/node.ts'
import { systemRandom as random } from '../core/random.ts'
import { createRemedies, type Remedies } from '../core/remedies.ts'
import type { StoredSetting } from '../core/settings.ts'
import { hasFiles, makeReady, onSchema, requireDirectories, requireFiles, withFiles } from '../core/start.ts'
import type { Terminal } from '../core/terminal.ts'
import { type Fallback, type Globals, hasColours, placeOptions, readingOf } from './globals.ts'

/** The start of a command: the database and the log. The application is composed once the settings of the database are read. */
export interface Opened {
  readonly node: Node
  readonly log: Log
  readonly core: CoreConfig
  readonly remedies: Remedies
  /** File, environment and options. */
  readonly read: ConfigReader<typeof configSchema>
  readonly runtime: Omit<Runtime, 'read' | 'following'>
}

interface Opening {
  readonly isDaemon: boolean
  /** True when the command may create an instance that does not exist. */
  readonly mayCreate: boolean
  readonly fallback?: Fallback | undefined
}

const logOptions = ({ stderr, env }: Terminal, format: 'auto' | 'json' | 'text') => {
  const isText = format === 'text' || (format === 'auto' && stderr.isTTY === true)
  return {
    destination: stderr === process.stderr ? undefined : stderr,
    text: isText ? { isColoured: hasColours(stderr, env) } : undefined,
  }
}

/**
 * The keys that say where the database is. Where the whole is wrong, settings of the database may make it right: then the problem is returned, and thrown
 * at once where there is no database.
 */
const readCore = (read: Opened['read'], mayCreate: boolean): { readonly core: CoreConfig; readonly problem?: ConfigError } => {
  try {
    return { core: read.evaluate().config }
  } catch (error) {
    if (!(error instanceof ConfigError) || error.isUsage) throw error
    let core: CoreConfig
    try {
      core = read.core()
    } catch {
      throw error
    }
    if (mayCreate && !hasFiles(core)) throw error
    return { core, problem: error }
  }
}

/** Opens the database and the log; connects on first use. Commands log only what is wrong, unless more is asked for. */
export const open = async (terminal: Terminal, globals: Globals, { isDaemon, mayCreate, fallback }: Opening): Promise<Opened> => {
  // Every written file, the database and its log included, is readable by its owner alone.
  process.umask(0o077)
  const read = readingOf(terminal, globals, fallback)
  const { core, problem } = readCore(read, mayCreate)
  const place = placeOptions(globals)
  const remedies = createRemedies(place)
  requireFiles(core, mayCreate, remedies)
  requireDirectories(core.dataDir, core.databaseUrl)
  const isQuiet = !isDaemon && globals.logLevel === undefined && core.logLevel === 'info'
  const log = createLog(isQuiet ? 'warn' : core.logLevel, logOptions(terminal, core.log.format))
  const node = withFiles(() => openNode(core, { clock, random, log }))
  if (problem !== undefined) {
    const stored = await readStored(node).catch(() => undefined)
    if (stored === undefined || stored.settings.length === 0) {
      await node.database.destroy()
      throw problem
    }
  }
  return { node, log, core, remedies, read, runtime: { clock, random, log, place } }
}

/** Composes the application with these settings of the database. Nothing of it runs yet. Throws `ConfigError`. */
export const composeWith = ({ read, runtime, node }: Opened, stored: readonly StoredSetting[]): App => {
  const evaluated = read.evaluate(stored)
  return withFiles(() => compose(evaluated.config, { ...runtime, read: evaluated }, node))
}

/** An error of the configuration, which settings of the database may have caused, with the command that shows them. */
export const advised = ({ remedies }: Pick<Opened, 'remedies'>, error: unknown): unknown =>
  error instanceof ConfigError
    ? new ConfigError(error.problems, false, `Settings of the database count, too. They are shown by: ${remedies.listSettings()}`)
    : error

/**
 * The same with the settings of the database. `isRepair` is set for commands that put settings right: with settings that are wrong, they work without them.
 */
export const composeStored = async (opened: Opened, isRepair = false): Promise<App> => {
  const { settings } = await readStored(opened.node)
  try {
    return composeWith(opened, settings)
  } catch (error) {
    if (isRepair && error instanceof ConfigError && settings.length > 0) return composeWith(opened, [])
    throw advised(opened, error)
  }
}

export const patienceOf = ({ core, log }: Pick<Opened, 'core' | 'log'>) => ({
  clock,
  log,
  waitSeconds: core.database.waitSeconds,
})

const schemaOf = (opened: Opened) => ({
  ...patienceOf(opened),
  database: opened.node.database,
  migrations,
  remedies: opened.remedies,
})

/** Brings the schema up to date, or sees that it is. `onUpgrade` is called before an older schema is migrated. */
export const prepareDatabase = (opened: Opened, onUpgrade?: () => Promise<void>): Promise<void> =>
  makeReady({ ...schemaOf(opened), migrateOnStart: opened.core.database.migrateOnStart, onUpgrade })

/** Runs a command, which changes no schema. */
export const withSchema = <T>(opened: Opened, work: () => Promise<T>): Promise<T> => onSchema(schemaOf(opened), work)

/** Resolves when everything that was logged is written. */
export const flushed = (log: Log): Promise<void> => new Promise((resolve) => log.flush(() => resolve()))
