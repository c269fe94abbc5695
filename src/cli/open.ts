import { migrations } from '../../migrations/index.ts'
import { type App, compose } from '../composition.ts'
import { systemClock as clock } from '../core/clock.ts'
import { createLog, type Log } from '../core/log.ts'
import { systemRandom as random } from '../core/random.ts'
import { createRemedies } from '../core/remedies.ts'
import { makeReady, onSchema, requireDirectories, requireFiles, withFiles } from '../core/start.ts'
import type { Terminal } from '../core/terminal.ts'
import { type Fallback, type Globals, hasColours, placeOptions, readConfiguration } from './globals.ts'

/** The application, of which nothing runs yet, and its log. */
export interface Opened {
  readonly app: App
  readonly log: Log
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

/** Composes the application. Nothing of it runs yet. Commands log only what is wrong, unless more is asked for. */
export const open = (terminal: Terminal, globals: Globals, { isDaemon, mayCreate, fallback }: Opening): Opened => {
  // Whatever is written, the database and its log included, is the owner's alone.
  process.umask(0o077)
  const { config, settings } = readConfiguration(terminal, globals, fallback)
  const place = placeOptions(globals)
  requireFiles(config, mayCreate, createRemedies(place))
  requireDirectories(config.dataDir, config.databaseUrl)
  const isQuiet = !isDaemon && globals.logLevel === undefined && config.logLevel === 'info'
  const log = createLog(isQuiet ? 'warn' : config.logLevel, logOptions(terminal, config.log.format))
  return { log, app: withFiles(() => compose(config, { clock, random, log, settings, place })) }
}

export const patienceOf = ({ app, log }: Opened) => ({ clock, log, waitSeconds: app.config.database.waitSeconds })

const schemaOf = (opened: Opened) => ({
  ...patienceOf(opened),
  database: opened.app.database,
  migrations,
  remedies: opened.app.core.remedies,
})

/** Brings the schema up to date, or sees that it is. `onUpgrade` is called before an older schema is migrated. */
export const prepareDatabase = (opened: Opened, onUpgrade?: () => Promise<void>): Promise<void> =>
  makeReady({ ...schemaOf(opened), migrateOnStart: opened.app.config.database.migrateOnStart, onUpgrade })

/** Runs a command, which changes no schema. */
export const withSchema = <T>(opened: Opened, work: () => Promise<T>): Promise<T> => onSchema(schemaOf(opened), work)

/** Resolves when everything that was logged is written. */
export const flushed = (log: Log): Promise<void> => new Promise((resolve) => log.flush(() => resolve()))
