import { type FileHandle, open } from 'node:fs/promises'
import { fileProblem } from '../../../../core/system-failure.ts'
import { BreachedListError, decodeHeader, headerBytes } from './header.ts'
import { entriesInPage, isInPages, isWhole, pageBytes } from './pages.ts'

const advice = 'make it anew with import-breached'

const readAt = async (file: FileHandle, length: number, position: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const lookUp = async (file: FileHandle, digest: Buffer): Promise<boolean> => {
  const { entries } = decodeHeader(await readAt(file, headerBytes, 0))
  const pages = Math.ceil(entries / entriesInPage)
  const [{ size }, length] = [await file.stat(), headerBytes + pages * pageBytes]
  if (size !== length) throw new BreachedListError(`is damaged: it has ${size} bytes, where its header says ${length}`)
  return isInPages(digest, pages, async (index) => {
    const page = await readAt(file, pageBytes, headerBytes + index * pageBytes)
    if (!isWhole(page)) throw new BreachedListError('is damaged: its content does not fit its checksum')
    return page
  })
}

/** The highest possible digest. Looking it up reads the last page. That page is missing if the file was not copied completely. */
const highest = Buffer.alloc(20, 255)

/**
 * Looks up digests in the file at `path`. The file is opened for each look-up, so that a replaced file is used without a restart. Each
 * page that is read is verified.
 */
export const createFileList = (path: string) => {
  /**
   * True if the file contains the digest. Throws `BreachedListError` if the file cannot be used. The message names the file and says what
   * to do.
   */
  const has = async (digest: Buffer): Promise<boolean> => {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      return await lookUp(file, digest)
    } catch (error) {
      const problem = error instanceof BreachedListError ? `${path} ${error.message}` : fileProblem(error, path)
      throw new BreachedListError(`${problem}: ${advice}`, { cause: error })
    } finally {
      await file?.close()
    }
  }
  return {
    has,
    /** Checks the file. Throws `BreachedListError` if it cannot be used. */
    probe: async (): Promise<void> => void (await has(highest)),
  }
}
