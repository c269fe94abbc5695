import { createInterface } from 'node:readline'
import { type Terminal, UsageError } from '../../core/terminal.ts'

/** Removes the password from a URL, so that the URL can be displayed. */
export const withoutPassword = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || url.password === '') return text
  url.password = '***'
  return url.href
}

/** Asks questions on a terminal. They are written to standard error, so that standard output contains only the result. */
export interface Dialogue {
  say(text: string): void
  /** Asks a question and returns the answer. An empty line means `preset`. Throws `UsageError` if the input ends. */
  ask(question: string, preset: string): Promise<string>
  close(): void
}

/** Opens a dialogue on a terminal. Throws `UsageError` if there is no terminal. */
export const openDialogue = ({ stdin, stderr }: Terminal): Dialogue => {
  if (stdin.isTTY !== true)
    throw new UsageError('init asks at a terminal; elsewhere pass --yes, and the answers as options or variables')
  // One reader serves all questions. With a reader for each question, text that is typed ahead would be lost.
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

/** The dialogue for `--yes`. It answers each question with the preset, and still shows messages. */
export const silentDialogue = ({ stderr }: Terminal): Dialogue => ({
  say: (text) => void stderr.write(`${text}\n`),
  ask: async (_question, preset) => preset,
  close: () => undefined,
})
