import { closeSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { passwordErrors } from '../contract.ts'
import { type BreachedHeader, encodeHeader, headerBytes } from './header.ts'
import { createLineReader } from './lines.ts'
import { pagesOf } from './pages.ts'
import { createSorter } from './sorting.ts'

export interface ImportOptions {
  /** The list as lines of the form `SHA1:COUNT`, in any order. */
  readonly source: AsyncIterable<Buffer>
  /** The path of the output file. An existing file is replaced only when the new file is complete. */
  readonly output: string
  /** Hashes whose count is smaller are left out. */
  readonly minimumCount: number
  readonly createdAt: Date
  /**
   * Called after each million lines and each million written hashes, with a text about the progress. At the end it is called with an
   * empty text.
   */
  readonly onProgress: (text: string) => void
}

const between = 1_000_000

/**
 * Writes hashes to a new file at `path`, in ascending order and without repetitions. Returns the header of the file, with the number of
 * hashes.
 */
const write = async (
  path: string,
  hashes: Iterable<bigint>,
  about: Omit<BreachedHeader, 'entries'>,
  onProgress: ImportOptions['onProgress'],
): Promise<BreachedHeader> => {
  let [entries, last] = [0, -1n]
  function* distinct() {
    for (const hash of hashes) {
      if (hash === last) continue
      last = hash
      entries += 1
      if (entries % between === 0) onProgress(`writing: ${entries} hashes`)
      yield hash
    }
  }
  const file = await open(path, 'wx', 0o600)
  try {
    await file.write(Buffer.alloc(headerBytes))
    await file.writeFile(pagesOf(distinct()))
    const header = { entries, ...about }
    await file.write(encodeHeader(header), 0, headerBytes, 0)
    await file.sync()
    return header
  } finally {
    await file.close()
  }
}

/**
 * Converts a list of breached passwords into the file for `password.breached.file`. At most two million hashes are in memory. The other
 * hashes are on disk next to the output, with 8 bytes for each. Throws BREACHED_LIST_IS_INVALID; the error names the wrong line.
 */
export const importBreached = async (options: ImportOptions): Promise<BreachedHeader> => {
  const { source, output, minimumCount, createdAt, onProgress } = options
  const directory = mkdtempSync(`${output}.importing-`)
  const spool = openSync(join(directory, 'hashes'), 'wx+', 0o600)
  try {
    const { add, sorted } = createSorter(spool)
    let [hashes, told] = [0, 0]
    const reader = createLineReader((digest, count) => {
      if (count < minimumCount) return
      hashes += 1
      add(digest.readBigUInt64BE())
    })
    for await (const chunk of source) {
      reader.push(chunk)
      if (reader.lines() < told + between) continue
      told = reader.lines()
      onProgress(`${told} lines, ${hashes} hashes`)
    }
    reader.end()
    if (hashes === 0)
      throw passwordErrors.error('BREACHED_LIST_IS_INVALID', {
        message: `The list has no hash that was seen ${minimumCount} times or more`,
      })
    const complete = join(directory, 'complete')
    const header = await write(complete, sorted(), { minimumCount, createdAt: createdAt.toISOString() }, onProgress)
    renameSync(complete, output)
    return header
  } finally {
    onProgress('')
    closeSync(spool)
    rmSync(directory, { recursive: true, force: true })
  }
}
