import { createInterface } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import type { z } from 'zod'
import { AppError, type Issue } from './errors.ts'
import { decodeText, EncodingError, encodingOf, hasUndecodable } from './input-text.ts'
import { printable } from './output/table.ts'
import { emailInput, parseEmail } from './wire.ts'

/** Streams and environment of a command. By default they are those of the process. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the running command and not the process. The terminal of the process does not set it, because signals end the process. */
  readonly interrupted?: AbortSignal
}

/** A word of a command line, with quotation marks if a shell needs them. */
export const inShell = (word: string): string => (/^[\w./@:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Thrown for wrong usage of a command (exit code 2). A refusal has exit code 3. `issues` names each wrong option. */
export class UsageError extends Error {
  readonly issues: readonly Issue[] | undefined
  constructor(message: string, issues?: readonly Issue[]) {
    super(message)
    this.name = 'UsageError'
    this.issues = issues
  }
}

/** The option for the name `redirectUri`: `--redirect-uri`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The expected form, for a schema that has no message of its own. */
export const expectation = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'invalid_value') return `must be ${issue.values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
  if (issue.code === 'invalid_type') {
    const wanted = issue.expected === 'int' ? 'whole number' : issue.expected
    return issue.input === undefined ? 'is missing' : `must be ${/^[aeio]/.test(wanted) ? 'an' : 'a'} ${wanted}`
  }
  if (issue.code === 'invalid_format')
    return `must be ${issue.format === 'email' ? 'an email address' : `a valid ${issue.format}`}`
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined
  const [bound, limit] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
  const what = { string: ' characters', array: ' of them' }[issue.origin as string]
  return `must ${what === undefined ? 'be' : 'have'} ${bound} ${limit}${what ?? ''}`
}

/** The e-mail address in an option. */
export const emailFlag = emailInput.refine((text) => parseEmail(text) !== undefined, 'must be an email address')

/** Checks options against a schema, if possible the one of the contract. Throws `UsageError`, which names every wrong option. */
export const parseFlags = <S extends z.ZodType>(schema: S, flags: unknown): z.output<S> => {
  const parsed = schema.safeParse(flags, { error: expectation })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => {
    const given = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], flags)
    return {
      path: flagOf(String(path[0] ?? '')),
      message: typeof given === 'string' ? `${message} (is ${JSON.stringify(given)})` : message,
    }
  })
  throw new UsageError(issues.map(({ path, message }) => `${path}: ${message}`).join('; '), issues)
}

/** Runs `work`. If it throws the error `code`, an option was wrong: throws `UsageError` with the option's name. Other errors stay as they are. */
export const blamingFlag = async <T>(flag: string, code: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== code) throw error
    const told = error.issues?.map(({ path, message }) => `${path}: ${message}`) ?? [error.message]
    throw new UsageError(`${flag}: ${told.join('; ')}`, error.issues)
  }
}

/** What a failed command writes to standard error, and its exit code. */
export const formatFailure = (error: unknown, asJson: boolean): { readonly text: string; readonly exitCode: 1 | 2 | 3 } => {
  const { code, exitCode, message, issues } = describe(error)
  if (asJson) return { exitCode, text: `${JSON.stringify({ code, message, ...(issues === undefined ? {} : { issues }) })}\n` }
  const shown = exitCode === 3 && error instanceof AppError ? `${message} (${code})` : message
  return { exitCode, text: `gatehouse: ${printable(shown)}\n` }
}

const describe = (error: unknown) => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const { issues } = error as { issues?: unknown }
  if (error instanceof AppError) return { code: error.code, exitCode: 3 as const, message, issues }
  if (error instanceof UsageError) return { code: 'USAGE', exitCode: 2 as const, message, issues }
  const { refusal, isUsage } = error as { refusal?: unknown; isUsage?: unknown }
  if (isUsage === true) return { code: 'USAGE', exitCode: 2 as const, message }
  if (typeof refusal === 'string') return { code: refusal, exitCode: 3 as const, message }
  return {
    code: 'INTERNAL_ERROR',
    exitCode: 1 as const,
    message: `this is a bug of gatehouse: ${stack ?? `${name}: ${message}`}`,
  }
}

const nothingGiven = 'nothing was given on standard input'

/** Reads a line that the person types. */
const typedLine = async (input: NodeJS.ReadableStream): Promise<string> => {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const line of lines) return readable(line)
    throw new UsageError(nothingGiven)
  } finally {
    lines.close()
  }
}

/** Checks typed text. Throws `UsageError` for bytes that are not UTF-8. */
const readable = (typed: string): string => {
  if (hasUndecodable(typed)) throw new UsageError('the typed text is not valid UTF-8: set the terminal to UTF-8')
  return typed
}

/** The text of standard input. Throws `UsageError` for bytes that are not text. */
const textOf = (bytes: Uint8Array): string => {
  try {
    return decodeText(bytes)
  } catch (error) {
    if (error instanceof EncodingError) throw new UsageError(`standard input ${error.message}`)
    throw error
  }
}

/** The end of the first line, with its line break. Undefined if the line is not complete. In UTF-16 a character has two bytes. */
const endOfLine = (bytes: Buffer): number | undefined => {
  const encoding = encodingOf(bytes)
  const end = Buffer.from(encoding === 'utf-8' ? [10] : encoding === 'utf-16le' ? [10, 0] : [0, 10])
  for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, at + 1)) if (at % end.length === 0) return at + end.length
  return undefined
}

/** Reads the first line of standard input, and nothing after it. */
const firstLine = async (input: NodeJS.ReadableStream): Promise<string> => {
  let bytes = Buffer.alloc(0)
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (endOfLine(bytes) !== undefined) break
  }
  if (bytes.length === 0) throw new UsageError(nothingGiven)
  return textOf(bytes.subarray(0, endOfLine(bytes))).replace(/\r?\n$/, '')
}

/** Reads all of standard input. Throws `UsageError` for empty input, and for a keyboard, because nobody expects a command to wait there. */
export const readInput = async ({ stdin }: Pick<Terminal, 'stdin'>, flag: string): Promise<string> => {
  if (isKeyboard(stdin)) throw new UsageError(`${flag}: nothing is piped into standard input`)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  const text = textOf(Buffer.concat(chunks))
  if (text.trim() === '') throw new UsageError(`${flag}: ${nothingGiven}`)
  return text
}

const enter = ['\r', '\n']
const [interrupt, endOfInput, backspace, remove] = ['\u0003', '\u0004', '\b', '\u007f']

/** Reads a line from the keyboard without echo. */
const readHidden = (keyboard: ReadStream, screen: NodeJS.WritableStream, prompt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let typed = ''
    screen.write(prompt)
    const finish = (end: () => void) => {
      keyboard.off('data', read).setRawMode(false).pause()
      screen.write('\n')
      end()
    }
    const read = (text: string) => {
      for (const sign of text) {
        if (enter.includes(sign)) return finish(() => resolve(typed))
        if (sign === interrupt || sign === endOfInput) return finish(() => reject(new UsageError('nothing was entered')))
        typed = sign === backspace || sign === remove ? [...typed].slice(0, -1).join('') : typed + sign
      }
    }
    keyboard.setEncoding('utf8').setRawMode(true).resume().on('data', read)
  })

const isKeyboard = (input: Terminal['stdin']): input is ReadStream => input.isTTY === true

/** A secret: the first line of standard input, or typed twice without echo. Throws `UsageError`. */
export const readSecret = async (
  { stdin, stderr }: Terminal,
  label: string,
  fromStdin: boolean,
  flag = '--password-stdin',
): Promise<string> => {
  if (fromStdin) return firstLine(stdin)
  if (!isKeyboard(stdin)) throw new UsageError(`${label}: pass it on standard input with ${flag}; it is never an argument`)
  const secret = readable(await readHidden(stdin, stderr, `${label}: `))
  if ((await readHidden(stdin, stderr, `${label} again: `)) !== secret) throw new UsageError('the two entries differ')
  return secret
}

/** Reads a line that the person types. Without a terminal, throws `UsageError` with the remedy `instead`. */
export const readLine = async (
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
  question: string,
  instead: string,
): Promise<string> => {
  if (!isKeyboard(stdin)) throw new UsageError(instead)
  stderr.write(question)
  return typedLine(stdin)
}

/**
 * Asks for confirmation: the person has to type `word`, unless the option `--yes` was given (`isConfirmed`). Throws `UsageError` for
 * other text, and without a terminal.
 */
export const confirm = async (
  terminal: Pick<Terminal, 'stdin' | 'stderr'>,
  isConfirmed: boolean,
  consequence: string,
  word = 'yes',
): Promise<void> => {
  if (isConfirmed) return
  const question = `${consequence}\nType ${word} to go on: `
  const typed = await readLine(terminal, question, `${consequence}\nPass --yes to do it without being asked.`)
  if (typed.trim() !== word) throw new UsageError(`that is not ${word}: nothing was changed`)
}

/** Shows progress on a terminal. Each text replaces the one before; an empty text clears it. */
export const showProgress = (
  { stderr }: { readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean } },
  text: string,
): void => {
  if (stderr.isTTY === true) stderr.write(`\r\u001b[2K${text}`)
}
