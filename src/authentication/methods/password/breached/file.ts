import { type FileHandle, open, stat } from 'node:fs/promises'
import { createSha256 } from '../../../../core/crypto.ts'
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

const advice = 'make it anew with gatehouse import-breached'

/** Opens and checks a file, all of which it reads once. Throws `BreachedListError`, whose message names the file and what to do. */
export const openBloomFile = async (path: string): Promise<BloomFile> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`
    throw new BreachedListError(`${path} ${why}: ${advice}`, { cause: error })
  })
  try {
    const header = await check(file)
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

/** Asks the file at `path`, whatever file is there: a new one takes the place of the old one without a restart. */
export const createFileList = (path: string) => {
  let opened: { readonly identity: string; readonly file: Promise<BloomFile> } | undefined

  const current = async (): Promise<BloomFile> => {
    const identity = await stat(path).then(
      ({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(':'),
      () => 'none',
    )
    if (opened?.identity !== identity) {
      const before = opened
      opened = { identity, file: openBloomFile(path) }
      // Look-ups that run have their block before it closes. A file that did not open has nothing to close.
      before?.file.then((file) => file.close()).catch(() => undefined)
    }
    return opened.file
  }

  return {
    /** Throws `BreachedListError` while there is no file that can be used. */
    has: async (digest: Buffer): Promise<boolean> => (await current()).has(digest),
    /** Throws the same. */
    probe: async (): Promise<void> => void (await current()),
  }
}
