import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { processEnvironment } from '../core/config.ts'
import { readYaml } from '../core/config-file.ts'
import { didYouMean } from '../core/config-keys.ts'
import type { Issue } from '../core/errors.ts'
import { expectation } from '../core/terminal.ts'
import type { Declaration } from './contract.ts'
import { applyErrors } from './errors.ts'
import { checkDeclaration } from './rules/declaration.ts'

/** All that is wrong with a declaration, in one message. */
const invalid = (file: string, issues: readonly Issue[]) =>
  applyErrors.error('DECLARATION_IS_INVALID', {
    message: `${file} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}:\n${issues
      .map(({ path, message }) => `  - ${path}: ${message}`)
      .join('\n')}`,
    issues,
  })

interface Reference {
  readonly secretFile?: string | undefined
  readonly secretEnv?: string | undefined
}

/**
 * Reads a declaration and the secrets that it refers to; their files are named as seen from its own directory. Throws DECLARATION_IS_INVALID
 * with every problem, each with its key and what is expected.
 */
export const readDeclaration = (file: string, env = processEnvironment()): Declaration => {
  const problems: string[] = []
  const tree = readYaml(file, problems)
  if (problems.length > 0)
    throw applyErrors.error('DECLARATION_IS_INVALID', {
      message: problems.map((problem) => problem.replace(/^config: /, '')).join('\n'),
    })
  const checked = checkDeclaration(tree, { expectation, didYouMean })
  if (checked.issues !== undefined) throw invalid(file, checked.issues)
  const issues: Issue[] = []
  const secretOf = (path: string, { secretFile, secretEnv }: Reference): string | undefined => {
    const refuse = (name: string, message: string) => void issues.push({ path: `${path}.${name}`, message })
    if (secretEnv !== undefined) {
      const value = env[secretEnv]
      if (value === undefined || value === '') refuse('secretEnv', `the variable ${secretEnv} is not set`)
      return value
    }
    if (secretFile === undefined) return undefined
    const place = resolve(dirname(file), secretFile)
    if (!existsSync(place)) {
      refuse('secretFile', `the file ${place} does not exist`)
      return undefined
    }
    try {
      const value = readFileSync(place, 'utf8').trim()
      if (value === '') refuse('secretFile', `the file ${place} is empty`)
      return value
    } catch (error) {
      refuse('secretFile', `the file ${place} cannot be read (${(error as { code?: string }).code ?? ''})`)
      return undefined
    }
  }
  const withSecrets = <T extends Reference>(section: string, declared: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(declared).map(([key, value]) => [key, { ...value, secret: secretOf(`${section}.${key}`, value) }]),
    )
  const { source = resolve(file), organizations, ...rest } = checked.content
  const clients = withSecrets('clients', rest.clients)
  const webhookEndpoints = withSecrets('webhookEndpoints', rest.webhookEndpoints)
  if (issues.length > 0) throw invalid(file, issues)
  return { source, organizations, clients, webhookEndpoints }
}
