import type { z } from 'zod'
import type { Issue } from '../../core/errors.ts'
import { DeclarationFile, elsewhere } from '../contract.ts'

const known = Object.keys(DeclarationFile.shape)

/** How problems are told: what is expected of a value, and the word that an unknown one may stand for. */
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

/** The declaration without its secrets, or everything that is wrong with it, each with its key and what is expected. */
export const checkDeclaration = (
  tree: unknown,
  words: Words,
):
  | { readonly content: z.output<typeof DeclarationFile>; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] } => {
  const parsed = DeclarationFile.safeParse(tree, { error: words.expectation })
  return parsed.success ? { content: parsed.data } : { issues: parsed.error.issues.flatMap(issuesOf(words)) }
}
