import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from './clock.ts'
import { certificateFileProblem } from './db/address.ts'
import { type Database, isPoolerError, isUnreachable } from './db/database.ts'
import { databaseFailureOf } from './db/failures.ts'
import { isOfLaterSchema, type MigrationList, migrateUp, migrationStatus } from './db/migrate.ts'
import { describeWriteFailure, writeFailureOf } from './db/write-failure.ts'
import { makeDirectory } from './files.ts'
import type { Log } from './log.ts'
import type { Remedies } from './remedies.ts'
import { fileProblem, systemFailureOf } from './system-failure.ts'

/** Thrown if something outside of gatehouse keeps it from starting. The message contains the remedy. */
export class StartError extends Error {
  readonly refusal: string
  constructor(refusal: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
    this.refusal = refusal
  }
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** Creates a directory (mode 0700) if it is missing, and checks that files can be created in it. Throws `StartError`. */
const requireWritable = (directory: string, setting: string) => {
  try {
    makeDirectory(directory)
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const isFile = codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR'
    const why = isFile ? `${resolve(directory)} is not a directory` : fileProblem(error, resolve(directory))
    throw new StartError(
      'DATA_DIRECTORY_NOT_WRITABLE',
      `${why}. Make it a directory that the user gatehouse runs as can write, or choose another one with ${setting}.`,
      error,
    )
  }
}

const [dataDirSetting, databaseUrlSetting] = ['--data-dir or GATEHOUSE_DATA_DIR', '--database-url or GATEHOUSE_DATABASE_URL']

/**
 * Creates the data directory and the directory of the SQLite file if they are missing, and checks both. Throws `StartError` if one of
 * them cannot be used.
 */
export const requireDirectories = (dataDir: string, databaseUrl: string | undefined): void => {
  if (databaseUrl?.startsWith('postgres') === true) return
  requireWritable(dataDir, dataDirSetting)
  const file = databaseUrl?.slice('sqlite:'.length)
  if (file !== undefined && file !== ':memory:') requireWritable(dirname(file), databaseUrlSetting)
}

interface Place {
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
  readonly secret: readonly string[]
}

/** The path of the SQLite file. Undefined for PostgreSQL. */
const sqliteFileOf = ({ dataDir, databaseUrl = `sqlite:${join(dataDir, 'gatehouse.db')}` }: Place): string | undefined =>
  databaseUrl.startsWith('sqlite:') ? resolve(databaseUrl.slice('sqlite:'.length)) : undefined

/** Information about the file at a path. Undefined if there is no file. Throws `StartError` if the system denies access. */
const lookAt = (path: string, setting: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw new StartError(
      'DATA_DIRECTORY_NOT_WRITABLE',
      `${fileProblem(error, path)}. Give that user its directory, or choose another one with ${setting}.`,
      error,
    )
  }
}

/** The configuration key that says where the SQLite file is. */
const settingOf = ({ databaseUrl }: Place) => (databaseUrl === undefined ? dataDirSetting : databaseUrlSetting)

/**
 * True if the files of an instance exist. With PostgreSQL it is true in any case, because only the database itself can show whether an
 * instance exists.
 */
export const hasFiles = (place: Place): boolean => {
  const file = sqliteFileOf(place)
  return file === undefined || lookAt(file, settingOf(place)) !== undefined
}

type StartRemedies = Pick<Remedies, 'migrate' | 'serve'>

const notFound = (looked: string, { migrate, serve }: StartRemedies) =>
  new StartError(
    'INSTANCE_NOT_FOUND',
    `There is no gatehouse here: ${looked}. Say where it is with --data-dir, --config or GATEHOUSE_DATABASE_URL, or make one with: ` +
      `${serve()}, or ${migrate()}`,
  )

/**
 * Checks that the files of an instance exist, and changes nothing. With `mayCreate`, it also accepts that all of them are missing. It
 * refuses a database whose master secret is missing, because no other secret can decrypt the values in it. Throws a `StartError` that
 * names the files.
 */
export const requireFiles = (place: Place, mayCreate: boolean, remedies: StartRemedies): void => {
  const problem = certificateFileProblem(place.databaseUrl ?? '')
  if (problem !== undefined) throw new StartError('DATABASE_NOT_USABLE', `GATEHOUSE_DATABASE_URL: ${problem}.`)
  const file = sqliteFileOf(place)
  if (file === undefined) return
  const found = lookAt(file, settingOf(place))
  if (found === undefined) {
    if (mayCreate) return
    throw notFound(`${file} does not exist`, remedies)
  }
  if (found.isDirectory())
    throw new StartError('DATABASE_NOT_USABLE', `${file} is a directory. Set ${settingOf(place)} to the file of the database.`)
  // An empty file may exist because an operator has created it to set its permissions.
  if (mayCreate && found.size === 0) return
  const secretFile = resolve(place.dataDir, 'secret')
  if (place.secret.length === 0 && lookAt(secretFile, dataDirSetting) === undefined)
    throw new StartError(
      'SECRET_NOT_USABLE',
      `The master secret is missing: ${secretFile} does not exist and GATEHOUSE_SECRET is not set. Put back the one that ${file} was made with.`,
    )
}

const poolerNotSet = (cause?: unknown) =>
  new StartError(
    'DATABASE_NOT_USABLE',
    'GATEHOUSE_DATABASE_URL leads to PostgreSQL through a pooler that keeps no sessions, such as PgBouncer in transaction mode. ' +
      'Set GATEHOUSE_DATABASE_POOLER=transaction (database.pooler), or name the address of PostgreSQL itself.',
    cause,
  )

/** If a database error has an external cause, returns a `StartError` with a remedy. Otherwise returns the error unchanged. */
export const explainDatabaseError = (error: unknown, waitedSeconds = 0): unknown => {
  const code = codeOf(error)
  const refuse = (message: string) => new StartError('DATABASE_NOT_USABLE', message, error)
  if (isPoolerError(error)) return poolerNotSet(error)
  // The error may occur when gatehouse starts, or later in a command.
  const unwritten = code === 'SQLITE_CANTOPEN' ? undefined : writeFailureOf(error)
  if (unwritten !== undefined) return new StartError('DATABASE_NOT_WRITABLE', describeWriteFailure(unwritten), error)
  const failure = databaseFailureOf(error)
  if (failure !== undefined) return refuse(failure)
  if (!isUnreachable(error)) return error
  const waited = waitedSeconds === 0 ? '' : `, after ${waitedSeconds} s of trying`
  return refuse(
    `The database does not answer (${code === '' ? (error as Error).message : code})${waited}. ` +
      'Check that it runs and that GATEHOUSE_DATABASE_URL names its host and port.',
  )
}

/** If an error has an external cause and is not a bug, returns a `StartError`. Otherwise returns the error unchanged. */
export const explainFailure = (error: unknown): unknown => {
  if (!(error instanceof Error) || typeof (error as { refusal?: unknown }).refusal === 'string') return error
  const failure = systemFailureOf(error)
  if (failure === undefined || failure.syscall === 'connect') return explainDatabaseError(error)
  const { path, problem, code, remedy } = failure
  return new StartError('FILE_NOT_USABLE', `${path ?? 'A file'} ${problem} (${code}). ${remedy}`, error)
}

interface Patience {
  readonly clock: Clock
  readonly log: Log
  readonly waitSeconds: number
}

/** Waits until the database can be reached, then runs `work`. Throws `StartError` if that takes too long. */
export const whenReachable = async <T>({ clock, log, waitSeconds }: Patience, work: () => Promise<T>): Promise<T> => {
  const end = clock.after(waitSeconds)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isOfFile = codeOf(error).startsWith('SQLITE_') && codeOf(error) !== 'SQLITE_BUSY'
      if (isOfFile || !isUnreachable(error) || clock.now() >= end) throw explainDatabaseError(error, waitSeconds)
      log.warn({ reason: codeOf(error) || (error as Error).message }, 'the database does not answer; trying again')
      await new Promise((wake) => setTimeout(wake, 500))
    }
  }
}

/** Checks the settings of the database server. Throws `StartError` if one of them keeps gatehouse from working. */
export const requireSettings = async (database: Pick<Database, 'settingProblem'>): Promise<void> => {
  const problem = await database.settingProblem()
  if (problem !== undefined) throw new StartError('DATABASE_NOT_USABLE', problem)
}

interface Schema extends Patience {
  readonly database: Database
  readonly migrations: MigrationList
  readonly remedies: StartRemedies
}

/**
 * Finds out which migrations are pending, and whether the database is empty. Throws `StartError` for a pooler that the configuration does
 * not name. Throws it also for an empty database, unless `mayCreate` is set.
 */
const lookAtSchema = async ({ database, migrations, remedies }: Schema, mayCreate: boolean) => {
  if (!database.isPooled && (await database.pooling()) === 'transaction') throw poolerNotSet()
  await requireSettings(database)
  const { done, pending } = await migrationStatus(database, migrations)
  if (done.length === 0 && !mayCreate) throw notFound(`the database ${database.name} is empty`, remedies)
  return { pending, isEmpty: done.length === 0 }
}

const pendingMigrations = ({ remedies }: Schema, pending: readonly string[], why: string, cause?: unknown) =>
  new StartError(
    'MIGRATIONS_PENDING',
    `The database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} of this version (${pending.join(', ')}), and ${why}. Run: ${remedies.migrate()}`,
    cause,
  )

interface Upgrade {
  readonly migrateOnStart: boolean
  /** Called before an existing schema is migrated, because that may take minutes. After a failed attempt it is called again. */
  readonly onUpgrade?: (() => Promise<void>) | undefined
}

/**
 * Prepares the schema for the daemon. Runs pending migrations; if `migrateOnStart` is off, only checks that there are none. Throws
 * `StartError`, `SchemaTooNewError` and `SchemaUnreleasedError`.
 */
export const makeReady = (options: Schema & Upgrade): Promise<void> =>
  whenReachable(options, async () => {
    const { database, migrations, clock, log, migrateOnStart, onUpgrade } = options
    const { pending, isEmpty } = await lookAtSchema(options, true)
    if (pending.length === 0) return
    if (!migrateOnStart) throw pendingMigrations(options, pending, 'database.migrateOnStart is off')
    if (!isEmpty) await onUpgrade?.()
    const done = await migrateUp(database, migrations, () => clock.now())
    if (done.length > 0) log.info({ migrations: done }, 'database migrated')
  })

/**
 * Runs a command. Does not change the schema: only `serve` and `migrate` do. If the schema is older than this version, the command can
 * only read. Then a write throws `StartError`, and so does a read of a table or column that the schema does not have yet.
 */
export const onSchema = async <T>(options: Schema, work: () => Promise<T>): Promise<T> => {
  const { pending } = await whenReachable(options, () => lookAtSchema(options, false))
  if (pending.length === 0) return work()
  options.database.refuseWrites(() => pendingMigrations(options, pending, 'this command writes'))
  try {
    return await work()
  } catch (error) {
    throw isOfLaterSchema(error) ? pendingMigrations(options, pending, 'this command needs them', error) : error
  }
}

/** Runs `work`, which uses files of the data directory. If the operating system reports an error, throws a `StartError`. */
export const withFiles = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const failure = systemFailureOf(error)
    if (failure === undefined) throw error
    const { path = 'A file of the data directory', problem, code, remedy } = failure
    throw new StartError('DATA_DIRECTORY_NOT_WRITABLE', `${path} ${problem} (${code}). ${remedy} See ${dataDirSetting}.`, error)
  }
}
