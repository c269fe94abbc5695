import { fstatSync, fsyncSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'

/** Thrown if the output of a command cannot be written. The message says why, and what the command has done. */
export class OutputError extends Error {
  readonly refusal = 'OUTPUT_NOT_WRITTEN'
  constructor(cause: NodeJS.ErrnoException, done: string) {
    super(`Standard output cannot be written (${cause.code ?? cause.message}). ${done}`, { cause })
    this.name = 'OutputError'
  }
}

/** Error codes for a pipe whose reader, such as `head`, has closed it. */
const goneAway: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']

/** True for an error that loses output. False if the reader has closed the pipe, because then nobody wants the output. */
export const isLoss = (error: Error | null | undefined): error is NodeJS.ErrnoException =>
  error != null && !goneAway.includes((error as NodeJS.ErrnoException).code ?? '')

/** For most commands, the message says this about what the command has done. */
const usually = 'The output may be incomplete; changes of the command were made.'

/**
 * A stream for standard output that is a file or a device. Node's own stream takes a partial write, for example on a full disk, for a
 * complete one.
 */
class FileOutput extends Writable {
  readonly #fd: number

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(this.#fd, chunk, at)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  /** Some file systems report a failed write only when the file is flushed. */
  sync(): void {
    if (fstatSync(this.#fd).isFile()) fsyncSync(this.#fd)
  }
}

const write = (stream: NodeJS.WritableStream, text: string): Promise<Error | null | undefined> =>
  new Promise((resolve) => {
    // If nothing listened to `error`, a failed write would end the process.
    const ignore = () => undefined
    stream.on('error', ignore)
    stream.write(text, (error) => {
      setImmediate(() => stream.off('error', ignore))
      resolve(error)
    })
  })

/**
 * Writes a text, and resolves when it is written. Returns false if the reader has closed the pipe. If writing fails, throws
 * `OutputError`, whose message contains `done`. `isEnd` is false if further text follows.
 */
export const writeOutput = async (
  stream: NodeJS.WritableStream,
  text: string,
  { done = usually, isEnd = true }: { readonly done?: string | undefined; readonly isEnd?: boolean } = {},
): Promise<boolean> => {
  let error = await write(stream, text)
  try {
    if (isEnd && error == null && stream instanceof FileOutput) stream.sync()
  } catch (failed) {
    error = failed as Error
  }
  if (isLoss(error)) throw new OutputError(error, done)
  return error == null
}

/** The standard output of this process. */
export const standardOutput = (): NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> => {
  try {
    const stats = fstatSync(1)
    if (stats.isFile() || (stats.isCharacterDevice() && !isatty(1))) return new FileOutput(1)
  } catch {
    // The system may give no information about a descriptor that Node can still use.
  }
  return process.stdout
}
