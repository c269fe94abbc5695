import { type FileHandle, open } from 'node:fs/promises'
import type { EventReader } from '../../core/events/readers.ts'
import { copied } from './line.ts'

const lineFeed = 10

/** True when the last line of the file is incomplete, after a full disk or a power failure. */
const isTorn = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== lineFeed
}

/**
 * Appends events to a file as JSON Lines. It opens the file for each batch, so that a new file begins after log rotation has renamed the
 * old one.
 */
export const fileCopy = (path: string): EventReader => {
  const lines: string[] = []
  return {
    name: 'file',
    startsAt: 'newest',
    handle: async (event, position, hash) => void lines.push(`${JSON.stringify(copied(event, position, hash))}\n`),
    flush: async () => {
      const text = lines.splice(0).join('')
      // O_APPEND: the lines do not overwrite what another process writes meanwhile.
      const file = await open(path, 'a+', 0o600)
      try {
        await file.appendFile((await isTorn(file)) ? `\n${text}` : text)
        await file.datasync()
      } finally {
        await file.close()
      }
    },
  }
}
