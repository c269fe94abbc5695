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

/**
 * The state of a command after its first step, which opens database and log. The application can be built only later, when the settings
 * in the database are known.
 */
export interface Opened {
  readonly node: Node
  readonly log: Log
  readonly core: CoreConfig
  readonly remedies: Remedies
  /** Reads the configuration from file, environment and options. */
  readonly read: ConfigReader<typeof configSchema>
  readonly runtime: Omit<Runtime, 'read' | 'following'>
}

interface Opening {
  readonly isDaemon: boolean
  /** True if the command may create an instance. */
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
 * Reads the part of the configuration that is needed to open the database. That part has to be valid. Other keys may be invalid, because
 * settings in the database may replace them; what is wrong with them is returned. If there is no database yet, it is thrown.
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

/**
 * Opens database and log. The database connects when it is first used. The log of a command contains only problems, unless an option asks
 * for more.
 */
export const open = async (terminal: Terminal, globals: Globals, { isDaemon, mayCreate, fallback }: Opening): Promise<Opened> => {
  // Only the owner can read the files that this process writes, including database and log.
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

/** Builds the application with the given settings from the database, without starting anything. Throws `ConfigError`. */
export const composeWith = ({ read, runtime, node }: Opened, stored: readonly StoredSetting[]): App => {
  const evaluated = read.evaluate(stored)
  return withFiles(() => compose(evaluated.config, { ...runtime, read: evaluated }, node))
}

/**
 * Adds advice to an error about the configuration: the command that shows the settings in the database. One of these settings may have
 * caused the error.
 */
export const advised = ({ remedies }: Pick<Opened, 'remedies'>, error: unknown): unknown =>
  error instanceof ConfigError
    ? new ConfigError(error.problems, false, `Settings of the database count, too. They are shown by: ${remedies.listSettings()}`)
    : error

/**
 * Builds the application with the settings in the database. With `isRepair`, invalid settings are left out, so that a command which
 * repairs them can run.
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

/** Migrates the schema, or checks that it is up to date. Calls `onUpgrade` before it migrates a schema that contains data. */
export const prepareDatabase = (opened: Opened, onUpgrade?: () => Promise<void>): Promise<void> =>
  makeReady({ ...schemaOf(opened), migrateOnStart: opened.core.database.migrateOnStart, onUpgrade })

/** Runs a command that must not change the schema. */
export const withSchema = <T>(opened: Opened, work: () => Promise<T>): Promise<T> => onSchema(schemaOf(opened), work)

/** Resolves when all log lines have been written. */
export const flushed = (log: Log): Promise<void> => new Promise((resolve) => log.flush(() => resolve()))
