/**
 * Calls and commands that the console offers to copy. A gallery finds them in every screen, and `npm run test:galleries` records them. The
 * server and the command line are compared with the record, which needs no browser.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { z } from 'zod'
import { composed } from '../../bin/api-document.ts'
import { createProgram } from '../../src/cli/program.ts'

const record = fileURLToPath(new URL('../browser/console/shown-calls.json', import.meta.url))

/** The recorded texts: a call begins with `curl`, a command with `gatehouse`. */
export const recordedCalls = (): readonly string[] => JSON.parse(readFileSync(record, 'utf8'))

export const recordCalls = (texts: readonly string[]): void => writeFileSync(record, `${JSON.stringify(texts, null, 2)}\n`)

/** Splits a command into words as a shell does. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped ?? ''),
  )

const problemOfCommand = (line: string): string | undefined => {
  const program = createProgram()
  program.configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  let ran = false
  for (const command of program.commands) {
    command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined, outputError: () => undefined })
    command.action(() => {
      ran = true
    })
  }
  try {
    program.parse([...wordsOf(line).slice(1)], { from: 'user' })
  } catch (error) {
    return error instanceof CommanderError ? error.message : String(error)
  }
  return ran ? undefined : 'names no command'
}

const { routes } = composed()

/** Schemas leave out fields that they do not know, so their names are compared. */
const problemOfInput = (schema: unknown, given: object): string | undefined => {
  if (!(schema instanceof z.ZodType)) return undefined
  const { success, data, error } = schema.safeParse(given)
  if (!success) return z.prettifyError(error)
  const lost = typeof data === 'object' && data !== null ? Object.keys(given).filter((name) => !(name in data)) : []
  return lost.length === 0 ? undefined : `unknown: ${lost.join(', ')}`
}

const problemOfCall = (text: string): string | undefined => {
  const words = wordsOf(text.replaceAll('\\\n', ' '))
  const after = (flag: string) => words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ''] : []))
  const method = after('-X')[0] ?? 'GET'
  const address = words.find((word) => /^https?:/.test(word))
  if (address === undefined) return 'no address'
  const { pathname, searchParams } = new URL(address)
  const parts = pathname.split('/')
  const fits = routes.filter(({ endpoint }) => {
    const pattern = endpoint.path.split('/')
    return (
      endpoint.method === method &&
      pattern.length === parts.length &&
      pattern.every((part, at) => part === parts[at] || part.startsWith(':'))
    )
  })
  const route = fits.toSorted((a, b) => a.endpoint.path.split(':').length - b.endpoint.path.split(':').length)[0]
  if (route === undefined) return `no call ${method} ${pathname}`
  const { body, query } = route.endpoint
  const given = after('-d')[0]
  const problem =
    (given === undefined ? undefined : problemOfInput(body, JSON.parse(given))) ??
    problemOfInput(query, Object.fromEntries(searchParams))
  return problem === undefined ? undefined : `${pathname}: ${problem}`
}

/** Dialogs whose call is incomplete until something is chosen or typed, each with the exact error that the incomplete call gets. */
const incomplete =
  /'--permission <permission>' not specified|\/link: |invalid_format|Too small|Invalid input|expected .* to have|must not be blank/i

/** Says why the server or the command line does not understand a text. Undefined if it does. */
export const problemOf = (text: string): string | undefined => {
  const problem = text.startsWith('curl ') ? problemOfCall(text) : problemOfCommand(text)
  return problem === undefined || incomplete.test(problem) ? undefined : `${text}: ${problem}`
}
