/** Small file systems, for tests of full and read-only disks. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from './scratch.ts'

/** Mounts a small file system and returns its directory. Undefined if this machine does not allow it; tests that need it are then skipped. */
export const mountVolume = (): string | undefined => {
  const directory = scratchDirectory('gatehouse-mounted-')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', directory], { stdio: 'ignore' })
    return directory
  } catch {
    rmdirSync(directory)
    return undefined
  }
}

export const unmountVolume = (directory: string | undefined): void => {
  if (directory === undefined) return
  execFileSync('umount', ['--lazy', directory])
  rmdirSync(directory)
}

/** Makes a volume read-only, or writable again. */
export const remountVolume = (directory: string, mode: 'ro' | 'rw'): void => {
  execFileSync('mount', ['-o', `remount,${mode}`, directory])
}

/** Fills a volume to its last byte. Returns the path of the file that fills it. */
export const fillVolume = (directory: string): string => {
  const filler = join(directory, 'filler')
  const fd = openSync(filler, 'w')
  try {
    for (let size = 1_048_576; size >= 1; )
      try {
        writeSync(fd, Buffer.alloc(size))
      } catch {
        size = Math.floor(size / 2)
      }
  } finally {
    closeSync(fd)
  }
  return filler
}
