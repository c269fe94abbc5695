import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** The stream that log lines are written to. It never throws, never makes the caller wait, and stores only a limited number of lines. */
export interface LogStream {
  write(line: string): void
  /** Calls `done` when all lines are written. If nobody reads the output, `done` is never called. */
  flush(done: () => void): void
}

interface Options {
  /** Lines are collected until they have this many characters, but for at most 250 ms. */
  readonly batchLength: number
  /** Largest number of characters that wait to be written. When it is reached, further lines are dropped. */
  readonly maxLength?: number
  /** Makes the line that reports dropped lines, from their number and the error code of the failed write. */
  readonly note: (lines: number, code: string) => string
  /** Changes the format of each line. When absent: lines are written unchanged. */
  readonly format?: ((line: string) => string) | undefined
}

/** The lines that are written together. Before them comes a note if lines were dropped. */
interface Batch {
  readonly lines: readonly string[]
  readonly note: string
  /** The number of dropped lines that the note reports. */
  readonly told: number
  readonly bytes: Buffer
  /** How many of the bytes are already written. */
  written: number
}

const pauseMs = 250
const retryMs = 50
/** Largest number of characters that are written at once. Each write needs a thread, which costs as much as fifty lines. */
const maxBatch = 32_768

/**
 * Opens the same pipe or terminal again, as a non-blocking descriptor. With a blocking descriptor, a reader that stops reading would
 * block a thread and keep the process from ending. Files and sockets cannot be opened again; for them, the given descriptor is returned.
 */
const withoutBlocking = (fd: number): number => {
  try {
    const stats = fstatSync(fd)
    const isOpenable = stats.isFIFO() || stats.isCharacterDevice()
    return isOpenable ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY) : fd
  } catch {
    return fd
  }
}

/** Number of lines that do not lie completely within the first `length` bytes. */
const countAfter = (lines: readonly string[], length: number): number => {
  let end = 0
  return lines.filter((line) => {
    end += Buffer.byteLength(line)
    return end > length
  }).length
}

/**
 * Writes lines to a descriptor. Lines are dropped if they cannot be written (a full disk, a closed pipe or terminal), or if too many
 * wait. Dropped lines are counted. Before the next line that can be written comes a note with their number and the reason.
 */
export const createLogStream = (
  given: number,
  { batchLength, maxLength = 1_048_576, note: noteOf, format = (line) => line }: Options,
): LogStream => {
  const fd = withoutBlocking(given)
  let waiting: string[] = []
  let waitingLength = 0
  let batch: Batch | undefined
  let timer: NodeJS.Timeout | undefined
  let dropped = { lines: 0, code: '' }
  /** True if the last byte that was written is in the middle of a line. */
  let isTorn = false
  let flushing: (() => void)[] = []

  const takeBatch = (): Batch | undefined => {
    let [count, length] = [0, 0]
    for (; count < waiting.length && length < maxBatch; count++) length += waiting[count]?.length ?? 0
    if (count === 0) return undefined
    const lines = waiting.slice(0, count)
    waiting = waiting.slice(count)
    waitingLength -= length
    const note = `${isTorn ? '\n' : ''}${dropped.lines === 0 ? '' : format(noteOf(dropped.lines, dropped.code))}`
    return { lines, note, told: dropped.lines, bytes: Buffer.from(note + lines.join('')), written: 0 }
  }

  const settle = (current: Batch, error: NodeJS.ErrnoException | null) => {
    const lines = current.written - Buffer.byteLength(current.note)
    if (lines >= 0) dropped.lines -= current.told
    if (current.written > 0) isTorn = current.bytes[current.written - 1] !== 0x0a
    if (error !== null)
      dropped = { lines: dropped.lines + countAfter(current.lines, Math.max(lines, 0)), code: error.code ?? 'UNKNOWN' }
    batch = undefined
  }

  const start = () => {
    clearTimeout(timer)
    timer = undefined
    batch ??= takeBatch()
    const current = batch
    if (current === undefined) {
      const done = flushing
      flushing = []
      for (const call of done) call()
      return
    }
    write(fd, current.bytes, current.written, (error, length) => {
      if (error?.code === 'EAGAIN' || error?.code === 'EBUSY') {
        timer ??= setTimeout(start, retryMs).unref()
        return
      }
      current.written += error === null ? length : 0
      if (error !== null || current.written === current.bytes.length) settle(current, error)
      schedule()
    })
  }

  const schedule = () => {
    if (batch !== undefined || flushing.length > 0 || waitingLength >= batchLength) start()
    else if (waiting.length > 0) timer ??= setTimeout(start, pauseMs).unref()
  }

  // When the process ends, the last lines are written. They are left out if a write is still under way, because perhaps nobody is
  // reading.
  process.once('exit', () => {
    if (batch === undefined && waiting.length > 0)
      try {
        writeSync(fd, takeBatch()?.bytes ?? Buffer.alloc(0))
      } catch {}
  })

  return {
    write: (line) => {
      if (waitingLength + line.length > maxLength) {
        dropped = { lines: dropped.lines + 1, code: 'ENOBUFS' }
        return
      }
      const text = format(line)
      waiting.push(text)
      waitingLength += text.length
      if (batch === undefined) schedule()
    },
    flush: (done) => {
      flushing.push(done)
      if (batch === undefined) start()
    },
  }
}
