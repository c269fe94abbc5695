import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createSha256 } from '../../core/crypto.ts'
import { fileProblem } from '../../core/system-failure.ts'
import { backupErrors } from '../contract.ts'
import { AnyHeader, formatVersion, Header, maximumLine, type Total, type Trailer } from '../rules/format.ts'
import { type BackupSink, createParser, type ReadTable } from './parse.ts'
import { decodeTrailer, trailerLength } from './trailer.ts'

export interface BackupContent {
  readonly header: Header
  readonly tables: readonly ReadTable[]
  readonly total: Total
  readonly trailer: Trailer
  readonly bytes: number
}

const damaged = (path: string, what: string) =>
  backupErrors.error('BACKUP_DAMAGED', {
    message: `${path} is damaged or no backup: ${what}. Nothing was restored from it; use another copy or another backup.`,
  })

/** Splits a stream into lines. Yields groups of complete lines. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const rest = chunk.subarray(from, at)
      lines.push(parts.length === 0 ? rest : Buffer.concat([...parts, rest]))
      parts = []
      length = 0
      from = at + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maximumLine) throw new SyntaxError('a line without an end')
    if (lines.length > 0) yield lines
  }
  if (length > 0) throw new SyntaxError('the last line has no end')
}

/** Yields the bytes of a file up to the position `end`. */
async function* chunksOf(handle: FileHandle, end: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < end; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(65_536, end - position)), 0, undefined, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const sectionsOf = async (handle: FileHandle, path: string) => {
  const { size } = await handle.stat()
  if (size <= trailerLength) throw damaged(path, 'it is too short')
  const bytes = Buffer.alloc(trailerLength)
  await handle.read(bytes, 0, trailerLength, size - trailerLength)
  return { size, trailer: decodeTrailer(bytes), end: size - trailerLength }
}

const isOfFile = (error: unknown): boolean => {
  const { code, name } = error as { code?: string; name?: string }
  return error instanceof SyntaxError || name === 'ZodError' || (code?.startsWith('Z_') ?? false)
}

/**
 * Reads only the first line of a backup. If the line names another version of the format, the file is refused here, because the rest of
 * such a file may look different.
 */
const readHeader = async (handle: FileHandle, path: string): Promise<Header> => {
  let line: Buffer | undefined
  try {
    await pipeline(chunksOf(handle, maximumLine), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const [first] of splitLines(chunks)) {
        line = first
        return
      }
    })
  } catch (error) {
    // Reading stops after the first line, and the pipeline also reports that as an error. Such an error is ignored.
    if (line === undefined && !isOfFile(error)) throw error
  }
  try {
    const json: unknown = JSON.parse(line?.toString('utf8') ?? '')
    const { gatehouseBackup, gatehouse } = AnyHeader.parse(json)
    if (gatehouseBackup !== formatVersion)
      throw backupErrors.error('BACKUP_NOT_SUPPORTED', {
        message: `${path} has the format ${gatehouseBackup} and was made by gatehouse ${gatehouse}; this version reads the format ${formatVersion}. Restore it with that version.`,
      })
    return Header.parse(json)
  } catch (error) {
    if (!isOfFile(error)) throw error
    throw damaged(path, 'it does not begin with the header of a backup')
  }
}

/**
 * Reads a whole backup, and compares every hash and count. `sink` receives the rows while they are read, but they are only known to be
 * valid when this function has returned. Throws BACKUP_DAMAGED, BACKUP_NOT_SUPPORTED and the errors of the sink.
 */
export const readBackup = async (path: string, sink: BackupSink = {}): Promise<BackupContent> => {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw backupErrors.error('BACKUP_NOT_FOUND', { message: `${fileProblem(error, path)}.` })
  })
  try {
    const header = await readHeader(handle, path).catch((error: { code?: string }) => {
      if (error.code === 'EISDIR')
        throw backupErrors.error('BACKUP_NOT_FOUND', { message: `${path} is a directory: name a file in it.` })
      throw error
    })
    const { size, trailer, end } = await sectionsOf(handle, path)
    if (trailer === undefined) throw damaged(path, 'its end is missing or changed')
    const hash = createSha256()
    const parser = createParser(sink)
    async function* hashed(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    try {
      await pipeline(chunksOf(handle, end), hashed, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
        for await (const lines of splitLines(chunks)) await parser.take(lines)
      })
      if (hash.digest() !== trailer.sha256) throw new SyntaxError('its bytes do not have the hash that it ends with')
      return { ...parser.finish(), header, trailer, bytes: size }
    } catch (error) {
      if (!isOfFile(error)) throw error
      throw damaged(path, error instanceof SyntaxError ? error.message : 'it cannot be decompressed')
    }
  } finally {
    await handle.close()
  }
}
