import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatTree, setPath, type Tree } from '../core/config-file.ts'
import { makeDirectory } from '../core/files.ts'
import type { Setting } from '../core/settings.ts'
import { inShell } from '../core/terminal.ts'
import type { Header } from './rules/format.ts'

/** Keys that depend on the machine. A restored instance has its own values for them. */
const ofThePlace = new Set(['dataDir', 'databaseUrl', 'database.pooler'])

/** True for a value with an address whose password was removed. */
const hidesPassword = (value: unknown) => JSON.stringify(value).includes(':…@')

/** The configuration outside of the database, which a backup includes: the values that are not secret, and the names of the secret keys. */
export const describeConfiguration = (settings: readonly Setting[]): Pick<Header, 'configuration' | 'secrets'> => {
  const set = settings.filter(({ source, isSet }) => source !== 'default' && source !== 'database' && isSet)
  const isSecret = ({ isSecret: is, value }: Setting) => is || hidesPassword(value)
  return {
    configuration: Object.fromEntries(
      set.filter((one) => !isSecret(one)).map(({ key, value }) => [key, value as Header['configuration'][string]]),
    ),
    secrets: set.filter(isSecret).map(({ key }) => key),
  }
}

export interface Start {
  /** The start command of the restored instance, for the directory where `restore` was called. */
  readonly command: string
  /** The file with the configuration of the backup. Undefined if `restore` was given a configuration, or if the backup has none. */
  readonly file: string | undefined
}

export interface Restoring {
  readonly header: Header
  /** The settings of `restore`. */
  readonly settings: readonly Setting[]
  readonly dataDir: string
  readonly url: string
  /** The file that `--secret-to` named. */
  readonly secretFile: string | undefined
}

/**
 * Returns the command that starts a restored instance. It contains the options of `restore`; where an option was missing, it contains the
 * address and configuration of the backup. Writes that configuration to the data directory, readable by its owner only.
 */
export const prepareStart = ({ header, settings, dataDir, url, secretFile }: Restoring): Start => {
  const isGiven = (name: string) => settings.some(({ key, source }) => key === name && source !== 'default')
  const given = settings.find(({ source }) => source === 'file')?.from ?? undefined
  const tree: Tree = {}
  for (const [key, value] of Object.entries(header.configuration)) if (!ofThePlace.has(key)) setPath(tree, key.split('.'), value)
  const file = given === undefined && Object.keys(tree).length > 0 ? resolve(dataDir, 'restored.yaml') : undefined
  if (file !== undefined) {
    const missing = header.secrets.filter((key) => key !== 'secret' && !ofThePlace.has(key))
    const secrets = missing.length === 0 ? [] : [`# Its secrets are not here, and have to be set: ${missing.join(', ')}.`]
    makeDirectory(dataDir)
    writeFileSync(file, [`# Configuration of the backup of ${header.madeAt}.`, ...secrets, formatTree(tree)].join('\n'), {
      mode: 0o600,
    })
  }
  const config = given ?? file
  const flags = settings.filter(({ source }) => source === 'flag').map(({ from, value }) => `${from} ${inShell(String(value))}`)
  const isNamed = isGiven('url') || url === header.url || (file !== undefined && header.configuration['url'] !== undefined)
  const words = [
    ...(config === undefined ? [] : [`--config ${inShell(config)}`]),
    ...(isNamed ? [] : [`--url ${inShell(header.url)}`]),
    ...flags,
  ]
  const secret = secretFile === undefined ? '' : `GATEHOUSE_SECRET_FILE=${inShell(resolve(secretFile))} `
  return { command: `${secret}gatehouse serve${words.map((word) => ` ${word}`).join('')}`, file }
}
