import { z } from 'zod'
import { sha256 } from './crypto.ts'
import { coreErrors } from './errors.ts'
import type { ResourceTag } from './resource-tag.ts'

/**
 * Checks that a change is based on the current state of a resource. Throws PRECONDITION_FAILED otherwise. A service calls it in the
 * transaction of the change. It passes the resource that it has read in this transaction, under the lock of its row (`lockRow`).
 */
export type IfMatch<Resource> = (resource: Resource) => void

/** For callers that may change a resource in any state, such as commands. */
export const anyState: IfMatch<unknown> = () => undefined

/** Largest number of tags that are read from a header. A caller has one. */
const mostTags = 10

/**
 * The tag as gatehouse sent it. A proxy that compresses answers makes the tag weak (nginx, Cloudflare) or adds the coding (Apache,
 * Caddy). No two tags of ours differ only in this.
 */
const asSent = (tag: string): string => tag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"')

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim())

/** True when `If-None-Match` names this tag (RFC 9110, section 13.1.2). */
export const isAmongTags = (header: string | undefined, own: string): boolean =>
  header !== undefined && (header.trim() === '*' || tagsOf(header).some((tag) => asSent(tag) === asSent(own)))

const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Puts fields into a fixed order, so that resources with equal values have the same tag. */
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
  // An answer may contain more than the resource, such as the names of other resources. The tag covers only the resource.
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
 * The check that an `If-Match` header asks for (RFC 9110, section 13.1.1). Without a header, and with `*`, every state is accepted.
 * Throws VALIDATION_ERROR for a malformed header. Our tags are strong, so a weak tag was changed on its way, and means the same state.
 */
export const parseIfMatch = <S extends z.ZodType>(tag: ResourceTag<S>, header: string | undefined): IfMatch<z.output<S>> => {
  const tags = parseTags(header)
  if (tags === undefined) return anyState
  return (resource) => {
    if (!tags.includes(etagOf(tag, resource))) throw coreErrors.error('PRECONDITION_FAILED')
  }
}
