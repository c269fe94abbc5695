import { decodeText } from '../../../core/input-text.ts'
import { blamingFlag, UsageError } from '../../../core/terminal.ts'
import { type Metadata, protocolMetadata } from '../../metadata/contract.ts'
import { fields, isTranslated, readFields, readUsage, type Sent, type SentMetadata } from '../../registration/rules.ts'
import { readFlagFile } from './logo.ts'

const flag = '--metadata'

const refusals = ['INVALID_REGISTRATION', 'INVALID_REGISTERED_ADDRESS', 'INVALID_CLIENT_METADATA', 'INVALID_REDIRECT_URI']

/** Reports an invalid value in the file as wrong usage of the command. */
export const blamingMetadata = <T>(work: () => T | Promise<T>): Promise<T> =>
  refusals.reduce<() => T | Promise<T>>((inner, code) => () => blamingFlag(flag, code, inner), work)() as Promise<T>

/**
 * Reads a file with metadata. The names are those of docs/reference/client-metadata.md. Throws `StartError`. Throws `UsageError`, also
 * for a name that is neither a field nor listed in `more`.
 */
const readMetadataFile = (path: string, more: readonly string[]): Sent => {
  const content = readFlagFile(flag, path)
  let sent: unknown
  try {
    sent = JSON.parse(decodeText(content))
  } catch (error) {
    throw new UsageError(`${flag}: ${path} is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw new UsageError(`${flag}: ${path} is no object`)
  const known = new Set([...fields.map(([, { wire }]) => wire), ...more])
  const unknown = Object.keys(sent).find((name) => !known.has(name) && !isTranslated(name.split('#', 1)[0] ?? ''))
  if (unknown !== undefined)
    throw new UsageError(`${flag}: ${unknown} cannot be said here (docs/reference/client-metadata.md has the names)`)
  return sent as Sent
}

/** Reads the metadata of a new client. With `hasType`, neither the type nor the fields that follow from it are read from the file. */
export const readNewClient = (path: string, redirectUris: readonly string[], hasType: boolean) =>
  blamingMetadata((): Partial<Metadata> & Partial<Pick<SentMetadata, 'type' | 'grantTypes'>> => {
    const sent = readMetadataFile(path, Object.keys(protocolMetadata))
    const said = readFields(sent)
    return hasType ? said : { ...said, ...readUsage(sent, redirectUris.length > 0 ? redirectUris : (said.redirectUris ?? [])) }
  })

/** Reads changes from the file. Null removes a value. */
export const readChanges = (path: string): Promise<Partial<Metadata>> =>
  blamingMetadata(() => {
    const sent = readMetadataFile(path, [])
    const nulls = fields.filter(([, { wire, schema }]) => sent[wire] === null && schema.safeParse(null).success)
    return { ...readFields(sent), ...Object.fromEntries(nulls.map(([field]) => [field, null])) }
  })
