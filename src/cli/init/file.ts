import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configSchema } from '../../composition.ts'
import { loadConfig } from '../../core/config.ts'
import { makeDirectory, placeFile } from '../../core/files.ts'
import { secretFileOf } from '../../core/master-secret.ts'
import { systemRandom as random } from '../../core/random.ts'
import { StartError } from '../../core/start.ts'
import { inShell } from '../../core/terminal.ts'
import { isLoopbackUrl } from '../../core/web.ts'

/** The answers to the six questions of `init`. */
export interface Answers {
  readonly url: string
  readonly allowInsecureUrl: boolean
  readonly host: string
  readonly port: number
  readonly trustedProxies: readonly string[]
  readonly dataDir: string
  readonly databaseUrl: string
  readonly adminEmail: string
  readonly mailFrom: string
  /** URL of the mail server. Empty if the daemon should write mails to files. */
  readonly smtpUrl: string
  readonly file: string
}

const hasPassword = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

/** What the configuration file contains for a key: the value itself, or for a secret the name of a file that only its owner can read. */
interface Placed {
  readonly lines: readonly string[]
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

const quoted = (text: string) => JSON.stringify(text)

const placed = (key: string, value: string, path: string): Placed =>
  hasPassword(value)
    ? { lines: [`${key}File: ${quoted(path)}`], files: [{ path, text: `${value}\n` }] }
    : { lines: [`${key}: ${quoted(value)}`], files: [] }

const isSqlite = (databaseUrl: string) => databaseUrl.startsWith('sqlite:')

const masterSecretOf = ({ dataDir, databaseUrl }: Answers): Placed => {
  if (isSqlite(databaseUrl))
    return {
      lines: ['# The first start makes the master secret in the file secret of dataDir: keep a copy beside the backups.'],
      files: [],
    }
  const path = secretFileOf(dataDir)
  return {
    lines: ['# The master secret. Every node needs the same one: keep a copy beside the backups.', `secretFile: ${quoted(path)}`],
    files: existsSync(path) ? [] : [{ path, text: `${random.token(64)}\n` }],
  }
}

/** Makes the text of the configuration file, and the files for its secrets. */
export const describeFile = (answers: Answers): { readonly text: string; readonly files: Placed['files'] } => {
  const database = placed('databaseUrl', answers.databaseUrl, join(answers.dataDir, 'database-url'))
  const smtp =
    answers.smtpUrl === ''
      ? {
          lines: ['# Without smtpUrl each mail becomes a file in the directory outbox of dataDir, and reaches nobody.'],
          files: [],
        }
      : placed('smtpUrl', answers.smtpUrl, join(answers.dataDir, 'smtp-url'))
  const secret = masterSecretOf(answers)
  const lines = [
    '# Configuration of gatehouse, made by: gatehouse init',
    '# All keys with their meaning: docs/reference/config.md in the checkout of gatehouse. After a change:',
    `#   gatehouse check-config --config ${inShell(answers.file)}`,
    '# says what is wrong; a restart of the daemon reads the file again.',
    '',
    '# Public address and issuer. Links, cookies and tokens carry it: choose it before the first application is connected.',
    `url: ${quoted(answers.url)}`,
    ...(answers.allowInsecureUrl
      ? ['# Passwords and cookies travel in the clear: for closed networks only.', 'http: { allowInsecureUrl: true }']
      : []),
    '',
    isLoopbackUrl(answers.url)
      ? '# Where the daemon listens.'
      : '# Where the daemon listens: a reverse proxy passes on to it what comes for the public address.',
    `host: ${quoted(answers.host)}`,
    `port: ${answers.port}`,
    ...(answers.trustedProxies.length === 0
      ? []
      : ['# Proxies whose x-forwarded-for is believed.', `trustedProxies: [${answers.trustedProxies.map(quoted).join(', ')}]`]),
    '',
    `# Directory for secrets${isSqlite(answers.databaseUrl) ? ', the SQLite file' : ''} and, without a mail server, mails.`,
    `dataDir: ${quoted(answers.dataDir)}`,
    ...database.lines,
    ...secret.lines,
    '',
    '# Mail.',
    `mailFrom: ${quoted(answers.mailFrom)}`,
    ...smtp.lines,
  ]
  return { text: `${lines.join('\n')}\n`, files: [...database.files, ...secret.files, ...smtp.files] }
}

const fileExists = (path: string) =>
  new StartError('FILE_EXISTS', `${path} exists, and nothing was written. Name another file, or overwrite it with --force.`)

/**
 * Writes the configuration file and the files for its secrets (mode 0600), and returns their paths. Throws `StartError` if a file exists
 * and may not be replaced, and `ConfigError` if gatehouse could not start with the configuration.
 */
export const writeConfiguration = (answers: Answers, mayReplace: boolean): readonly string[] => {
  const { text, files } = describeFile(answers)
  if (!mayReplace && existsSync(answers.file)) throw fileExists(answers.file)
  makeDirectory(answers.dataDir)
  for (const secret of files) placeFile(secret.path, secret.text, { random, mayReplace: true })
  const beforehand = (draft: string) => void loadConfig(configSchema, { file: draft, env: {} })
  try {
    placeFile(answers.file, text, { random, mayReplace, beforehand })
  } catch (error) {
    throw (error as { code?: string }).code === 'EEXIST' ? fileExists(answers.file) : error
  }
  return [answers.file, ...files.map(({ path }) => path)]
}
