import { chmodSync, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeDirectory, placeFile } from './files.ts'
import { readTextFile } from './input-text.ts'
import type { Random } from './random.ts'
import { StartError } from './start.ts'
import { fileProblem } from './system-failure.ts'

const advice = 'make one with: openssl rand -base64 48'
const placeholders =
  /change|me|this|please|replace|with|your|my|the|own|super|very|long|master|gatehouse|secret|password|passwd|example|default|insecure|test|dev|key|here|string|random|x+|0+/gi

/** True for a text that can only be a placeholder: it consists of words such as "secret" and punctuation, or of very few different characters. */
const isPlaceholder = (secret: string): boolean => {
  const left = secret.replace(placeholders, '')
  return (left !== secret && !/[\p{L}]/u.test(left)) || new Set(secret).size < 10
}

/** Describes what is wrong with a list of master secrets, newest first. The returned texts never contain a secret. */
export const secretProblems = (secrets: readonly string[]): readonly string[] => [
  ...(secrets.length > 10 ? ['at most 10 secrets'] : []),
  ...(secrets.some((secret) => secret.length < 32) ? [`at least 32 characters; ${advice}`] : []),
  ...(new Set(secrets).size === secrets.length ? [] : ['must not hold the same secret twice']),
  ...(secrets.some(isPlaceholder) ? [`looks like a placeholder; ${advice}`] : []),
]

/** Creates the file with a generated master secret. If two processes do so at the same time, both use the file of the first one. */
const createSecretFile = (file: string, random: Random) => {
  try {
    placeFile(file, `${random.token(64)}\n`, { random })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

/** The path of the file with the master secrets, which is used if none are configured. It has one secret on each line, newest first. */
export const secretFileOf = (dataDir: string): string => join(dataDir, 'secret')

const modeOf = (file: string): number => statSync(file).mode & 0o777

/**
 * True if changing the mode of the file would have an effect. It would have none if the file belongs to another user, or is on a volume
 * that is read-only or has no modes.
 */
const canBeChanged = (file: string, mode: number): boolean => {
  try {
    chmodSync(file, mode & 0o770)
    const isChanged = (modeOf(file) & 0o007) === 0
    chmodSync(file, mode)
    return isChanged
  } catch {
    return false
  }
}

interface Place {
  readonly secret: readonly string[]
  readonly dataDir: string
}

/**
 * If other users can read the file with the generated master secret: its path and mode. Undefined otherwise. A volume may give a group
 * access each time it is mounted, as `fsGroup` of Kubernetes does.
 */
export const readableSecret = ({ secret, dataDir }: Place): { readonly file: string; readonly mode: string } | undefined => {
  const file = resolve(secretFileOf(dataDir))
  if (secret.length > 0 || !existsSync(file)) return undefined
  const mode = modeOf(file)
  return (mode & 0o077) === 0 ? undefined : { file, mode: mode.toString(8) }
}

const readSecrets = (file: string): readonly string[] => {
  try {
    return readTextFile(file)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  } catch (error) {
    throw new StartError('SECRET_NOT_USABLE', `The master secret: ${fileProblem(error, resolve(file))}.`, error)
  }
}

/**
 * The master secrets, newest first. If none are configured, they are read from the file `secret` in the data directory. At the first
 * start this file is created (mode 0600). Throws `StartError` for a weak secret, and for a file that every user can read although its
 * mode could be changed.
 */
export const masterSecrets = (config: Place, random: Random): readonly string[] => {
  if (config.secret.length > 0) return config.secret
  makeDirectory(config.dataDir)
  const file = secretFileOf(config.dataDir)
  if (!existsSync(file)) createSecretFile(file, random)
  const secrets = readSecrets(file)
  const mode = modeOf(file)
  const isOpen = (mode & 0o007) !== 0 && canBeChanged(file, mode)
  const problems = [
    ...(isOpen ? [`can be read by everybody (mode ${mode.toString(8)}); run: chmod 600 ${resolve(file)}`] : []),
    ...(secrets.length === 0 ? ['is missing; put the one of this instance back'] : secretProblems(secrets)),
  ]
  if (problems.length > 0) throw new StartError('SECRET_NOT_USABLE', `The secret in ${resolve(file)}: ${problems.join('; ')}`)
  return secrets
}
