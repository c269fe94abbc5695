import { decodeText } from '../../../core/input-text.ts'
import { blamingFlag, UsageError } from '../../../core/terminal.ts'
import { type Metadata, protocolMetadata } from '../../metadata/contract.ts'
import { fields, isTranslated, readFields, readUsage, type Sent, type SentMetadata } from '../../registration/rules.ts'
import { readFlagFile } from './logo.ts'

const flag = '--metadata'

const refusals = ['INVALID_REGISTRATION', 'INVALID_REGISTERED_ADDRESS', 'INVALID_CLIENT_METADATA', 'INVALID_REDIRECT_URI']

/** Runs `work`. An invalid value in the file is reported as wrong usage of the command. */
export const blamingMetadata = <T>(work: () => T | Promise<T>): Promise<T> =>
  refusals.reduce<() => T | Promise<T>>((inner, code) => () => blamingFlag(flag, code, inner), work)() as Promise<T>

/**
 * Reads a file with client metadata. The names of its fields are listed in docs/reference/client-metadata.md. Throws `StartError` if the
 * file cannot be read. Throws `UsageError` for an invalid file, and for a field that is neither metadata nor listed in `more`.
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

/**
 * Reads the metadata of a new client. If `hasType` is true, the type comes from a flag. The type and the fields that follow from it are
 * then not read from the file.
 */
export const readNewClient = (path: string, redirectUris: readonly string[], hasType: boolean) =>
  blamingMetadata((): Partial<Metadata> & Partial<Pick<SentMetadata, 'type' | 'grantTypes'>> => {
    const sent = readMetadataFile(path, Object.keys(protocolMetadata))
    const said = readFields(sent)
    return hasType ? said : { ...said, ...readUsage(sent, redirectUris.length > 0 ? redirectUris : (said.redirectUris ?? [])) }
  })

/** Reads changes of metadata from the file. The value null in the file removes the stored value. */
export const readChanges = (path: string): Promise<Partial<Metadata>> =>
  blamingMetadata(() => {
    const sent = readMetadataFile(path, [])
    const nulls = fields.filter(([, { wire, schema }]) => sent[wire] === null && schema.safeParse(null).success)
    return { ...readFields(sent), ...Object.fromEntries(nulls.map(([field]) => [field, null])) }
  })
