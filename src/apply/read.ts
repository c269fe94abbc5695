import { dirname, resolve } from 'node:path'
import { processEnvironment } from '../core/config.ts'
import { parseTree, readSecretFile, readYaml } from '../core/config-file.ts'
import { didYouMean } from '../core/config-keys.ts'
import { takeValue } from '../core/environment.ts'
import type { Issue } from '../core/errors.ts'
import { expectation } from '../core/terminal.ts'
import type { Declaration, DeclarationContent } from './contract.ts'
import { applyErrors } from './contract.ts'
import { checkDeclaration, joinDeclarations } from './rules/declaration.ts'

/** The name that stands for standard input. */
const standardInput = '-'
const nameOf = (file: string) => (file === standardInput ? 'standard input' : file)

/** How many problems of a file an error message lists at most, so that the message stays short. */
const mostTold = 100

/** Makes one error message from all problems of a file. It contains the first problems and the number of all. */
const invalid = (file: string, all: readonly Issue[]) => {
  const issues = all.slice(0, mostTold)
  const count = all.length === 1 ? 'a problem' : `${all.length} problems`
  const lines = issues.map(({ path, message }) => `  - ${path}: ${message}`)
  const rest = all.length - issues.length
  return { text: [`${file} has ${count}:`, ...lines, ...(rest === 0 ? [] : [`  and ${rest} more`])].join('\n'), issues }
}
type Invalid = ReturnType<typeof invalid>

const refuse = (found: readonly Invalid[]) =>
  applyErrors.error('DECLARATION_IS_INVALID', {
    message: found.map(({ text }) => text).join('\n'),
    issues: found.flatMap(({ issues }) => issues),
  })

interface Reference {
  readonly secret?: string | undefined
  readonly secretFile?: string | undefined
  readonly secretEnv?: string | undefined
}

/** Returns the value of the secret that a reference names. Problems are passed to `report`. */
type ReadSecret = (reference: Reference, report: (name: string, message: string) => void) => string | undefined

/** Reads the secrets that a file refers to. A relative path starts at the directory of that file. */
const secretsBeside =
  (directory: string, env: Readonly<Record<string, string | undefined>>): ReadSecret =>
  ({ secret, secretFile, secretEnv }, report) => {
    if (secret !== undefined) report('secret', 'a secret is never in the file: name where it is with secretFile or secretEnv')
    if (secretEnv !== undefined) {
      const taken = takeValue(env[secretEnv] ?? '')
      if ('problem' in taken) report('secretEnv', `the variable ${secretEnv} ${taken.problem}`)
      else if (taken.value === '') report('secretEnv', `the variable ${secretEnv} is not set`)
      return 'value' in taken ? taken.value : undefined
    }
    if (secretFile === undefined) return undefined
    const problems: string[] = []
    const value = readSecretFile('the file', resolve(directory, secretFile), problems)
    for (const problem of problems) report('secretFile', problem.replace(/^the file: /, 'the file '))
    return value
  }

/**
 * Reads the secrets of an API call, which contains them directly. References to files and environment variables are refused, because
 * those belong to the operators of the server.
 */
const secretsOfCall: ReadSecret = ({ secret, secretFile, secretEnv }, report) => {
  const message = 'a call reads no files and no variables of the server: send the secret itself as secret'
  if (secretFile !== undefined) report('secretFile', message)
  if (secretEnv !== undefined) report('secretEnv', message)
  return secret
}

interface Source {
  /** The name of the file in error messages. */
  readonly name: string
  readonly readTree: (problems: string[]) => unknown
  readonly readSecret: ReadSecret
}

/** Joins the files of one declaration. `path` is used as the source if no file contains `source`. */
const readSources = (sources: readonly Source[], path: string | undefined): Declaration => {
  const problems: string[] = []
  const trees = sources.map(({ readTree, ...source }) => ({ ...source, tree: readTree(problems) }))
  if (problems.length > 0)
    throw applyErrors.error('DECLARATION_IS_INVALID', {
      message: problems.map((problem) => problem.replace(/^config: /, '')).join('\n'),
    })
  const found: Invalid[] = []
  const contents = trees.flatMap(({ name, tree, readSecret }): { file: string; content: DeclarationContent }[] => {
    const checked = checkDeclaration(tree, { expectation, didYouMean })
    if (checked.issues !== undefined) {
      found.push(invalid(name, checked.issues))
      return []
    }
    const issues: Issue[] = []
    const withSecrets = <T extends Reference>(section: string, declared: Readonly<Record<string, T>>) =>
      Object.fromEntries(
        Object.entries(declared).map(([key, value]) => {
          const report = (field: string, message: string) => void issues.push({ path: `${section}.${key}.${field}`, message })
          return [key, { ...value, secret: readSecret(value, report) }]
        }),
      )
    const { settings, clients, webhookEndpoints, ...rest } = checked.content
    const content = {
      ...rest,
      settings: withSecrets('settings', settings),
      clients: withSecrets('clients', clients),
      webhookEndpoints: withSecrets('webhookEndpoints', webhookEndpoints),
    }
    if (issues.length > 0) found.push(invalid(name, issues))
    return [{ file: name, content }]
  })
  if (found.length > 0) throw refuse(found)
  const joined = joinDeclarations(contents, path)
  if (joined.issues !== undefined) throw refuse([invalid(contents.map(({ file }) => file).join(', '), joined.issues)])
  return joined.declaration
}

/**
 * Reads a declaration from one or more files, and the secrets that it refers to. The file name `-` stands for standard input, whose text
 * is `input`. A relative path of a secret starts at the directory of the file that contains it. Throws DECLARATION_IS_INVALID with all
 * problems, each with its key and the expected value.
 */
export const readDeclaration = (
  files: string | readonly string[],
  { input = '', env = processEnvironment() }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Declaration => {
  const names = typeof files === 'string' ? [files] : files
  const [only, ...others] = names
  const path = only === undefined || only === standardInput || others.length > 0 ? undefined : resolve(only)
  const sources = names.map((file): Source => {
    const isInput = file === standardInput
    const name = nameOf(file)
    return {
      name,
      readTree: (problems) => (isInput ? parseTree(input, name, problems) : readYaml(file, problems)),
      readSecret: secretsBeside(isInput ? '.' : dirname(file), env),
    }
  })
  return readSources(sources, path)
}

/**
 * Reads the declaration in an API call, which has to contain its secrets and its source. Throws DECLARATION_IS_INVALID like
 * `readDeclaration`.
 */
export const readSentDeclaration = (text: string): Declaration => {
  const name = 'the declaration'
  return readSources([{ name, readTree: (problems) => parseTree(text, name, problems), readSecret: secretsOfCall }], undefined)
}
