import type { z } from 'zod'
import { coreErrors, type Issue } from '../core/errors.ts'
import { invalidBody } from './body.ts'
import type { UrlField } from './contract.ts'
import { type TrustedUrls, urlRefusal } from './trusted-url.ts'

/** Readers disagree on which of two Host headers counts. Throws INVALID_HOST. */
export const checkHost = (rawHeaders: readonly string[]): void => {
  const isHost = (name: string, i: number) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host'
  if (rawHeaders.filter(isHost).length > 1) throw coreErrors.refuse('INVALID_HOST')
}

const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

/** Query parameters as an object; a repeated one is refused, because readers disagree on which counts. */
export const readQuery = (search: string): Record<string, string> => {
  const query: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(query, key))
      throw coreErrors.refuse('VALIDATION_ERROR', {
        message: 'Invalid query parameters',
        issues: [{ path: key, message: 'given more than once' }],
      })
    query[key] = value
  }
  return query
}

export const parseQuery = (schema: z.ZodObject | undefined, value: unknown): unknown => {
  const parsed = schema?.safeParse(value)
  if (parsed === undefined || parsed.success) return parsed?.data
  throw coreErrors.refuse('VALIDATION_ERROR', { message: 'Invalid query parameters', issues: issuesOf(parsed.error) })
}

export const parseBody = (schema: z.ZodType | undefined, value: unknown): unknown => {
  const parsed = schema?.safeParse(value)
  if (parsed === undefined || parsed.success) return parsed?.data
  throw invalidBody(issuesOf(parsed.error))
}

/** Names that are looked at wherever they stand. */
export const urlFields = Object.keys(urlRefusal) as UrlField[]

/** Replaces every named URL field by its trusted, re-serialised form, or refuses it. */
export const vetUrls = (names: readonly UrlField[], trusted: TrustedUrls, part: unknown): void => {
  if (typeof part !== 'object' || part === null) return
  const fields = part as Record<string, unknown>
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value !== 'string') continue
    const vetted = trusted.check(value)
    if (vetted === undefined) throw coreErrors.refuse(urlRefusal[name])
    fields[name] = vetted
  }
}
