import { type FileHandle, open } from 'node:fs/promises'
import type { EventReader } from '../../core/events/readers.ts'
import { copied } from './line.ts'

const lineFeed = 10

/** True if the last line of the file is incomplete, which a full disk or a power failure can cause. */
const isTorn = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== lineFeed
}

/**
 * An event reader that appends events to a file as JSON Lines. It opens the file again for each batch. After log rotation has renamed the
 * file, it therefore begins a new one.
 */
export const fileCopy = (path: string): EventReader => {
  const lines: string[] = []
  return {
    name: 'file',
    startsAt: 'newest',
    handle: async (event, position, hash) => void lines.push(`${JSON.stringify(copied(event, position, hash))}\n`),
    flush: async () => {
      const text = lines.splice(0).join('')
      // The flag `a` (O_APPEND) makes the system append each write at the end, so that lines of another process are not overwritten.
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
