import { Option } from 'commander'
import { z } from 'zod'
import { configSchema } from '../composition.ts'
import { processEnvironment, readSources } from '../core/config.ts'
import { type OutputFormat, type OutputOptions, outputFormats } from '../core/output/format.ts'
import type { View } from '../core/output/table.ts'
import { standardOutput } from '../core/output/written.ts'
import { reasonInput } from '../core/reason.ts'
import { parseFlags, type Terminal, UsageError } from '../core/terminal.ts'
import type { GatehouseCommand } from './command.ts'

/** Options that every command has. Except `config` and the options about output, they set configuration keys. */
export interface Globals {
  readonly config?: string
  readonly url?: string
  readonly host?: string
  readonly port?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly logLevel?: string
  readonly output?: OutputFormat
  readonly columns?: string
  readonly json?: boolean
  readonly reason?: string
  readonly remote?: string
}

/** The options that decide which instance a command is for, as they were typed. A suggested command repeats them. */
export const placeOptions = ({ config, url, host, port, dataDir, databaseUrl }: Globals): readonly string[] =>
  Object.entries({ config, url, host, port, 'data-dir': dataDir, 'database-url': databaseUrl }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )

export const addGlobalOptions = (program: GatehouseCommand): void => {
  program
    .option('--config <file>', 'YAML file with the configuration (GATEHOUSE_CONFIG)')
    .option('--url <url>', 'public address (GATEHOUSE_URL)')
    .option('--host <host>', 'address to listen on (GATEHOUSE_HOST)')
    .option('--port <port>', 'port to listen on (GATEHOUSE_PORT)')
    .option('--data-dir <directory>', 'directory of SQLite file, secret and mail outbox (GATEHOUSE_DATA_DIR)')
    .option('--database-url <url>', 'sqlite:<file> or postgres://… (GATEHOUSE_DATABASE_URL)')
    .option('--log-level <level>', 'least level that is logged (GATEHOUSE_LOG_LEVEL)')
    .addOption(
      new Option('-o, --output <format>', 'how results are printed; with json and jsonl, errors are JSON too').choices(
        outputFormats,
      ),
    )
    .option('--columns <names>', 'only these columns of the result, separated by commas')
    .option('--remote <url>', 'work at an instance on another machine, after the command login (GATEHOUSE_REMOTE)')
    .option('--reason <text>', 'why a command changes something: the events that it records keep it')
    .addOption(new Option('--json', 'short for --output json').conflicts('output'))
}

/** The terminal of this process. Its signals interrupt the command that is running. */
export const processTerminal = (): Terminal => ({
  stdin: process.stdin,
  stdout: standardOutput(),
  stderr: process.stderr,
  env: processEnvironment(),
})

/** True if errors about wrong usage have to be written as JSON, too. It looks at the arguments before they are parsed. */
export const isJsonWanted = (argv: readonly string[]): boolean =>
  argv.some(
    (arg, index) =>
      arg === '--json' ||
      /^(-o|--output=)jsonl?$/.test(arg) ||
      (/^(-o|--output)$/.test(arg) && /^jsonl?$/.test(argv[index + 1] ?? '')),
  )

/**
 * True if output to this stream should have colours. The environment variable `NO_COLOR` switches colours off unless it is empty
 * (https://no-color.org).
 */
export const hasColours = (stream: { readonly isTTY?: boolean }, env: Terminal['env']): boolean =>
  stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'

/**
 * How results are displayed. A terminal gets tables that fit its width, relative times and colours. Any other output gets full values and
 * ISO times.
 */
export const viewOf = ({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>, now: Date): View =>
  stdout.isTTY === true ? { width: stdout.columns ?? 80, now, isColoured: hasColours(stdout, env) } : {}

/** The format of output that the options request. */
export const outputOptions = ({ json, output, columns }: Globals, view: View): OutputOptions => ({
  format: json === true ? 'json' : (output ?? 'table'),
  columns: columns
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
  view,
})

/**
 * True if a database URL contains a password. Such a URL must not be an option, because every user of the machine can see the arguments
 * of a process, and shells store them.
 */
export const hasPassword = (databaseUrl: string | undefined): boolean => {
  const url = URL.parse(databaseUrl ?? '')
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

/** Values for configuration keys that are not set anywhere else. */
export type Fallback = { readonly secret?: readonly string[] | undefined }

/** The value of the option `--reason`. Throws `UsageError`. */
export const reasonFlag = ({ reason }: Globals): string | undefined =>
  parseFlags(z.object({ reason: reasonInput.optional() }), { reason: reason?.trim() }).reason

/** The sources from which the configuration is read: file, environment and options. Throws `UsageError` if an option contains a password. */
export const readingOf = ({ env }: Pick<Terminal, 'env'>, globals: Globals, fallback: Fallback = {}) => {
  const { config: file, json: _, output: __, columns: ___, reason: ____, remote: _____, ...flags } = globals
  if (hasPassword(flags.databaseUrl))
    throw new UsageError('--database-url: must not hold a password; pass the address in GATEHOUSE_DATABASE_URL or a file')
  return readSources(configSchema, { file, env, flags, fallback })
}

/** Reads the configuration from file, environment and options, without the settings in the database. Throws `ConfigError`. */
export const readConfiguration = (terminal: Pick<Terminal, 'env'>, globals: Globals, fallback: Fallback = {}) =>
  readingOf(terminal, globals, fallback).evaluate()

/** Like `readConfiguration`, but returns only the values. */
export const loadConfiguration = (terminal: Pick<Terminal, 'env'>, globals: Globals, fallback: Fallback = {}) =>
  readConfiguration(terminal, globals, fallback).config
