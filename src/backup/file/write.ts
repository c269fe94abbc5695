import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createSha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { makeDirectory } from '../../core/files.ts'
import { systemFailureOf } from '../../core/system-failure.ts'
import { backupErrors } from '../contract.ts'
import { formatVersion } from '../rules/format.ts'
import { encodeTrailer } from './trailer.ts'

const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten
}

/** Flushes a directory to disk, so that a new file name in it survives a power failure. */
const syncDirectory = async (directory: string) => {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } catch {
    // Some file systems cannot flush a directory, so an error is ignored.
  } finally {
    await handle.close()
  }
}

/** Suffix of the name of a file that is not complete yet. */
export const partialSuffix = '.partial'

const explain = (error: unknown, path: string): unknown => {
  const { code } = error as { code?: string }
  if (error instanceof AppError || code === undefined || !/^(E[A-Z]+)$/.test(code)) return error
  const problem = systemFailureOf(error)?.problem
  const why = code === 'ENOENT' ? 'the directory does not exist' : problem === undefined ? code : `it ${problem}`
  return backupErrors.error('BACKUP_NOT_WRITTEN', { message: `The backup ${path} was not written: ${why}.` })
}

/** Makes the directory for backups if it does not exist. Only its owner can read it. Throws BACKUP_NOT_WRITTEN. */
export const makeBackupDirectory = (directory: string): void => {
  try {
    makeDirectory(directory)
  } catch (error) {
    throw explain(error, directory)
  }
}

export interface Written {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

interface Writing {
  readonly to: string
  readonly random: string
  readonly lines: AsyncIterable<string>
  readonly sign: (sha256: string) => string
  /** Verifies the complete file before it gets its final name. If it throws, the file is deleted. */
  readonly verify: (file: string) => Promise<unknown>
  /** Aborts the writing of the backup. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes a backup (mode 0600) under a temporary name, flushes it to disk, verifies it, and then gives it its final name. Throws
 * BACKUP_FILE_EXISTS and BACKUP_NOT_WRITTEN, and the errors of `lines` and `verify`.
 */
export const writeBackupFile = async ({ to, random, lines, sign, verify, signal }: Writing): Promise<Written> => {
  const path = resolve(to)
  if (existsSync(path))
    throw backupErrors.error('BACKUP_FILE_EXISTS', { message: `${path} exists already. Choose another name.` })
  const draft = join(dirname(path), `.${basename(path)}.${random}${partialSuffix}`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      const hash = createSha256()
      let bytes = 0
      const write = async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          hash.update(chunk)
          bytes += chunk.length
          await writeAll(file, chunk)
        }
      }
      // Each chunk is a batch of rows. Only one chunk is held in memory at a time.
      const text = Readable.from(lines, { highWaterMark: 1 })
      await pipeline(text, createGzip(), write, signal === undefined ? {} : { signal })
      const sha256 = hash.digest()
      const trailer = encodeTrailer({ gatehouseBackupEnd: formatVersion, sha256, mac: sign(sha256) })
      await writeAll(file, trailer)
      await file.sync()
      await verify(draft)
      await rename(draft, path)
      await syncDirectory(dirname(path))
      return { file: path, bytes: bytes + trailer.length, sha256 }
    } finally {
      await file.close()
    }
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw explain(error, path)
  }
}
