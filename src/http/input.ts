import type { z } from 'zod'
import { coreErrors, type Issue } from '../core/errors.ts'
import { invalidBody } from './body.ts'
import type { UrlField } from './contract.ts'
import { type TrustedUrls, urlErrorCode } from './trusted-url.ts'

/** Refuses a request with several headers `Host`, because programs disagree about which of them is valid. Throws INVALID_HOST. */
export const checkHost = (rawHeaders: readonly string[]): void => {
  const isHost = (name: string, i: number) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host'
  if (rawHeaders.filter(isHost).length > 1) throw coreErrors.error('INVALID_HOST')
}

/** Largest number of problems that an answer lists, so that a long list of wrong values does not make the answer long. */
const mostIssues = 50

const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.slice(0, mostIssues).map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

/** Query parameters that are read although the schema of the endpoint does not contain them. */
const alwaysRead: readonly string[] = ['disableCookieCache', 'disableRefresh', ...Object.keys(urlErrorCode)]

/**
 * Parses a query into an object. If a parameter that the schema contains is repeated, the query is refused, because programs disagree
 * about which value is valid. If a parameter that the schema does not contain is repeated, the first value is kept, and the schema
 * ignores it (RFC 6749, section 4.1.2).
 */
export const readQuery = (search: string, schema?: z.ZodObject): Record<string, string> => {
  const query: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(query, key)) query[key] = value
    else if (schema === undefined || Object.hasOwn(schema.shape, key) || alwaysRead.includes(key))
      throw coreErrors.error('VALIDATION_ERROR', {
        message: 'Invalid query parameters',
        issues: [{ path: key, message: 'given more than once' }],
      })
  }
  return query
}

export const parseQuery = (schema: z.ZodObject | undefined, value: unknown): unknown => {
  const parsed = schema?.safeParse(value)
  if (parsed === undefined || parsed.success) return parsed?.data
  throw coreErrors.error('VALIDATION_ERROR', { message: 'Invalid query parameters', issues: issuesOf(parsed.error) })
}

export const parseBody = (schema: z.ZodType | undefined, value: unknown): unknown => {
  const parsed = schema?.safeParse(value)
  if (parsed === undefined || parsed.success) return parsed?.data
  throw invalidBody(issuesOf(parsed.error))
}

/** The names of the URL fields, which are checked in every request. */
export const urlFields = Object.keys(urlErrorCode) as UrlField[]

/** Checks the named URL fields, and replaces each by its normal form. Throws the error code of the first field that is not trusted. */
export const checkUrls = (names: readonly UrlField[], trusted: TrustedUrls, part: unknown): void => {
  if (typeof part !== 'object' || part === null) return
  const fields = part as Record<string, unknown>
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value !== 'string') continue
    const checked = trusted.check(value)
    if (checked === undefined) throw coreErrors.error(urlErrorCode[name])
    fields[name] = checked
  }
}
