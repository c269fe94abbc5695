import { type FileHandle, open } from 'node:fs/promises'
import { createSha256 } from '../../../../core/crypto.ts'
import { fileProblem } from '../../../../core/system-failure.ts'
import { blockBytes, blockOf, isIn } from './bloom.ts'
import { type BloomHeader, BreachedListError, decodeHeader, headerBytes } from './header.ts'

/** An open file of breached passwords, of which a look-up reads one block. */
export interface BloomFile {
  readonly header: BloomHeader
  has(digest: Buffer): Promise<boolean>
  close(): Promise<void>
}

const chunkBytes = 1024 * 1024

const readAt = async (file: FileHandle, length: number, position: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const hashOf = async (file: FileHandle, from: number, to: number): Promise<string> => {
  const hash = createSha256()
  for (let at = from; at < to; ) {
    const chunk = await readAt(file, Math.min(chunkBytes, to - at), at)
    if (chunk.length === 0) break
    hash.update(chunk)
    at += chunk.length
  }
  return hash.digest()
}

const check = async (file: FileHandle): Promise<BloomHeader> => {
  const header = decodeHeader(await readAt(file, headerBytes, 0))
  const length = headerBytes + header.blocks * blockBytes
  const { size } = await file.stat()
  if (size !== length) throw new BreachedListError(`is damaged: it has ${size} bytes, where its header says ${length}`)
  if ((await hashOf(file, headerBytes, length)) !== header.sha256)
    throw new BreachedListError('is damaged: its content does not fit its checksum')
  return header
}

const advice = 'make it anew with import-breached'

/**
 * Opens a file and checks it, all of which is read for that unless `headerOf` knows the header. Throws `BreachedListError`, whose message names the
 * file and what to do.
 */
export const openBloomFile = async (path: string, headerOf = check): Promise<BloomFile> => {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new BreachedListError(`${fileProblem(error, path)}: ${advice}`, { cause: error })
  })
  try {
    const header = await headerOf(file)
    return {
      header,
      has: async (digest) => {
        const block = await readAt(file, blockBytes, headerBytes + blockOf(digest, header) * blockBytes)
        if (block.length < blockBytes) throw new BreachedListError(`${path} has become shorter: ${advice}`)
        return isIn(block, digest, header)
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error instanceof BreachedListError ? new BreachedListError(`${path} ${error.message}: ${advice}`) : error
  }
}

/**
 * Asks the file at `path`, whatever file is there: a new one takes the place of the old one without a restart. It is open only for as long as a
 * look-up takes, and read as a whole only when it is another one.
 */
export const createFileList = (path: string) => {
  let known: { readonly identity: string; readonly header: Promise<BloomHeader> } | undefined

  const headerOf = async (file: FileHandle): Promise<BloomHeader> => {
    const { dev, ino, size, mtimeMs } = await file.stat()
    const identity = [dev, ino, size, mtimeMs].join(':')
    // Who comes meanwhile waits for this check, whose file is open until it has ended.
    if (known?.identity !== identity) known = { identity, header: check(file) }
    return known.header
  }
  const ask = async <T>(question: (file: BloomFile) => Promise<T>): Promise<T> => {
    const file = await openBloomFile(path, headerOf)
    try {
      return await question(file)
    } finally {
      await file.close()
    }
  }

  return {
    /** Throws `BreachedListError` while there is no file that can be used. */
    has: (digest: Buffer): Promise<boolean> => ask((file) => file.has(digest)),
    /** Throws the same. */
    probe: (): Promise<void> => ask(async () => undefined),
  }
}
