import type { z } from 'zod'
import type { Issue } from '../../core/errors.ts'
import { type Declaration, type DeclarationContent, DeclarationFile, declarationSections, elsewhere } from '../contract.ts'

const known = Object.keys(DeclarationFile.shape)

/** The parts of a message about an invalid value: what was expected, or for an unknown key the known key that is most similar. */
interface Words {
  expectation(issue: z.core.$ZodRawIssue): string | undefined
  didYouMean(word: string, known: readonly string[]): string
}

const issuesOf =
  ({ didYouMean }: Words) =>
  (issue: z.core.$ZodIssue): readonly Issue[] => {
    const path = issue.path.join('.')
    const isTop = issue.path.length === 0
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        path: [...issue.path, key].join('.'),
        message:
          isTop && Object.hasOwn(elsewhere, key) ? (elsewhere[key] ?? '') : `unknown key${isTop ? didYouMean(key, known) : ''}`,
      }))
    if (issue.code === 'invalid_key') return [{ path, message: issue.issues.map(({ message }) => message).join('; ') }]
    return [{ path, message: issue.message }]
  }

/** Finds keys named `__proto__`. Schemas with arbitrary keys drop such a key, so its value would be lost without an error. */
const lostKeys = (tree: unknown, path = '', seen = new Set<unknown>()): readonly Issue[] => {
  // With YAML aliases, a value can contain itself or occur many times. Each value is therefore visited only once.
  if (typeof tree !== 'object' || tree === null || seen.has(tree)) return []
  seen.add(tree)
  return Object.keys(tree).flatMap((key) => {
    const place = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') return [{ path: place, message: 'unknown key' }]
    return lostKeys((tree as Readonly<Record<string, unknown>>)[key], place, seen)
  })
}

/** Validates a declaration. Returns it without its secrets, or all problems, each with its key and the expected value. */
export const checkDeclaration = (
  tree: unknown,
  words: Words,
):
  | { readonly content: z.output<typeof DeclarationFile>; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] } => {
  const lost = lostKeys(tree)
  const parsed = DeclarationFile.safeParse(tree, { error: words.expectation })
  if (parsed.success && lost.length === 0) return { content: parsed.data }
  const issues = parsed.error?.issues.flatMap(issuesOf(words)) ?? []
  const known = new Set(issues.map(({ path }) => path))
  return { issues: [...issues, ...lost.filter(({ path }) => !known.has(path))] }
}

const sections = declarationSections

/**
 * Joins several files into one declaration. It is a problem if two files declare an object with the same name, or have different sources,
 * or if no file has a source and no path can be used as one. The message names the files.
 */
export const joinDeclarations = (
  files: readonly { readonly file: string; readonly content: DeclarationContent }[],
  path: string | undefined,
): { readonly declaration: Declaration; readonly issues?: undefined } | { readonly issues: readonly Issue[] } => {
  const issues: Issue[] = []
  for (const section of sections) {
    const first = new Map<string, string>()
    for (const { file, content } of files)
      for (const key of Object.keys(content[section])) {
        const before = first.get(key)
        if (before === undefined) first.set(key, file)
        else issues.push({ path: `${section}.${key}`, message: `both ${before} and ${file} declare it; keep one of them` })
      }
  }
  const named = files.flatMap(({ file, content: { source } }) => (source === undefined ? [] : [{ file, source }]))
  const [one] = named
  const other = named.find(({ source }) => source !== one?.source)
  const source = one?.source ?? path
  if (one !== undefined && other !== undefined)
    issues.push({
      path: 'source',
      message: `${one.file} says ${one.source}, and ${other.file} says ${other.source}; files that are applied together have one`,
    })
  if (source === undefined)
    issues.push({
      path: 'source',
      message: 'is missing: standard input, several files or a call need a name for their source',
    })
  if (source === undefined || issues.length > 0) return { issues }
  const all = <K extends (typeof sections)[number]>(section: K) =>
    Object.assign({}, ...files.map(({ content }) => content[section])) as DeclarationContent[K]
  return {
    declaration: {
      ...{ source, isNamedByPath: one === undefined },
      settings: all('settings'),
      organizations: all('organizations'),
      clients: all('clients'),
      apis: all('apis'),
      webhookEndpoints: all('webhookEndpoints'),
    },
  }
}
