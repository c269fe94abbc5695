import { z } from 'zod'
import type { SystemPrincipal } from '../access/principal.ts'
import { type ConfigKey, didYouMean, fromText, keyOfName } from '../core/config-keys.ts'
import type { Output } from '../core/output/format.ts'
import { settingSources } from '../core/setting-words.ts'
import type { Setting } from '../core/settings.ts'
import { parseFlags, UsageError } from '../core/terminal.ts'
import type { Cli, Commands } from '../feature.ts'
import type { DescribedChange, Wanted } from './difference.ts'
import type { ChangeResult, Settings } from './service.ts'

interface Needs {
  readonly settings: Settings
}

const actions = ['list', 'get', 'set', 'unset', 'history', 'revert'] as const

const Flags = z.object({
  source: z.enum(settingSources).optional(),
  stdin: z.boolean(),
  dryRun: z.boolean(),
  force: z.boolean(),
  limit: z.coerce.number<string>().int().min(1).max(100),
  before: z.coerce.number<string>().int().min(1).optional(),
})
type Flags = z.output<typeof Flags>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The value of a setting in a list. For a secret, it only says whether one is set. */
const shown = ({ isSecret, isSet, value, stored, source }: Setting): string => {
  if (!isSecret) return value === null ? '' : textOf(value)
  return isSet ? `set${source === 'database' ? ` (${stored?.value})` : ''}` : ''
}

const changeLine = ({ key, before, after, wasStored, isStored }: DescribedChange): string => {
  const [old, next] = [wasStored ? textOf(before) : 'not stored', isStored ? textOf(after) : 'not stored']
  return `${wasStored ? (isStored ? '~' : '-') : '+'} ${key}: ${old} -> ${next}`
}

const changeOutput = (result: ChangeResult, isDryRun: boolean): Output => {
  const lines = result.changes.map(changeLine)
  if (lines.length === 0) return { json: result, text: 'Nothing to change.' }
  const end = isDryRun ? [] : [`Stored as version ${result.version}. Running nodes follow within two seconds.`]
  return { json: result, text: [...lines, ...end].join('\n') }
}

const isRefused = (name: string, known: readonly ConfigKey[]): UsageError =>
  new UsageError(
    `there is no setting ${name}${didYouMean(
      name,
      known.map(({ path }) => path.join('.')),
    )}`,
  )

/** Parses the arguments of `config set`: either a key and a value (`brand.name Acme`), or several pairs such as `key=value`. */
const pairsOf = (words: readonly string[]): readonly (readonly [name: string, text: string | undefined])[] => {
  const [first = '', second, ...others] = words
  if (!first.includes('=') && others.length === 0) return [[first, second]]
  return words.map((word) => {
    const at = word.indexOf('=')
    if (at < 1) throw new UsageError(`config set takes a key and its value, or any number of key=value: ${word} is neither`)
    return [word.slice(0, at), word.slice(at + 1)]
  })
}

/** Converts a text to the type of the setting. If the type is not text, `null` means that the setting has no value. */
const valueOfText = (key: ConfigKey, text: string): unknown =>
  text === 'null' && key.type !== 'string' ? null : fromText(key, text)

const wantedOf = async (cli: Cli<Needs>, keys: readonly ConfigKey[], words: readonly string[], stdin: boolean) => {
  const wanted = new Map<string, unknown>()
  for (const [name, text] of pairsOf(words)) {
    const key = keyOfName(keys, name)
    if (key === undefined) throw isRefused(name, keys)
    if (key.secret && text !== undefined)
      throw new UsageError(`${name} is a secret: pass it by --stdin, or leave its value out to be asked`)
    if (!key.secret && text === undefined && !stdin) throw new UsageError(`config set ${name} needs a value`)
    const given =
      text ?? (stdin && !key.secret ? (await cli.readInput('--stdin')).trim() : await cli.readSecret(name, stdin, '--stdin'))
    wanted.set(name, valueOfText(key, given))
  }
  return wanted
}

const list = async ({ settings }: Needs, [prefix = '']: readonly string[], { source }: Flags): Promise<Output> => {
  const { settings: all } = await settings.list()
  const found = all.filter((one) => one.key.startsWith(prefix) && (source === undefined || one.source === source))
  const rows = found.map((one) => ({
    ...{ key: one.key, value: shown(one), source: one.source, from: one.source === 'database' ? '' : (one.from ?? '') },
    ...{ stored: one.stored === null ? '' : textOf(one.stored.value), changedAt: one.stored?.changedAt ?? '' },
  }))
  return { json: found, rows }
}

const get = async ({ settings }: Needs, [name = '']: readonly string[]): Promise<Output> => {
  const { settings: all } = await settings.list()
  const found = all.find(({ key }) => key === name)
  if (found === undefined) throw isRefused(name, settings.keys)
  return { json: found, text: shown(found) }
}

const history = async ({ settings }: Needs, principal: SystemPrincipal, { before, limit }: Flags): Promise<Output> => {
  const { versions, next } = await settings.history(principal, before, limit)
  const rows = versions.map(({ version, changedAt, changedBy, reason, revertedTo, changes }) => ({
    ...{ version, changedAt, by: changedBy.name ?? changedBy.id ?? changedBy.kind, reason: reason ?? '' },
    ...{ revertedTo: revertedTo ?? '', changes: changes.map(changeLine).join('; ') },
  }))
  return { json: versions, rows, next: next === null ? null : `--before ${next}` }
}

const run = async (
  cli: Cli<Needs>,
  app: Needs,
  principal: SystemPrincipal,
  action: (typeof actions)[number],
  words: readonly string[],
  flags: Flags,
): Promise<Output> => {
  const { settings } = app
  const { dryRun, force, stdin } = flags
  const change = async (wanted: Wanted) => changeOutput(await settings.change(principal, wanted, { dryRun, force }), dryRun)
  switch (action) {
    case 'list':
      return list(app, words, flags)
    case 'get':
      return get(app, words)
    case 'set':
      return change(await wantedOf(cli, settings.keys, words, stdin))
    case 'unset':
      return change(new Map(words.map((name) => [name, undefined])))
    case 'history':
      return history(app, principal, flags)
    case 'revert':
      return changeOutput(await settings.revert(principal, Number(words[0]), { dryRun, force }), dryRun)
  }
}

const requireWords = (action: (typeof actions)[number], words: readonly string[]) => {
  const isMissing = words.length === 0 && ['get', 'set', 'unset', 'revert'].includes(action)
  if (isMissing) throw new UsageError(`config ${action} needs ${action === 'revert' ? 'a version' : 'a key'}`)
  const most = { list: 1, get: 1, set: 64, unset: 64, history: 0, revert: 1 }[action]
  if (words.length > most) throw new UsageError(`config ${action} takes ${most === 0 ? 'nothing' : `${most} at most`}`)
  if (action === 'revert' && !/^\d{1,9}$/.test(words[0] ?? ''))
    throw new UsageError('config revert needs a version: config history lists them')
}

export const settingsCommands: Commands<Needs> = (program, cli) => {
  program
    .command('config')
    .inGroup('Instance')
    .repairsSettings()
    .description(
      'Show settings, and change those of the database, which running nodes follow at once. File, environment and options win over the database.',
    )
    .addArgument(program.createArgument('<action>', 'what to do').choices(actions))
    .argument(
      '[words...]',
      'list [beginning of keys], get <key>, set <key> <value>, set <key>=<value>…, unset <key>…, history, revert <version>',
    )
    .choice('--source <source>', 'list: only settings from here', settingSources)
    .option('--stdin', 'set: the value, of a secret its first line, is on standard input', false)
    .dryRunnable()
    .option('--force', 'set: keep a mail server or provider although it could not be reached', false)
    .option('--limit <number>', 'history: so many versions', '20')
    .option('--before <version>', 'history: versions before this one')
    .examples(
      'config list sessions. --json',
      'config list --source database',
      'config get password.minLength',
      'config set password.minLength 12',
      'config set brand.name=Acme brand.color=#0d5c4c --dry-run',
      'config set smtpUrl --stdin < smtp-url',
      'config unset brand.color',
      'config history',
      'config revert 3',
    )
    .action(async (action: (typeof actions)[number], words: readonly string[], flags: unknown) => {
      const parsed = parseFlags(Flags, flags)
      requireWords(action, words)
      await cli.run((app, principal) => run(cli, app, principal, action, words, parsed))
    })
}
