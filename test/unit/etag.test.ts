import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AppError } from '../../src/core/errors.ts'
import { etagOf, etagOfWire, parseIfMatch } from '../../src/core/etag.ts'
import { resourceTag } from '../../src/core/resource-tag.ts'
import { instant } from '../../src/core/wire.ts'

const Thing = z.object({ id: z.string(), name: z.string(), createdAt: instant, lastUsedAt: instant.nullable() })
const tag = resourceTag(Thing, { except: ['lastUsedAt'] })
const at = new Date('2026-11-22T10:00:00Z')
const thing = { id: 't1', name: 'One', createdAt: at, lastUsedAt: null }

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as AppError).code
  }
}

describe('the ETag of a resource', () => {
  test('the ETag of a resource is strong and differs whenever one of its fields does', () => {
    const own = etagOf(tag, thing)
    expect(own).toMatch(/^"[0-9a-f]{32}"$/)
    const others = [
      { ...thing, id: 't2' },
      { ...thing, name: 'Two' },
      { ...thing, createdAt: new Date(at.getTime() + 1) },
    ].map((other) => etagOf(tag, other))
    expect(new Set([own, ...others]).size).toBe(4)
  })

  test('the ETag of a resource does not depend on the order of fields or the time of its last use', () => {
    const { id, name, createdAt } = thing
    expect(etagOf(tag, { lastUsedAt: at, createdAt, name, id })).toBe(etagOf(tag, thing))
    expect(etagOfWire(tag, z.encode(Thing, thing))).toBe(etagOf(tag, thing))
  })
})

describe('the header If-Match', () => {
  const own = etagOf(tag, thing)
  const check = (header: string | undefined) => codeOf(() => parseIfMatch(tag, header)(thing))

  test('a missing If-Match, or a star, matches every state', () => {
    expect([undefined, '*', ' * '].map(check)).toEqual([undefined, undefined, undefined])
  })

  test('a change is made if one of the ETags in If-Match belongs to the present state', () => {
    expect([check(own), check(`"other", ${own}`), check(` W/"b" ,${own} `)]).toEqual([undefined, undefined, undefined])
  })

  test('a change is refused if the ETag in If-Match belongs to another state', () => {
    expect([check('"other"'), check('W/"other"'), check('"other","another"')]).toEqual(Array(3).fill('PRECONDITION_FAILED'))
  })

  test('an ETag in If-Match matches in the form of proxies that compress the response: weak, or with the encoding', () => {
    const coded = (coding: string) => own.replace(/"$/, `-${coding}"`)
    for (const rewritten of [`W/${own}`, coded('gzip'), coded('br'), coded('zstd'), coded('deflate'), `W/${coded('gzip')}`])
      expect(check(rewritten), rewritten).toBeUndefined()
    for (const other of [coded('other'), coded('gzip-br'), own.replace(/"$/, 'gzip"'), '"-gzip"'])
      expect(check(other), other).toBe('PRECONDITION_FAILED')
  })

  test('a malformed If-Match is refused', () => {
    for (const wrong of ['', 'a', '"a', 'a"', '"a" "b"', '"a",', '"a", *', 'w/"a"', '"\u0001"', Array(11).fill('"a"').join(',')])
      expect(check(wrong), wrong).toBe('VALIDATION_ERROR')
  })
})
