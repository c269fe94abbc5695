import { accessSync, constants, existsSync, linkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { createSecrets } from '../core/crypto.ts'
import { placeFile } from '../core/files.ts'
import { masterSecrets, secretFileOf } from '../core/master-secret.ts'
import { openWithPassphrase, sealWithPassphrase } from '../core/passphrase.ts'
import type { Random } from '../core/random.ts'
import { StartError } from '../core/start.ts'
import { fileProblem } from '../core/system-failure.ts'
import { backupErrors } from './contract.ts'
import type { BackupContent } from './file/read.ts'
import { type Header, keysContext } from './rules/format.ts'

const Secrets = z.array(z.string()).min(1).max(10)

export const sealKeys = (secrets: readonly string[], passphrase: string, random: Random) =>
  sealWithPassphrase(JSON.stringify(secrets), passphrase, keysContext, random)

const openKeys = async (keys: NonNullable<Header['keys']>, passphrase: string): Promise<readonly string[]> => {
  const text = await openWithPassphrase(keys, passphrase, keysContext)
  if (text === undefined)
    throw backupErrors.error('WRONG_PASSPHRASE', {
      message: 'The passphrase is not the one that the master secret of this backup is sealed under. Nothing was restored.',
    })
  return Secrets.parse(JSON.parse(text))
}

type Fitting = Pick<BackupContent, 'header' | 'total' | 'trailer'>

/** Explains why these master secrets cannot open the sealed values of a backup. Undefined if they can. */
const misfitOf = (secrets: readonly string[], { header, total, trailer }: Fitting, random: Random): string | undefined => {
  const { ids, isSigned } = createSecrets(secrets, random)
  const needed = [...new Set([...header.secretIds.slice(0, 1), ...total.sealedWith])]
  const missing = needed.filter((id) => !ids.includes(id))
  if (missing.length > 0)
    return `it needs the master secret ${missing.join(' and ')}, and the configured ones are ${ids.join(' and ')}`
  if (!isSigned('backup', trailer.sha256, trailer.mac, Number.POSITIVE_INFINITY))
    return 'the master secret has not signed this file: it was written or changed elsewhere'
  return undefined
}

interface Place {
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
  readonly secret: readonly string[]
}

export interface Choice {
  /** Master secrets from the backup. Undefined if they are not needed. */
  readonly secrets: readonly string[] | undefined
  /** True if the configured master secrets can open the backup. */
  readonly isConfigured: boolean
  /** The file to which the master secrets have to be written. Undefined if they already exist. */
  readonly writeTo: string | undefined
}

interface Wanted {
  readonly content: Fitting
  readonly place: Place
  /** True to ignore the master secrets in the backup. */
  readonly withoutKeys: boolean
  /** The file to which the master secrets of the backup are to be written. */
  readonly secretTo: string | undefined
  readonly random: Random
  readonly askPassphrase: () => Promise<string>
}

const refuse = (why: string, advice: string) =>
  backupErrors.error('MASTER_SECRET_DOES_NOT_FIT', {
    message: `The backup cannot be restored here: ${why}. ${advice} Nothing was restored.`,
  })

/** Checks before the restore that the file for the master secrets can be created. Throws `StartError`. */
const requireDirectory = (directory: string): void => {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError('FILE_NOT_USABLE', `--secret-to: ${fileProblem(error, directory)}. Nothing was restored.`, error)
  }
}

/**
 * Decides which master secrets a restore uses, and checks that they fit before anything is written. If master secrets are configured, it
 * uses these. Otherwise it uses those in the backup, which the passphrase opens. Throws MASTER_SECRET_DOES_NOT_FIT and WRONG_PASSPHRASE.
 */
export const chooseSecrets = async ({
  content,
  place,
  withoutKeys,
  secretTo,
  random,
  askPassphrase,
}: Wanted): Promise<Choice> => {
  const { header } = content
  const isSqlite = place.databaseUrl?.startsWith('postgres') !== true
  const keys = withoutKeys ? null : header.keys
  const file = secretFileOf(place.dataDir)
  const isConfigured = place.secret.length > 0
  const known = isConfigured
    ? place.secret
    : isSqlite && existsSync(file)
      ? masterSecrets({ ...place, secret: [] }, random)
      : undefined
  const misfit = known === undefined ? 'no master secret is configured' : misfitOf(known, content, random)
  if (misfit === undefined && secretTo === undefined) return { secrets: undefined, isConfigured: true, writeTo: undefined }
  if (keys === null || (isConfigured && misfit !== undefined))
    throw refuse(
      misfit ?? 'it holds no master secret for --secret-to',
      `Set GATEHOUSE_SECRET to that of the instance that was backed up (${header.url}).`,
    )
  const secrets = await openKeys(keys, await askPassphrase())
  const ownMisfit = misfitOf(secrets, content, random)
  if (ownMisfit !== undefined) throw refuse(ownMisfit, 'Use another backup.')
  const writeTo = secretTo ?? (isSqlite ? file : undefined)
  if (writeTo === undefined)
    throw refuse(
      'GATEHOUSE_SECRET is not set',
      'Pass --secret-to <file> to have the master secret of the backup written there, and start gatehouse with GATEHOUSE_SECRET_FILE=<file>.',
    )
  if (secretTo !== undefined) requireDirectory(dirname(resolve(secretTo)))
  if (secretTo !== undefined && existsSync(secretTo))
    throw backupErrors.error('BACKUP_FILE_EXISTS', {
      message: `${resolve(secretTo)} exists already. Choose another file with --secret-to.`,
    })
  return { secrets, isConfigured, writeTo }
}

/**
 * Writes master secrets to a file that only its owner can read, either completely or not at all. If the file exists with other secrets,
 * it is renamed, and its new name is returned.
 */
export const writeSecrets = async (path: string, secrets: readonly string[], random: Random): Promise<string | undefined> => {
  const text = `${secrets.join('\n')}\n`
  if (!existsSync(path)) {
    placeFile(path, text, { random })
    return undefined
  }
  if ((await readFile(path, 'utf8')) === text) return undefined
  const kept = `${path}.before-restore-${random.token(6)}`
  placeFile(path, text, { random, mayReplace: true, beforehand: () => linkSync(path, kept) })
  return kept
}
