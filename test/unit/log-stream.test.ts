import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogStream } from '../../src/core/log-stream.ts'

const note = (lines: number, code: string) => `${JSON.stringify({ lines, code, msg: 'dropped' })}\n`

const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
/** The present content of the pipe. */
const readAll = (fd: number): string => {
  const buffer = Buffer.alloc(1_048_576)
  let text = ''
  for (;;) {
    let length = 0
    try {
      length = readSync(fd, buffer)
    } catch {}
    if (length === 0) return text
    text += buffer.toString('utf8', 0, length)
  }
}
const notesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes('"msg"'))
    .map((line) => JSON.parse(line) as { lines: number; code: string })

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-'))
  path = join(directory, 'pipe')
  execFileSync('mkfifo', [path])
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('a log into a pipe', () => {
  test('a log pipe that nobody reads takes the lines that fit, and skipped lines are counted before the next written line', async () => {
    const reading = openReader()
    const writing = openSync(path, 'w')
    const stream = createLogStream(writing, { batchLength: 0, note, maxLength: 50_000 })
    const total = 5_000
    for (let i = 0; i < total; i++) {
      stream.write(`${JSON.stringify({ i, text: 'é'.repeat(20) })}\n`)
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    let text = ''
    await vi.waitFor(
      () => {
        stream.write('{"last":true}\n')
        text += readAll(reading)
        expect(notesIn(text)).not.toEqual([])
      },
      { timeout: 20_000, interval: 20 },
    )
    // More may be waiting than fits into the pipe, because it is written while it is read.
    let isFlushed = false
    stream.flush(() => {
      isFlushed = true
    })
    await vi.waitFor(
      () => {
        text += readAll(reading)
        expect(isFlushed).toBe(true)
      },
      { timeout: 20_000, interval: 20 },
    )
    text += readAll(reading)
    const lines = text.trimEnd().split('\n')
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
    const notes = notesIn(text)
    expect(notes).toMatchObject(notes.map(() => ({ code: 'ENOBUFS' })))
    const dropped = notes.reduce((sum, note) => sum + note.lines, 0)
    const whole = lines.filter((line) => line.startsWith('{"i"')).length
    expect(dropped).toBeGreaterThan(0)
    expect(whole + dropped).toBeGreaterThanOrEqual(total)
    for (const fd of [reading, writing]) closeSync(fd)
  })

  test('a log pipe without a reader loses its lines, and the next reader learns how many', async () => {
    let reading = openReader()
    const writing = openSync(path, 'w')
    const stream = createLogStream(writing, { batchLength: 0, note })
    const flushed = () => new Promise<void>((resolve) => stream.flush(resolve))
    stream.write('"first"\n')
    await flushed()
    expect(readAll(reading)).toBe('"first"\n')
    closeSync(reading)
    for (let i = 0; i < 7; i++) stream.write(`${i}\n`)
    await flushed()
    reading = openReader()
    stream.write('"last"\n')
    await flushed()
    const text = readAll(reading)
    expect(notesIn(text)).toMatchObject([{ lines: 7, code: 'EPIPE' }])
    expect(text).toMatch(/\n"last"\n$/)
    for (const fd of [reading, writing]) closeSync(fd)
  })
})

test('a full disk causes no error in the log, and flushing the log ends', async () => {
  const full = openSync('/dev/full', 'w')
  const stream = createLogStream(full, { batchLength: 0, note })
  for (let i = 0; i < 1000; i++) stream.write('line\n')
  await new Promise<void>((resolve) => stream.flush(resolve))
  closeSync(full)
})

test('a log file gets all lines in their order, each batch within 250 ms', async () => {
  const file = join(directory, 'file')
  const fd = openSync(file, 'w')
  const stream = createLogStream(fd, { batchLength: 100, note, format: (line) => `> ${line}` })
  stream.write('one\n')
  expect(readFileSync(file, 'utf8')).toBe('')
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('> one\n'), { timeout: 60_000, interval: 10 })
  const lines = Array.from({ length: 5_000 }, (_, i) => `${i}\n`)
  for (const line of lines) stream.write(line)
  await new Promise<void>((resolve) => stream.flush(resolve))
  expect(readFileSync(file, 'utf8')).toBe(`> one\n${lines.map((line) => `> ${line}`).join('')}`)
  closeSync(fd)
})
