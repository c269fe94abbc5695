import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatTree, setPath, type Tree } from '../core/config-file.ts'
import { makeDirectory } from '../core/files.ts'
import type { Setting } from '../core/settings.ts'
import { inShell } from '../core/terminal.ts'
import type { Header } from './rules/format.ts'

/** Configuration keys whose values depend on the machine. A restored instance needs its own values. */
const ofThePlace = new Set(['dataDir', 'databaseUrl', 'database.pooler'])

/** True if the value contains a URL from which the password was removed. */
const hidesPassword = (value: unknown) => JSON.stringify(value).includes(':…@')

/**
 * The configuration that a backup contains: all values that are not in the database and not secret, and the names of the keys with secret
 * values.
 */
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
  /** The command that starts the restored instance. It works in the directory in which `restore` was called. */
  readonly command: string
  /**
   * The path of the file with the configuration from the backup. Undefined if `restore` was called with a configuration, or if the backup
   * contains none.
   */
  readonly file: string | undefined
}

export interface Restoring {
  readonly header: Header
  /** The settings that `restore` was called with. */
  readonly settings: readonly Setting[]
  readonly dataDir: string
  readonly url: string
  /** The file for the master secrets that the option `--secret-to` named. */
  readonly secretFile: string | undefined
}

/**
 * Returns the command that starts a restored instance. It contains the options with which `restore` was called. If URL or configuration
 * were not given, it contains those of the backup. The backup's configuration is then written to the data directory, readable only by its
 * owner.
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
