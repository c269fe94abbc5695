import { z } from 'zod'
import { sha256 } from './crypto.ts'
import { coreErrors } from './errors.ts'
import type { ResourceTag } from './resource-tag.ts'

/**
 * Checks that a change is based on the current state of a resource, and throws PRECONDITION_FAILED if it is not. A service calls this
 * function in the transaction of the change, with the resource as it has read it under the lock of its row (`lockRow`).
 */
export type IfMatch<Resource> = (resource: Resource) => void

/** Accepts every state. Used by callers that may change a resource in any state, such as commands. */
export const anyState: IfMatch<unknown> = () => undefined

/** Largest number of tags that are read from a header. A caller needs only one. */
const mostTags = 10

/**
 * Restores a tag to the form in which gatehouse sent it. A proxy that compresses answers makes the tag weak (nginx, Cloudflare) or adds
 * the coding to it (Apache, Caddy). No two tags of gatehouse differ only in these parts.
 */
const asSent = (tag: string): string => tag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"')

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim())

/** True when the header `If-None-Match` contains the tag `own` (RFC 9110, section 13.1.2). */
export const isAmongTags = (header: string | undefined, own: string): boolean =>
  header !== undefined && (header.trim() === '*' || tagsOf(header).some((tag) => asSent(tag) === asSent(own)))

const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Puts the fields of an object into a fixed order, so that resources with equal values get equal tags. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  )
}

/** The strong `ETag` of a resource in its wire form. It changes whenever a field changes that callers can change. */
export const etagOfWire = ({ schema, except }: ResourceTag, wire: unknown): string => {
  // An answer may contain more than the resource, such as the names of other resources. The tag is made only from the fields of the
  // resource.
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined
  const isPart = (key: string) => !except.includes(key) && known?.includes(key) !== false
  const fields = Object.entries(wire as object).filter(([key, value]) => value !== undefined && isPart(key))
  return `"${sha256(JSON.stringify(ordered(Object.fromEntries(fields)))).slice(0, 32)}"`
}

/** The `ETag` of a resource in its domain form. */
export const etagOf = <S extends z.ZodType>(tag: ResourceTag<S>, resource: z.output<S>): string =>
  etagOfWire(tag, z.encode(tag.schema, resource))

const parseTags = (header: string | undefined): readonly string[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined
  const tags = tagsOf(header)
  if (tags.length > mostTags || !tags.every((tag) => entityTag.test(tag)))
    throw coreErrors.error('VALIDATION_ERROR', {
      message: 'Invalid headers',
      issues: [{ path: 'If-Match', message: 'expected * or the ETag of the resource, in its quotes' }],
    })
  return tags.map(asSent)
}

/**
 * The check that the header `If-Match` requests (RFC 9110, section 13.1.1). Without the header, and for `*`, the check accepts every
 * state. Throws VALIDATION_ERROR for a malformed header. A weak tag means the same state as the strong one: all tags of gatehouse are
 * strong, so a proxy has made it weak.
 */
export const parseIfMatch = <S extends z.ZodType>(tag: ResourceTag<S>, header: string | undefined): IfMatch<z.output<S>> => {
  const tags = parseTags(header)
  if (tags === undefined) return anyState
  return (resource) => {
    if (!tags.includes(etagOf(tag, resource))) throw coreErrors.error('PRECONDITION_FAILED')
  }
}
