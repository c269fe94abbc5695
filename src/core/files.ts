import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Random } from './random.ts'
import { systemFailureOf } from './system-failure.ts'

const topmostMissing = (path: string): string => {
  const above = dirname(path)
  return existsSync(above) ? path : topmostMissing(above)
}

/** Creates a directory (0700) and the missing directories above it. Throws the errors of the file system. */
export const makeDirectory = (directory: string): void => {
  const make = () => mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    make()
  } catch (error) {
    // For several missing directories, Node reports unknown errors, such as a read-only file system, as ENOENT. For a single one it
    // reports the reason.
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    mkdirSync(topmostMissing(resolve(directory)), { mode: 0o700 })
    make()
  }
}

interface Placing {
  readonly random: Random
  /** Replaces an existing file. */
  readonly mayReplace?: boolean
  /** Receives the complete file before it is renamed. After an error no file is left. */
  readonly beforehand?: (draft: string) => void
}

/**
 * Writes a file (0600) under a temporary name, and renames it when it is complete and on disk. So readers never see half a file, and a
 * failed write leaves nothing. Throws the system's errors about the file; EEXIST if a file exists that may not be replaced.
 */
export const placeFile = (path: string, text: string, { random, mayReplace = false, beforehand }: Placing): void => {
  const draft = `${path}.${random.token(8)}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    beforehand?.(draft)
    if (mayReplace) renameSync(draft, path)
    else linkSync(draft, path)
  } catch (error) {
    if (systemFailureOf(error) === undefined) throw error
    throw Object.assign(error as Error, { path })
  } finally {
    rmSync(draft, { force: true })
  }
}
