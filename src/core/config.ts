import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import type { Entropy } from './entropy.ts'
import { outboundConfig } from './fetch.ts'

/** Marks a key that may also be read from a file, by `GATEHOUSE_<KEY>_FILE`, and that no output shows. */
const secret = { secret: true }

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .refine((value) => {
    if (!URL.canParse(value)) return true
    const url = new URL(value)
    return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  }, 'an address without path, query, fragment or user')
  .transform((value) => (URL.canParse(value) ? new URL(value).origin : value))

/** Keys that belong to no feature. */
export const coreConfig = {
  url: httpUrl
    .optional()
    .describe('Public address and issuer; everything hangs from it. `http://localhost:<port>` when not set.'),
  host: z.string().default('127.0.0.1').describe('Address to listen on.'),
  port: z.int().min(0).max(65535).default(3000).describe('Port to listen on; `PORT` is honoured too.'),
  databaseUrl: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:<file> or postgres://…')
    .optional()
    .meta({ ...secret, description: 'Database; `sqlite:<data dir>/gatehouse.db` when not set.' }),
  dataDir: z
    .string()
    .min(1)
    .default('./data')
    .describe('Directory for the SQLite file, the generated secret and the mail outbox.'),
  secret: z
    .array(z.string().min(32, 'at least 32 characters'))
    .max(10)
    .default([])
    .meta({
      ...secret,
      description: 'Master secret, newest first. Created in the data directory with SQLite; required with PostgreSQL.',
    }),
  trustedOrigins: z
    .array(
      z
        .string()
        .regex(
          /^([a-z][a-z0-9+.-]*:\/\/)?[^\s/@]*\/?$/i,
          'an origin such as https://app.example.com, or a host pattern such as *.example.com',
        ),
    )
    .default([])
    .describe(
      'Origins, besides the public address, that may call the API from a browser (CORS, with the session) and be redirected to; `*` matches within labels.',
    ),
  trustedProxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an IP address or a CIDR range'))
    .default([])
    .describe('Addresses or CIDR ranges of reverse proxies whose x-forwarded-for is believed.'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged.'),
  database: z
    .strictObject({
      poolMax: z.int().min(1).max(200).default(10).describe('Connections to PostgreSQL at most.'),
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
    .prefault({}),
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
        .describe('Time a request may take to arrive, its body included, in seconds; then 408, whatever it is for.'),
      maxConnections: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(10_000)
        .describe('Open connections at most; further ones are closed at once. Keep it below the limit of open files.'),
      shutdownSeconds: z.int().min(1).max(300).default(10).describe('Time requests in flight get at shutdown, in seconds.'),
    })
    .prefault({}),
  outbound: outboundConfig,
}

const placeholders = /^(change-?me|secret|password|x+|0+|example)/i

/** Rules that need more than one key. Used as the `superRefine` of the joined schema. */
export const checkTogether = (
  value: { databaseUrl?: string | undefined; secret: readonly string[] },
  context: z.RefinementCtx,
) => {
  const fail = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (value.databaseUrl?.startsWith('postgres') === true && value.secret.length === 0)
    fail('secret', 'is required with PostgreSQL; make one with: openssl rand -base64 48')
  if (new Set(value.secret).size !== value.secret.length) fail('secret', 'must not hold the same secret twice')
  for (const one of value.secret)
    if (placeholders.test(one) || new Set(one).size < 10)
      fail('secret', 'looks like a placeholder; make one with: openssl rand -base64 48')
}

/** What an operator gave. */
export interface ConfigSources {
  /** `--config`; `GATEHOUSE_CONFIG` is honoured when absent. */
  readonly file?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of flags (or whole sections), by top-level key. */
  readonly flags?: Readonly<Record<string, unknown>>
}

/** Wrong configuration: `problems` names each key, its value and what is expected. */
export class ConfigError extends Error {
  readonly refusal = 'CONFIGURATION_INVALID'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** One key as the documentation and the environment see it. */
export interface ConfigKey {
  /** `sessions.freshAgeSeconds` */
  readonly path: readonly string[]
  /** `GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS` */
  readonly variable: string
  /** For `<NAME>` in path and variable: the names that the environment knows. */
  readonly names: readonly string[]
  readonly type: string
  readonly secret: boolean
  readonly description: string
  readonly default: unknown
}

interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly description?: string
  readonly default?: unknown
  readonly secret?: boolean
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
  /** Sections of any other name. */
  readonly additionalProperties?: boolean | JsonSchema
  /** Names of such sections that the environment knows. */
  readonly names?: readonly string[]
  /** Name of the variable without its prefix, where it is not made from the path. */
  readonly variable?: string
}

/** Stands in a path and a variable for a section whose name the operator chooses. */
const anyName = '<NAME>'

const upper = (name: string) => (name === anyName ? name : name.replace(/([A-Z])/g, '_$1').toUpperCase())

/** What may be written; null by leaving the key out. */
const typesOf = ({ type = 'string', enum: values, const: only, anyOf }: JsonSchema): readonly string[] =>
  (anyOf?.flatMap(typesOf) ?? values ?? [only ?? type]).filter((one) => one !== 'null')

/** Every key of a schema, in order; nested objects are sections. */
export const listKeys = (schema: z.ZodType): ConfigKey[] => {
  const walk = (node: JsonSchema, path: readonly string[], names: readonly string[]): ConfigKey[] => {
    const { properties = {}, additionalProperties: others } = node
    const keys = Object.entries(properties).flatMap(([name, child]) => {
      const here = [...path, name]
      if (child.properties !== undefined) return walk(child, here, names)
      return {
        path: here,
        names,
        variable: `GATEHOUSE_${child.variable ?? here.map(upper).join('_')}`,
        type: typesOf(child).join(' | '),
        secret: child.secret === true,
        description: child.description ?? '',
        default: child.default,
      }
    })
    return typeof others === 'object' && others.properties !== undefined
      ? [...keys, ...walk(others, [...path, anyName], node.names ?? [])]
      : keys
  }
  return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, [], [])
}

/** The keys of every name that the environment knows, in the place of `<NAME>`. */
const forEnvironment = (keys: readonly ConfigKey[]): readonly ConfigKey[] =>
  keys.flatMap((key) => {
    if (!key.path.includes(anyName)) return key
    return key.names.map((name) => ({
      ...key,
      path: key.path.map((part) => (part === anyName ? name : part)),
      variable: key.variable.replace(anyName, upper(name)),
    }))
  })

/** Text of the environment as the key's type; what does not fit stays text, so that the schema can say what is expected. */
const fromText = (key: ConfigKey, value: string): unknown => {
  if (key.type === 'array')
    return value
      .split(/[,\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  if (key.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  const isNumber = key.type.split(' | ').some((type) => type === 'integer' || type === 'number')
  return !isNumber || value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value)
}

type Tree = Record<string, unknown>

const setPath = (tree: Tree, path: readonly string[], value: unknown) => {
  const [head, ...rest] = path
  if (head === undefined) return
  if (rest.length === 0) tree[head] = value
  else {
    const child = tree[head]
    const next: Tree = typeof child === 'object' && child !== null ? (child as Tree) : {}
    tree[head] = next
    setPath(next, rest, value)
  }
}

const getPath = (tree: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null ? (node as Record<PropertyKey, unknown>)[name] : undefined),
    tree,
  )

const readYaml = (file: string, problems: string[]): Tree => {
  if (!existsSync(file)) {
    problems.push(`config: ${resolve(file)} does not exist`)
    return {}
  }
  try {
    const tree: unknown = parseYaml(readFileSync(file, 'utf8')) ?? {}
    if (typeof tree === 'object' && !Array.isArray(tree)) return tree as Tree
    problems.push(`config: ${file} must hold a mapping of keys`)
  } catch (error) {
    problems.push(`config: ${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  return {}
}

/** Variables that are ours but no keys. */
const reserved = new Set(['GATEHOUSE_CONFIG'])

const readEnvironment = (keys: readonly ConfigKey[], env: ConfigSources['env'], tree: Tree, problems: string[]) => {
  const byVariable = new Map(forEnvironment(keys).map((key) => [key.variable, key]))
  if (env['PORT'] !== undefined && env['GATEHOUSE_PORT'] === undefined)
    setPath(tree, ['port'], fromText({ type: 'integer' } as ConfigKey, env['PORT']))
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('GATEHOUSE_') || reserved.has(variable) || value === undefined) continue
    const key = byVariable.get(variable)
    const fileKey = variable.endsWith('_FILE') ? byVariable.get(variable.slice(0, -'_FILE'.length)) : undefined
    if (key !== undefined) setPath(tree, key.path, fromText(key, value))
    else if (fileKey?.secret === true) {
      if (!existsSync(value)) problems.push(`${variable}: the file ${value} does not exist`)
      else setPath(tree, fileKey.path, fromText(fileKey, readFileSync(value, 'utf8').trim()))
    } else problems.push(`${variable}: unknown variable`)
  }
}

const show = (value: unknown) => (value === undefined ? '' : ` (is ${JSON.stringify(value)})`)

/**
 * Reads file, then environment, then flags, and checks the whole against the schema.
 * Throws `ConfigError` with every problem in one message. The result is frozen.
 */
export const loadConfig = <S extends z.ZodType>(schema: S, sources: ConfigSources): Readonly<z.output<S>> => {
  const problems: string[] = []
  const keys = listKeys(schema)
  const file = sources.file ?? sources.env['GATEHOUSE_CONFIG']
  const tree: Tree = file === undefined ? {} : readYaml(file, problems)
  readEnvironment(keys, sources.env, tree, problems)
  for (const [name, value] of Object.entries(sources.flags ?? {})) {
    const key = keys.find((candidate) => candidate.path.length === 1 && candidate.path[0] === name)
    if (value !== undefined) tree[name] = typeof value === 'string' && key !== undefined ? fromText(key, value) : value
  }
  if (typeof tree['secret'] === 'string') tree['secret'] = [tree['secret']]
  const parsed = schema.safeParse(tree)
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path.join('.')
    const key = keys.find((candidate) => candidate.path.every((part, i) => part === anyName || issue.path[i] === part))
    if (issue.code === 'unrecognized_keys')
      for (const unknown of issue.keys) problems.push(`${[...issue.path, unknown].join('.')}: unknown key`)
    else problems.push(`${name}: ${issue.message}${key?.secret === true ? '' : show(getPath(tree, issue.path))}`)
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(parsed.data)
}

/** The environment of this process. The only place that reads it. */
export const processEnvironment = (): ConfigSources['env'] => ({ ...process.env })

/** Creates the data directory (0700) if it is missing. */
export const ensureDataDir = (dataDir: string): void => {
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/** The configured secrets, or the one in the data directory, which is made (0600) on first start. */
export const masterSecrets = (config: { secret: readonly string[]; dataDir: string }, entropy: Entropy): readonly string[] => {
  if (config.secret.length > 0) return config.secret
  ensureDataDir(config.dataDir)
  const file = join(config.dataDir, 'secret')
  if (!existsSync(file)) {
    // Written aside and linked: another process never reads half a secret, and the first of two wins.
    const draft = `${file}.${entropy.token(8)}`
    writeFileSync(draft, `${entropy.token(64)}\n`, { mode: 0o600, flag: 'wx' })
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
