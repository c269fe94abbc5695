import { z } from 'zod'
import { getPath, readSecretFile, readYaml, setPath, type Tree, takeSecretFiles } from './config-file.ts'
import { anyName, type ConfigKey, didYouMean, fromText, keyOfVariable, listKeys } from './config-keys.ts'
import { databaseUrlProblem } from './db/address.ts'
import { type Environment, ownVariables, variableOf } from './environment.ts'
import { outboundConfig } from './fetch.ts'
import { secretProblems } from './master-secret.ts'
import { placeStored, type Setting, type SettingOrigin, type StoredSetting, settingsOf } from './settings.ts'
import { expectation, flagOf } from './terminal.ts'
import { isLoopbackUrl } from './web.ts'

/** Metadata of a secret key: no output shows its value, and the value may come from a file (`GATEHOUSE_<KEY>_FILE`). */
const secret = { secret: true }

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .refine((value) => {
    if (!URL.canParse(value)) return true
    const url = new URL(value)
    return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  }, 'an address without path, query, fragment or user')
  .transform((value) => (URL.canParse(value) ? new URL(value).origin : value))

/** Origins, or patterns that match origins. Pages of these origins may use a user's session. */
export const originPatterns = z
  .array(
    z
      .string()
      .regex(
        /^([a-z][a-z0-9+.-]*:\/\/)?[^\s/@]*\/?$/i,
        'an origin such as https://app.example.com, or a host pattern such as *.example.com',
      ),
  )
  .default([])

/** The configuration keys that belong to no feature. */
export const coreConfig = {
  url: httpUrl
    .optional()
    .meta({
      neverEmpty: true,
      description: 'Public address and issuer; everything hangs from it. `http://localhost:<port>` when not set.',
    })
    .meta({ needsRestart: true }),
  host: z
    .string()
    .trim()
    .min(1, 'an address; 0.0.0.0 means all of this machine')
    // Removes the brackets around an IPv6 address (`[::1]`). They are needed only before a port.
    .overwrite((host) => host.replace(/^\[([\da-f:.]+)\]$/i, '$1'))
    .default('127.0.0.1')
    .describe('Address to listen on.')
    .meta({ needsRestart: true }),
  port: z
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe('Port to listen on; `PORT` is honoured too.')
    .meta({ needsRestart: true }),
  databaseUrl: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:<file> or postgres://…')
    .superRefine((value, context) => {
      const message = databaseUrlProblem(value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .optional()
    .meta({ ...secret, neverEmpty: true, description: 'Database; `sqlite:<data dir>/gatehouse.db` when not set.' })
    .meta({ needsRestart: true }),
  dataDir: z
    .string()
    .min(1)
    .default('./data')
    .meta({ neverEmpty: true, description: 'Directory for the SQLite file, the generated secret and the mail outbox.' })
    .meta({ needsRestart: true }),
  secret: z
    .array(z.string().min(32, 'at least 32 characters'))
    .max(10)
    .default([])
    .meta({
      ...secret,
      ...{ needsRestart: true },
      description: 'Master secret, newest first. Created in the data directory with SQLite; required with PostgreSQL.',
    }),
  trustedOrigins: originPatterns
    .describe(
      'Origins, besides the public address, that may call the API from a browser (CORS, with the session) and be redirected to; `*` matches within labels. The calls of administrators, `/admin/*`, are left out.',
    )
    .meta({ weakened: 'added' }),
  trustedProxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an IP address or a CIDR range'))
    .default([])
    .describe('Addresses or CIDR ranges of reverse proxies whose x-forwarded-for is trusted.'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged.')
    .meta({ weakened: 'never' }),
  log: z
    .strictObject({
      format: z
        .enum(['auto', 'json', 'text'])
        .default('auto')
        .describe('Form of the log on standard error: JSON, one object a line, or text for people; auto: text at a terminal.'),
    })
    .prefault({})
    .meta({ needsRestart: true }),
  database: z
    .strictObject({
      poolMax: z.int().min(1).max(200).default(10).describe('Connections to PostgreSQL at most.'),
      pooler: z
        .enum(['none', 'transaction'])
        .default('none')
        .describe(
          'The connection to PostgreSQL; transaction: through a pooler such as PgBouncer in transaction mode, which keeps no sessions.',
        ),
      synchronous: z
        .enum(['NORMAL', 'FULL'])
        .default('NORMAL')
        .describe('SQLite: FULL also survives a power cut for the last commits.'),
      migrateOnStart: z
        .boolean()
        .default(true)
        .describe('Bring the schema up to date at start; otherwise `gatehouse migrate` has to run first.'),
      waitSeconds: z.int().min(0).max(600).default(10).describe('How long a start waits for PostgreSQL to answer, in seconds.'),
    })
    .prefault({})
    .meta({ needsRestart: true }),
  http: z
    .strictObject({
      strictHost: z
        .enum(['auto', 'on', 'off'])
        .default('auto')
        .describe('Answer 421 to any Host but the public one; auto: on when the address is https.'),
      clientAddressHeader: z
        .string()
        .default('x-forwarded-for')
        .describe('Header in which trusted proxies pass the client address on.'),
      requestSeconds: z
        .int()
        .min(1)
        .max(600)
        .default(15)
        .describe('Time a request may take to arrive, its body included, in seconds; then 408.')
        .meta({ weakened: 'never' }),
      maxConnections: z
        .int()
        .min(16)
        .max(1_000_000)
        .default(10_000)
        .describe('Open connections at most; further ones are closed at once. Keep it below the limit of open files.')
        .meta({ weakened: 'never' }),
      allowInsecureUrl: z
        .boolean()
        .default(false)
        .describe(
          'Allow a public address that is http on another host than loopback. Passwords and cookies then travel in the clear: for closed networks only.',
        )
        .meta({ needsRestart: true }),
      apiDocs: z
        .boolean()
        .default(true)
        .describe('Serve the description of the account API (`/openapi.json`) and the page that shows it (`/docs`).')
        .meta({ weakened: 'never' }),
      shutdownSeconds: z
        .int()
        .min(1)
        .max(300)
        .default(10)
        .describe('Time requests in flight get at shutdown, in seconds.')
        .meta({ weakened: 'never' }),
    })
    .prefault({}),
  outbound: outboundConfig,
}

/** Checks rules that concern several keys. The schema of the whole configuration calls it as `superRefine`. */
export const checkTogether = (
  value: {
    readonly url?: string | undefined
    readonly databaseUrl?: string | undefined
    readonly secret: readonly string[]
    readonly http: { readonly allowInsecureUrl: boolean }
  },
  context: z.RefinementCtx,
) => {
  const fail = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (value.databaseUrl?.startsWith('postgres') === true && value.secret.length === 0)
    fail('secret', 'is required with PostgreSQL; make one with: openssl rand -base64 48')
  for (const problem of secretProblems(value.secret)) fail('secret', problem)
  if (value.url?.startsWith('http:') === true && !isLoopbackUrl(value.url) && !value.http.allowInsecureUrl)
    fail(
      'url',
      'http on another host than loopback: passwords and cookies would travel in the clear. Use https (a proxy may end TLS), or allow it with http.allowInsecureUrl',
    )
}

/** Where the operator's configuration comes from. */
export interface ConfigSources {
  /** The file that the option `--config` names. When absent: the file that `GATEHOUSE_CONFIG` names. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Values of command-line options, by top-level key. A value may be a whole section. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Values for top-level keys. A value is used only if no other source sets its key. */
  readonly fallback?: Readonly<Record<string, unknown>>
}

/** Thrown for a wrong configuration. `problems` names each wrong key with its value and the expected form. */
export class ConfigError extends Error {
  readonly refusal = 'CONFIGURATION_INVALID'
  readonly problems: readonly string[]
  /** True when the only wrong values come from options of the command line. */
  readonly isUsage: boolean
  constructor(problems: readonly string[], isUsage = false, advice?: string) {
    super(
      [
        `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`,
        ...problems.map((problem) => `  - ${problem}`),
        ...(advice === undefined ? [] : [advice]),
      ].join('\n'),
    )
    this.name = 'ConfigError'
    this.problems = problems
    this.isUsage = isUsage
  }
}

/** Variables that begin with `GATEHOUSE_` but are not configuration keys. */
const reserved = new Set(['GATEHOUSE_CONFIG', 'GATEHOUSE_REMOTE', 'GATEHOUSE_REMOTE_API_KEY'])

/** The names of all known variables. They include the variables of sections with built-in names. */
const variablesOf = (keys: readonly ConfigKey[]): readonly string[] =>
  keys.flatMap(({ variable, names }) =>
    variable.includes(anyName) ? names.map((name) => variable.replace(anyName, name.toUpperCase())) : variable,
  )

const readEnvironment = (keys: readonly ConfigKey[], env: ConfigSources['env'], tree: Tree, problems: string[]) => {
  const origins: SettingOrigin[] = []
  const set = (from: string, path: readonly string[], value: unknown) => {
    setPath(tree, path, value)
    origins.push({ path, source: 'environment', from })
  }
  const sections = (path: readonly string[]) => Object.keys(getPath(tree, path) ?? {})
  const keyOf = (variable: string) => keyOfVariable(keys, variable, sections)
  const port = variableOf(env, 'PORT')
  if (port !== undefined && variableOf(env, 'GATEHOUSE_PORT') === undefined)
    set('PORT', ['port'], fromText({ type: 'integer' }, port))
  for (const [variable, taken] of ownVariables(env)) {
    if (reserved.has(variable)) continue
    const key = keyOf(variable)
    const fileKey = variable.endsWith('_FILE') ? keyOf(variable.slice(0, -'_FILE'.length)) : undefined
    if (key === undefined && fileKey?.secret !== true)
      problems.push(`${variable}: unknown variable${didYouMean(variable, variablesOf(keys))}`)
    else if ('problem' in taken) problems.push(`${variable}: ${taken.problem}`)
    else if (taken.value === '') {
      if (key?.neverEmpty === true || fileKey?.neverEmpty === true)
        problems.push(`${variable}: is empty; give it a value, or do not set it`)
    } else if (key !== undefined) set(variable, key.path, fromText(key, taken.value))
    else if (fileKey !== undefined) {
      const beside = variable.slice(0, -'_FILE'.length)
      if (variableOf(env, beside) !== undefined) problems.push(`${variable}: ${beside} is set, too; keep one of them`)
      const held = readSecretFile(variable, taken.value, problems)
      if (held !== undefined) set(variable, fileKey.path, fromText(fileKey, held))
    }
  }
  return origins
}

/** Suggests which key an unknown key may mean: a similar key of the same section, or a key of the same name in another section. */
const meantBy = (keys: readonly ConfigKey[], path: readonly PropertyKey[], unknown: string): string => {
  const beside = keys.filter((key) => path.every((part, i) => key.path[i] === part || key.path[i] === anyName))
  const elsewhere = keys.find((key) => key.path.length > 1 && key.path.at(-1) === unknown && !key.path.includes(anyName))
  return (
    didYouMean(
      unknown,
      beside.flatMap((key) => key.path[path.length] ?? []),
    ) || (elsewhere === undefined ? '' : ` (did you mean ${elsewhere.path.join('.')}?)`)
  )
}

/** A value as a message shows it. A section is never shown completely, because it may contain secrets. */
const show = (value: unknown) =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value)) ? '' : ` (is ${JSON.stringify(value)})`

/**
 * A configuration whose file, environment and options have been read once. The settings of the database can change while the node runs,
 * so `evaluate` adds them each time. They have a lower precedence.
 */
export interface ConfigReader<S extends z.ZodType> {
  /** Computes the frozen configuration, with these settings from the database. Throws `ConfigError`, which names every problem in one message. */
  evaluate(stored?: readonly StoredSetting[]): ReadConfig<S>
  /** Computes only the keys of `coreConfig`. They are needed first, because they say where the database is. Throws `ConfigError`. */
  readonly core: () => CoreConfig
}

/** The configuration, with the source of each value. */
export interface ReadConfig<S extends z.ZodType> extends ConfigReader<S> {
  readonly config: Readonly<z.output<S>>
  /** Lists every configuration key with its value. The list is made when it is requested. */
  settings(): readonly Setting[]
}

export type CoreConfig = z.output<z.ZodObject<typeof coreConfig>>

/** Reads the file, the environment and the options, in this order. */
export const readSources = <S extends z.ZodType>(schema: S, sources: ConfigSources): ConfigReader<S> => {
  const found: string[] = []
  const keys = listKeys(schema)
  const file = sources.file ?? variableOf(sources.env, 'GATEHOUSE_CONFIG')
  const base: Tree = file === undefined ? {} : readYaml(file, found)
  takeSecretFiles(keys, base, found)
  const origins: SettingOrigin[] = file === undefined ? [] : [{ path: [], source: 'file', from: file }]
  origins.push(...readEnvironment(keys, sources.env, base, found))
  for (const [name, value] of Object.entries(sources.flags ?? {})) {
    const key = keys.find((candidate) => candidate.path.length === 1 && candidate.path[0] === name)
    if (value === undefined) continue
    base[name] = typeof value === 'string' && key !== undefined ? fromText(key, value) : value
    origins.push({ path: [name], source: 'flag', from: flagOf(name) })
  }
  for (const [name, value] of Object.entries(sources.fallback ?? {})) if (value !== undefined) base[name] ??= value
  if (typeof base['secret'] === 'string') base['secret'] = [base['secret']]

  const parse = <T extends z.ZodType>(by: T, tree: Tree): z.output<T> => {
    const parsed = by.safeParse(tree, { error: expectation })
    const problems = [...found]
    let isUsage = problems.length === 0
    for (const issue of parsed.error?.issues ?? []) {
      const isFlag = issue.path.length === 1 && typeof sources.flags?.[String(issue.path[0])] === 'string'
      if (!isFlag) isUsage = false
      const name = isFlag ? flagOf(String(issue.path[0])) : issue.path.join('.')
      const key = keys.find((candidate) => candidate.path.every((part, i) => part === anyName || issue.path[i] === part))
      if (issue.code === 'unrecognized_keys')
        for (const unknown of issue.keys)
          problems.push(`${[...issue.path, unknown].join('.')}: unknown key${meantBy(keys, issue.path, unknown)}`)
      else problems.push(`${name}: ${issue.message}${key?.secret === true ? '' : show(getPath(tree, issue.path))}`)
    }
    if (!parsed.success || problems.length > 0) throw new ConfigError(problems, isUsage)
    return parsed.data
  }

  const evaluate = (stored: readonly StoredSetting[] = []): ReadConfig<S> => {
    const { tree, origins: ofDatabase } = placeStored(keys, base, stored)
    const config = parse(schema, tree)
    const settings = () => settingsOf(keys, tree, [...origins, ...ofDatabase], stored)
    return { config: Object.freeze(config), settings, evaluate, core }
  }
  const core = () => parse(z.object(coreConfig), base)
  return { evaluate, core }
}

/**
 * Reads the file, the environment and the options, in this order, and checks all of them against the schema. The returned configuration
 * is frozen. Throws `ConfigError`, which names every problem in one message.
 */
export const readConfig = <S extends z.ZodType>(schema: S, sources: ConfigSources): ReadConfig<S> =>
  readSources(schema, sources).evaluate()

/** Like `readConfig`, but returns the configuration without its sources. */
export const loadConfig = <S extends z.ZodType>(schema: S, sources: ConfigSources): Readonly<z.output<S>> =>
  readConfig(schema, sources).config

/** The environment variables of this process. No other code reads them. */
export const processEnvironment = (): ConfigSources['env'] => ({ ...process.env })
