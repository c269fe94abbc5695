import { createInterface } from 'node:readline'
import { type Terminal, UsageError } from '../../core/terminal.ts'

/** An address without its password, for display. */
export const withoutPassword = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || url.password === '') return text
  url.password = '***'
  return url.href
}

/** Questions and answers. They are written on standard error, so that standard output contains only the result. */
export interface Dialogue {
  say(text: string): void
  /** Asks a question; an empty line means `preset`. Throws `UsageError` when the input ends. */
  ask(question: string, preset: string): Promise<string>
  close(): void
}

/** A dialogue on a terminal. Throws `UsageError` without a terminal. */
export const openDialogue = ({ stdin, stderr }: Terminal): Dialogue => {
  if (stdin.isTTY !== true)
    throw new UsageError('init asks at a terminal; elsewhere pass --yes, and the answers as options or variables')
  // One reader serves all questions, so that text typed ahead is not lost between two of them.
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })
  const typed = lines[Symbol.asyncIterator]()
  return {
    say: (text) => void stderr.write(`${text}\n`),
    ask: async (question, preset) => {
      stderr.write(`${question}${preset === '' ? '' : ` [${withoutPassword(preset)}]`}: `)
      const { value, done } = await typed.next()
      if (done === true) throw new UsageError('the answers ended: nothing was written')
      return value.trim() === '' ? preset : value.trim()
    },
    close: () => lines.close(),
  }
}

/** The dialogue of `--yes`: it answers each question with the preset, and shows all messages. */
export const silentDialogue = ({ stderr }: Terminal): Dialogue => ({
  say: (text) => void stderr.write(`${text}\n`),
  ask: async (_question, preset) => preset,
  close: () => undefined,
})
