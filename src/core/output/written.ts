import { fstatSync, fsyncSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'

/** Output of a command that could not be written. The message gives the reason, and the completed part of the command. */
export class OutputError extends Error {
  readonly refusal = 'OUTPUT_NOT_WRITTEN'
  constructor(cause: NodeJS.ErrnoException, done: string) {
    super(`Standard output cannot be written (${cause.code ?? cause.message}). ${done}`, { cause })
    this.name = 'OutputError'
  }
}

/** Codes of a reader that has closed the pipe, such as `head`. */
const goneAway: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']

/** True for an error that loses output, as opposed to a reader that has closed the pipe. */
export const isLoss = (error: Error | null | undefined): error is NodeJS.ErrnoException =>
  error != null && !goneAway.includes((error as NodeJS.ErrnoException).code ?? '')

/** The rules for every command. */
const usually = 'The output may be incomplete; changes of the command were made.'

/** Standard output to a file or device. Node would take a partial write, as on a full disk, for a complete one. */
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

  /** Some file systems report a failed write only here. */
  sync(): void {
    if (fstatSync(this.#fd).isFile()) fsyncSync(this.#fd)
  }
}

const write = (stream: NodeJS.WritableStream, text: string): Promise<Error | null | undefined> =>
  new Promise((resolve) => {
    // Without a listener the event of a failed write would end the process.
    const ignore = () => undefined
    stream.on('error', ignore)
    stream.write(text, (error) => {
      setImmediate(() => stream.off('error', ignore))
      resolve(error)
    })
  })

/**
 * Writes a text and resolves when it is written; false when the reader has closed the pipe. Throws `OutputError` with `done`. `isEnd` is
 * false for a part of a longer text.
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

/** Standard output of this process. */
export const standardOutput = (): NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> => {
  try {
    const stats = fstatSync(1)
    if (stats.isFile() || (stats.isCharacterDevice() && !isatty(1))) return new FileOutput(1)
  } catch {
    // Node handles a descriptor without further information.
  }
  return process.stdout
}
