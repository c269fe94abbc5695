import { z } from 'zod'
import { sha256 } from './crypto.ts'
import { coreErrors } from './errors.ts'
import type { ResourceTag } from './resource-tag.ts'

/**
 * Checks that a resource is in a state that the caller takes as the basis of its change, and throws PRECONDITION_FAILED when it is in another.
 * A service calls it inside the transaction of the change, with the resource as it was read there while its row is locked (`lockRow`).
 */
export type IfMatch<Resource> = (resource: Resource) => void

/** For callers that change whatever there is, such as commands. */
export const anyState: IfMatch<unknown> = () => undefined

/** Longest list of tags that is read. A caller has one. */
const mostTags = 10

/**
 * The original tag, from the form that compressing proxies give it: a weak one (nginx, Cloudflare), or one that names the coding (Apache,
 * Caddy). Two of ours never differ in that alone.
 */
const asSent = (tag: string): string => tag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"')

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim())

/** True when `If-None-Match` names this tag among the tags that a client or a cache has (RFC 9110, section 13.1.2). */
export const isAmongTags = (header: string | undefined, own: string): boolean =>
  header !== undefined && (header.trim() === '*' || tagsOf(header).some((tag) => asSent(tag) === asSent(own)))

const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Fields in one order: two resources with the same values have the same tag, however they were put together. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  )
}

/** The strong `ETag` of a resource as it is on the wire: another one whenever a field differs that can be changed. */
export const etagOfWire = ({ schema, except }: ResourceTag, wire: unknown): string => {
  // An answer may hold more than the resource, such as the names of other resources: a change is based on the state of the resource alone.
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined
  const isPart = (key: string) => !except.includes(key) && known?.includes(key) !== false
  const fields = Object.entries(wire as object).filter(([key, value]) => value !== undefined && isPart(key))
  return `"${sha256(JSON.stringify(ordered(Object.fromEntries(fields)))).slice(0, 32)}"`
}

/** The ETag of a resource, computed from the form that the domain uses. */
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
 * The check that an `If-Match` header asks for (RFC 9110, section 13.1.1): none without it, and with `*`. Throws VALIDATION_ERROR on a header that
 * is not well-formed. None of our resources has a weak tag: one that comes back as weak was made so on the way, and names the same state.
 */
export const parseIfMatch = <S extends z.ZodType>(tag: ResourceTag<S>, header: string | undefined): IfMatch<z.output<S>> => {
  const tags = parseTags(header)
  if (tags === undefined) return anyState
  return (resource) => {
    if (!tags.includes(etagOf(tag, resource))) throw coreErrors.error('PRECONDITION_FAILED')
  }
}
