import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from './clock.ts'
import { type Database, isPoolerError, isUnavailable } from './db/database.ts'
import { type MigrationList, migrateUp, migrationStatus } from './db/migrate.ts'
import { describeWriteFailure, writeFailureOf } from './db/write-failure.ts'
import type { Log } from './log.ts'
import type { Remedies } from './remedies.ts'

/** The environment of gatehouse keeps it from starting. The message says what to do. */
export class StartError extends Error {
  readonly refusal: string
  constructor(refusal: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
    this.refusal = refusal
  }
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** Creates a directory (0700) that is missing and sees that files can be made in it. Throws `StartError`. */
const requireWritable = (directory: string, setting: string) => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const why =
      codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR' ? 'is not a directory' : `cannot be written (${codeOf(error)})`
    throw new StartError(
      'DATA_DIRECTORY_NOT_WRITABLE',
      `${resolve(directory)} ${why}. Make it writable for the user gatehouse runs as, or choose another one with ${setting}.`,
      error,
    )
  }
}

/** Directories of the data and of the SQLite file. Throws `StartError` when one cannot be used. */
export const requireDirectories = (dataDir: string, databaseUrl: string | undefined): void => {
  if (databaseUrl?.startsWith('postgres') === true) return
  requireWritable(dataDir, '--data-dir or GATEHOUSE_DATA_DIR')
  const file = databaseUrl?.slice('sqlite:'.length)
  if (file !== undefined && file !== ':memory:') requireWritable(dirname(file), '--database-url or GATEHOUSE_DATABASE_URL')
}

interface Place {
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
  readonly secret: readonly string[]
}

/** The SQLite file, or undefined when the database is another one. */
const sqliteFileOf = ({ dataDir, databaseUrl = `sqlite:${join(dataDir, 'gatehouse.db')}` }: Place): string | undefined =>
  databaseUrl.startsWith('sqlite:') ? resolve(databaseUrl.slice('sqlite:'.length)) : undefined

/** True when the files of an instance are there. With PostgreSQL only the database can tell. */
export const hasFiles = (place: Place): boolean => {
  const file = sqliteFileOf(place)
  return file === undefined || existsSync(file)
}

type StartRemedies = Pick<Remedies, 'migrate' | 'serve'>

const notFound = (looked: string, { migrate, serve }: StartRemedies) =>
  new StartError(
    'INSTANCE_NOT_FOUND',
    `There is no gatehouse here: ${looked}. Say where it is with --data-dir, --config or GATEHOUSE_DATABASE_URL, or make one with: ` +
      `${serve()}, or ${migrate()}`,
  )

/**
 * Checks, without changing anything, that the files of an instance exist, or with `mayCreate` none of them: what is sealed in a database is
 * lost to any other secret than its own. Throws `StartError` that says where it looked.
 */
export const requireFiles = (place: Place, mayCreate: boolean, remedies: StartRemedies): void => {
  const file = sqliteFileOf(place)
  if (file === undefined) return
  if (!existsSync(file)) {
    if (mayCreate) return
    throw notFound(`${file} does not exist`, remedies)
  }
  // An empty one may have been created by an operator for its permissions.
  if (mayCreate && statSync(file).size === 0) return
  const secretFile = resolve(place.dataDir, 'secret')
  if (place.secret.length === 0 && !existsSync(secretFile))
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

/** Turns the failure to connect to a database into a `StartError` that says what to do; other failures are unchanged. */
export const explainDatabaseError = (error: unknown, waitedSeconds: number): unknown => {
  const code = codeOf(error)
  const refuse = (message: string) => new StartError('DATABASE_NOT_USABLE', message, error)
  if (/^28/.test(code)) return refuse('PostgreSQL refuses the user or password of GATEHOUSE_DATABASE_URL.')
  if (code === '3D000')
    return refuse('The database that GATEHOUSE_DATABASE_URL names does not exist. Create it with: createdb <name>')
  if (isPoolerError(error)) return poolerNotSet(error)
  if (code === '42501')
    return refuse('The user of GATEHOUSE_DATABASE_URL may not create tables. Grant it: grant create on schema public to <user>')
  if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return refuse(
      `The SQLite file cannot be used: ${(error as Error).message}. Check its permissions and that it is a gatehouse database.`,
    )
  const failure = writeFailureOf(error)
  if (failure !== undefined) return new StartError('DATABASE_NOT_WRITABLE', describeWriteFailure(failure), error)
  if (isUnavailable(error))
    return refuse(
      `The database does not answer (${code === '' ? (error as Error).message : code}), after ${waitedSeconds} s of trying. ` +
        'Check that it runs and that GATEHOUSE_DATABASE_URL names its host and port.',
    )
  return error
}

interface Patience {
  readonly clock: Clock
  readonly log: Log
  readonly waitSeconds: number
}

/** Waits until the database can be reached, then runs `work`. Throws `StartError` when it cannot. */
export const whenReachable = async <T>({ clock, log, waitSeconds }: Patience, work: () => Promise<T>): Promise<T> => {
  const end = clock.after(waitSeconds)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isOfFile = codeOf(error).startsWith('SQLITE_') && codeOf(error) !== 'SQLITE_BUSY'
      if (isOfFile || !isUnavailable(error) || clock.now() >= end) throw explainDatabaseError(error, waitSeconds)
      log.warn({ reason: codeOf(error) || (error as Error).message }, 'the database does not answer; trying again')
      await new Promise((wake) => setTimeout(wake, 500))
    }
  }
}

interface Schema extends Patience {
  readonly database: Database
  readonly migrations: MigrationList
  readonly migrateOnStart: boolean
  /** False refuses an empty database: only some commands create an instance. */
  readonly mayCreate: boolean
  readonly remedies: StartRemedies
}

/** Brings the schema up to date, or sees that it is. Throws `StartError`, `SchemaTooNewError` and `SchemaUnreleasedError`. */
export const makeReady = (options: Schema): Promise<void> =>
  whenReachable(options, async () => {
    const { database, migrations, clock, log, migrateOnStart, mayCreate, remedies } = options
    if (!database.isPooled && (await database.pooling()) === 'transaction') throw poolerNotSet()
    const { done: known, pending } = await migrationStatus(database, migrations)
    if (known.length === 0 && !mayCreate) throw notFound(`the database ${database.name} is empty`, remedies)
    if (pending.length === 0) return
    if (!migrateOnStart)
      throw new StartError(
        'MIGRATIONS_PENDING',
        `The database lacks ${pending.length} migrations (${pending.join(', ')}), and database.migrateOnStart is off. Run: ${remedies.migrate()}`,
      )
    const done = await migrateUp(database, migrations, () => clock.now())
    if (done.length > 0) log.info({ migrations: done }, 'database migrated')
  })

/** Runs what reads and writes files of the data directory; what the system refuses becomes a `StartError`. */
export const withFiles = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const { code, path } = error as { code?: string; path?: string }
    if (!/^(EACCES|EPERM|EROFS|ENOSPC|EISDIR)$/.test(code ?? '')) throw error
    throw new StartError(
      'DATA_DIRECTORY_NOT_WRITABLE',
      `${path ?? 'A file of the data directory'} cannot be used (${code}). Give it to the user gatehouse runs as.`,
      error,
    )
  }
}
