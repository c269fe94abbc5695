import { mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const enoughBytes = 4 * 2 ** 30

/** True if the machine has a file system in memory with enough room. */
export const hasMemoryForFiles = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return Math.min(bavail * bsize, freemem()) >= enoughBytes
  } catch {
    return false
  }
}

/**
 * The directory for test files, in memory if there is room. A new database consists of hundreds of files, which is half a second of work
 * for a disk. It is chosen once for the run, so that the databases that workers copy are on the same file system as the copies.
 * `GATEHOUSE_TEST_SCRATCH` can name another directory.
 */
process.env['GATEHOUSE_TEST_SCRATCH'] ??= hasMemoryForFiles() ? inMemory : tmpdir()

/** Makes a directory for databases and data of a test. The caller removes it. */
export const scratchDirectory = (prefix: string): string =>
  mkdtempSync(join(process.env['GATEHOUSE_TEST_SCRATCH'] ?? tmpdir(), prefix))
