import { closeSync, fsyncSync, mkdtempSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createSha256 } from '../../../../core/crypto.ts'
import { passwordErrors } from '../contract.ts'
import { addTo, type BloomShape, blockBytes, blockInPartition, partitionOf, partitions, shapeOf } from './bloom.ts'
import { type BloomHeader, encodeHeader, headerBytes } from './header.ts'
import { createLineReader, digestBytes } from './lines.ts'

export interface ImportOptions {
  /** Lines `SHA1:COUNT`, in any order. */
  readonly source: AsyncIterable<Buffer>
  /** The file to make. It takes the place of one that is there only when it is complete. */
  readonly output: string
  readonly falsePositiveRate: number
  /** Hashes that were seen less often are left out. */
  readonly minimumCount: number
  readonly createdAt: Date
  /** Called every million lines, for each partition that is written, and with nothing at the end. */
  readonly onProgress: (text: string) => void
}

/** Writes go to the disk in pieces of this many hashes. */
const hashesAtOnce = 4096
const linesBetween = 1_000_000

/** Hashes that wait on the disk, by partition, until it is known how many there are. */
const createSpool = (directory: string) => {
  const parts = Array.from({ length: partitions }, (_, part) => ({
    file: openSync(join(directory, String(part)), 'w+', 0o600),
    buffer: Buffer.alloc(hashesAtOnce * digestBytes),
    used: 0,
  }))
  const flush = (part: (typeof parts)[number]) => {
    writeSync(part.file, part.buffer, 0, part.used)
    part.used = 0
  }
  return {
    add: (digest: Buffer) => {
      const part = parts[partitionOf(digest)]
      if (part === undefined) return
      digest.copy(part.buffer, part.used)
      part.used += digestBytes
      if (part.used === part.buffer.length) flush(part)
    },
    /** Calls `use` with the hashes of a partition, piece by piece. */
    read: (index: number, use: (hashes: Buffer) => void) => {
      const part = parts[index]
      if (part === undefined) return
      flush(part)
      for (let at = 0; ; ) {
        const length = readSync(part.file, part.buffer, 0, part.buffer.length, at)
        if (length === 0) return
        use(part.buffer.subarray(0, length))
        at += length
      }
    },
    close: () => {
      for (const { file } of parts) closeSync(file)
    },
  }
}
type Spool = ReturnType<typeof createSpool>

/** Fills the filter partition by partition into `file`, behind the place of the header. Returns the hash over its blocks. */
const fill = (file: number, spool: Spool, shape: BloomShape, onProgress: ImportOptions['onProgress']): string => {
  const hash = createSha256()
  const length = (shape.blocks / partitions) * blockBytes
  const filter = Buffer.alloc(length)
  for (let index = 0; index < partitions; index++) {
    filter.fill(0)
    spool.read(index, (hashes) => {
      for (let at = 0; at < hashes.length; at += digestBytes)
        addTo(filter, blockInPartition(hashes, shape, at) * blockBytes, hashes, at, shape)
    })
    hash.update(filter)
    writeSync(file, filter, 0, length, headerBytes + index * length)
    onProgress(`writing: ${Math.round(((index + 1) / partitions) * 100)} %`)
  }
  return hash.digest()
}

type Parameters = Omit<BloomHeader, 'sha256'>

const write = (path: string, given: Parameters, spool: Spool, onProgress: ImportOptions['onProgress']): BloomHeader => {
  const file = openSync(path, 'w', 0o600)
  try {
    const header = { ...given, sha256: fill(file, spool, given, onProgress) }
    writeSync(file, encodeHeader(header), 0, headerBytes, 0)
    fsyncSync(file)
    return header
  } finally {
    closeSync(file)
  }
}

/**
 * Turns a list of breached passwords into the file that `password.breached.file` names. It holds a partition of the filter in memory and the
 * hashes (20 bytes each) on the disk beside the output. Throws BREACHED_LIST_IS_INVALID with the line that is wrong.
 */
export const importBreached = async (options: ImportOptions): Promise<BloomHeader> => {
  const { source, output, falsePositiveRate, minimumCount, createdAt, onProgress } = options
  const directory = mkdtempSync(`${output}.importing-`)
  const spool = createSpool(directory)
  try {
    let [entries, told] = [0, 0]
    const reader = createLineReader((digest, count) => {
      if (count < minimumCount) return
      entries += 1
      spool.add(digest)
    })
    for await (const chunk of source) {
      reader.push(chunk)
      if (reader.lines() >= told + linesBetween) {
        told = reader.lines()
        onProgress(`${told} lines, ${entries} hashes`)
      }
    }
    reader.end()
    if (entries === 0)
      throw passwordErrors.error('BREACHED_LIST_IS_INVALID', {
        message: `The list has no hash that was seen ${minimumCount} times or more`,
      })
    const about = { entries, minimumCount, falsePositiveRate, createdAt: createdAt.toISOString() }
    const complete = join(directory, 'complete')
    const header = write(complete, { ...about, ...shapeOf(entries, falsePositiveRate) }, spool, onProgress)
    renameSync(complete, output)
    return header
  } finally {
    onProgress('')
    spool.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
