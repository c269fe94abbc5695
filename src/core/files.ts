import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Random } from './random.ts'
import { systemFailureOf } from './system-failure.ts'

const topmostMissing = (path: string): string => {
  const above = dirname(path)
  return existsSync(above) ? path : topmostMissing(above)
}

/** Creates a directory (mode 0700) and the missing directories above it. Throws the errors of the file system. */
export const makeDirectory = (directory: string): void => {
  const make = () => mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    make()
  } catch (error) {
    // When Node creates several directories at once, it reports some errors, such as a read-only file system, as ENOENT. When it creates
    // a single directory, it reports the true reason.
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    mkdirSync(topmostMissing(resolve(directory)), { mode: 0o700 })
    make()
  }
}

interface Placing {
  readonly random: Random
  /** True if an existing file may be replaced. */
  readonly mayReplace?: boolean
  /** Called with the name of the complete temporary file, before it gets its final name. If it throws, no file is left. */
  readonly beforehand?: (draft: string) => void
}

/**
 * Writes a file (mode 0600). It is written under a temporary name, and gets its final name when it is complete and on disk. So readers
 * never see half a file, and a failed write leaves nothing. Throws the errors of the file system, and EEXIST if the file exists and must
 * not be replaced.
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
