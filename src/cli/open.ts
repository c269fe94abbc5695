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
 * The state of a command after its first step, which opens database and log. The application is built later, when the settings of the
 * database are known.
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
  /** True for a command that may create an instance. */
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
 * Reads the part of the configuration that opening the database needs; this part has to be valid. Other keys may be wrong, because
 * settings of the database may correct them. Their problem is returned; if there is no database, it is thrown.
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

/** Opens database and log. The database connects when it is first used. A command logs only problems, unless more is requested. */
export const open = async (terminal: Terminal, globals: Globals, { isDaemon, mayCreate, fallback }: Opening): Promise<Opened> => {
  // All files that the process writes, including database and log, are readable by their owner only.
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

/** Builds the application with these settings of the database, and starts nothing. Throws `ConfigError`. */
export const composeWith = ({ read, runtime, node }: Opened, stored: readonly StoredSetting[]): App => {
  const evaluated = read.evaluate(stored)
  return withFiles(() => compose(evaluated.config, { ...runtime, read: evaluated }, node))
}

/** Adds to an error of the configuration the command that shows the settings of the database, because one of them may have caused it. */
export const advised = ({ remedies }: Pick<Opened, 'remedies'>, error: unknown): unknown =>
  error instanceof ConfigError
    ? new ConfigError(error.problems, false, `Settings of the database count, too. They are shown by: ${remedies.listSettings()}`)
    : error

/** Builds the application with the stored settings. A command with `isRepair` has to run even if they are wrong, so wrong ones are left out. */
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

/** Migrates the schema, or checks that it is up to date. Calls `onUpgrade` before it migrates an older schema. */
export const prepareDatabase = (opened: Opened, onUpgrade?: () => Promise<void>): Promise<void> =>
  makeReady({ ...schemaOf(opened), migrateOnStart: opened.core.database.migrateOnStart, onUpgrade })

/** Runs a command without changing the schema. */
export const withSchema = <T>(opened: Opened, work: () => Promise<T>): Promise<T> => onSchema(schemaOf(opened), work)

/** Resolves after all log lines are written. */
export const flushed = (log: Log): Promise<void> => new Promise((resolve) => log.flush(() => resolve()))
