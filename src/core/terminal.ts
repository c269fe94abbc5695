import { createInterface } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import type { z } from 'zod'
import { AppError, type Issue } from './errors.ts'
import { decodeText, EncodingError, encodingOf, hasUndecodable } from './input-text.ts'
import { printable } from './output/table.ts'
import { emailInput, parseEmail } from './wire.ts'

/** The streams and the environment of a command. By default those of the process. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** When it is aborted, the running command ends but the process goes on. Not set for a real terminal, where signals end the process. */
  readonly interrupted?: AbortSignal
}

/** A word of a command line. It gets quotation marks if a shell needs them. */
export const inShell = (word: string): string => (/^[\w./@:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/**
 * Thrown for a command that was used wrongly (exit code 2). If the command was used correctly but its request was refused, the exit code
 * is 3. `issues` names each wrong option.
 */
export class UsageError extends Error {
  readonly issues: readonly Issue[] | undefined
  constructor(message: string, issues?: readonly Issue[]) {
    super(message)
    this.name = 'UsageError'
    this.issues = issues
  }
}

/** The name of the option for a field: `--redirect-uri` for `redirectUri`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The expected form of a value, for a schema that has no message of its own. Undefined if nothing more can be said. */
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

/** An option that takes an email address. */
export const emailFlag = emailInput.refine((text) => parseEmail(text) !== undefined, 'must be an email address')

/**
 * Checks options against a schema, which should be the schema of the contract where possible. Throws `UsageError`, which names every
 * wrong option.
 */
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

/**
 * Runs `work`. If `work` throws the error with this `code`, the value of an option was wrong: then throws `UsageError` with the name of
 * the option. Other errors are thrown unchanged.
 */
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

/** Reads a line that a person types. */
const typedLine = async (input: NodeJS.ReadableStream): Promise<string> => {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const line of lines) return readable(line)
    throw new UsageError(nothingGiven)
  } finally {
    lines.close()
  }
}

/** Checks text that a person has typed. Throws `UsageError` if its bytes are not UTF-8. */
const readable = (typed: string): string => {
  if (hasUndecodable(typed)) throw new UsageError('the typed text is not valid UTF-8: set the terminal to UTF-8')
  return typed
}

/** Decodes the bytes of standard input. Throws `UsageError` for bytes that are not text. */
const textOf = (bytes: Uint8Array): string => {
  try {
    return decodeText(bytes)
  } catch (error) {
    if (error instanceof EncodingError) throw new UsageError(`standard input ${error.message}`)
    throw error
  }
}

/** The position after the first line and its line break. Undefined if the line is not complete. In UTF-16 a character has two bytes. */
const endOfLine = (bytes: Buffer): number | undefined => {
  const encoding = encodingOf(bytes)
  const end = Buffer.from(encoding === 'utf-8' ? [10] : encoding === 'utf-16le' ? [10, 0] : [0, 10])
  for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, at + 1)) if (at % end.length === 0) return at + end.length
  return undefined
}

/** Reads only the first line of standard input. */
const firstLine = async (input: NodeJS.ReadableStream): Promise<string> => {
  let bytes = Buffer.alloc(0)
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (endOfLine(bytes) !== undefined) break
  }
  if (bytes.length === 0) throw new UsageError(nothingGiven)
  return textOf(bytes.subarray(0, endOfLine(bytes))).replace(/\r?\n$/, '')
}

/**
 * Reads all of standard input. Throws `UsageError` for empty input. Throws it also if standard input is a keyboard, because nobody would
 * expect the command to wait for typing.
 */
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

/** Reads a line from the keyboard without showing it. */
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

/** Reads a secret: from the first line of standard input, or from the keyboard, where it is typed twice and not shown. Throws `UsageError`. */
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

/** Reads a line that a person types. Throws `UsageError` if there is no terminal; `instead` is the remedy. */
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
 * Asks the person to confirm by typing `word`. Does not ask if the option `--yes` was given (`isConfirmed`). Throws `UsageError` if
 * another text is typed, or if there is no terminal.
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

/** Shows progress on a terminal. Each text replaces the previous one. An empty text removes it. */
export const showProgress = (
  { stderr }: { readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean } },
  text: string,
): void => {
  if (stderr.isTTY === true) stderr.write(`\r\u001b[2K${text}`)
}
