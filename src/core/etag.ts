import { z } from 'zod'
import { sha256 } from './crypto.ts'
import { coreErrors } from './errors.ts'
import type { ResourceTag } from './resource-tag.ts'

/**
 * Checks that the caller's change is based on the current state of a resource, and throws PRECONDITION_FAILED otherwise. A service calls
 * it in the transaction of the change, with the resource read there under the lock of its row (`lockRow`).
 */
export type IfMatch<Resource> = (resource: Resource) => void

/** For callers that change any state, such as commands. */
export const anyState: IfMatch<unknown> = () => undefined

/** Longest list of tags to read; a caller has one. */
const mostTags = 10

/**
 * The original tag behind the form of compressing proxies: a weak one (nginx, Cloudflare), or one with the coding (Apache, Caddy). Two
 * tags of ours never differ only in this.
 */
const asSent = (tag: string): string => tag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"')

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim())

/** True when `If-None-Match` names this tag among the tags that a client or a cache has (RFC 9110, section 13.1.2). */
export const isAmongTags = (header: string | undefined, own: string): boolean =>
  header !== undefined && (header.trim() === '*' || tagsOf(header).some((tag) => asSent(tag) === asSent(own)))

const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Fields in a fixed order, so that resources with the same values have the same tag. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  )
}

/** The strong `ETag` of a resource on the wire: it differs whenever a changeable field differs. */
export const etagOfWire = ({ schema, except }: ResourceTag, wire: unknown): string => {
  // An answer may contain more than the resource, such as names of others: the tag covers only the resource.
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined
  const isPart = (key: string) => !except.includes(key) && known?.includes(key) !== false
  const fields = Object.entries(wire as object).filter(([key, value]) => value !== undefined && isPart(key))
  return `"${sha256(JSON.stringify(ordered(Object.fromEntries(fields)))).slice(0, 32)}"`
}

/** The ETag of a resource in its domain form. */
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
 * The check for an `If-Match` header (RFC 9110, section 13.1.1); none without the header, and with `*`. Throws VALIDATION_ERROR for a
 * malformed header. Tags of ours are strong: a weak one was changed on the way, and means the same state.
 */
export const parseIfMatch = <S extends z.ZodType>(tag: ResourceTag<S>, header: string | undefined): IfMatch<z.output<S>> => {
  const tags = parseTags(header)
  if (tags === undefined) return anyState
  return (resource) => {
    if (!tags.includes(etagOf(tag, resource))) throw coreErrors.error('PRECONDITION_FAILED')
  }
}
