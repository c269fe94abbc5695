import { existsSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Random } from './random.ts'
import { StartError } from './start.ts'

const advice = 'make one with: openssl rand -base64 48'
const placeholders =
  /change|me|this|please|replace|with|your|my|the|own|super|very|long|master|gatehouse|secret|password|passwd|example|default|insecure|test|dev|key|here|string|random|x+|0+/gi

/** True for text that is made of placeholder words and marks alone, or of hardly any different characters. */
const isPlaceholder = (secret: string): boolean => {
  const left = secret.replace(placeholders, '')
  return (left !== secret && !/[\p{L}]/u.test(left)) || new Set(secret).size < 10
}

/** What is wrong with a list of master secrets, newest first. Never holds a secret. */
export const secretProblems = (secrets: readonly string[]): readonly string[] => [
  ...(secrets.length > 10 ? ['at most 10 secrets'] : []),
  ...(secrets.some((secret) => secret.length < 32) ? [`at least 32 characters; ${advice}`] : []),
  ...(new Set(secrets).size === secrets.length ? [] : ['must not hold the same secret twice']),
  ...(secrets.some(isPlaceholder) ? [`looks like a placeholder; ${advice}`] : []),
]

/** Creates the data directory (0700) if it is missing. */
export const ensureDataDir = (dataDir: string): void => {
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/** Written aside and linked: another process never reads half a secret, and the first of two wins. */
const createSecretFile = (file: string, random: Random) => {
  const draft = `${file}.${random.token(8)}`
  writeFileSync(draft, `${random.token(64)}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}

/** Where the secret is when it is not configured: one a line, newest first. */
export const secretFileOf = (dataDir: string): string => join(dataDir, 'secret')

/**
 * The configured secrets, newest first, or those of the file `secret` in the data directory, which is made (0600) on first start.
 * Throws `StartError` for a file that others can read, and for what is no good secret.
 */
export const masterSecrets = (config: { secret: readonly string[]; dataDir: string }, random: Random): readonly string[] => {
  if (config.secret.length > 0) return config.secret
  ensureDataDir(config.dataDir)
  const file = secretFileOf(config.dataDir)
  if (!existsSync(file)) createSecretFile(file, random)
  const mode = statSync(file).mode & 0o777
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const problems = [
    ...((mode & 0o077) === 0 ? [] : [`can be read by others (mode ${mode.toString(8)}); run: chmod 600 ${resolve(file)}`]),
    ...(secrets.length === 0 ? ['is missing; put the one of this instance back'] : secretProblems(secrets)),
  ]
  if (problems.length > 0) throw new StartError('SECRET_NOT_USABLE', `The secret in ${resolve(file)}: ${problems.join('; ')}`)
  return secrets
}
