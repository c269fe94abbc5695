import { mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const enoughBytes = 4 * 2 ** 30

/** Whether the machine has a place in memory for files, with room. */
export const hasMemoryForFiles = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return Math.min(bavail * bsize, freemem()) >= enoughBytes
  } catch {
    return false
  }
}

/**
 * In memory, where there is room: making a database is hundreds of files, half a second of work for a disk. Chosen once for the run: what workers copy
 * lies beside its copies. `GATEHOUSE_TEST_SCRATCH` names another place.
 */
process.env['GATEHOUSE_TEST_SCRATCH'] ??= hasMemoryForFiles() ? inMemory : tmpdir()

/** A directory of its own for databases and data of a test; whoever makes it removes it. */
export const scratchDirectory = (prefix: string): string =>
  mkdtempSync(join(process.env['GATEHOUSE_TEST_SCRATCH'] ?? tmpdir(), prefix))
