import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listOf, objectWith, parseStored, record, recordOf, texts } from '../../src/core/stored-json.ts'

const isText = (value: unknown): value is string => typeof value === 'string'
const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const refused = 'stored JSON is not what is expected'

test('stored JSON either has the type of the parser and the same value, or is refused', () => {
  const promises = [
    [record, isRecord],
    [texts, (value: unknown) => Array.isArray(value) && value.every(isText)],
    [recordOf(isText), (value: unknown) => isRecord(value) && Object.values(value as object).every(isText)],
    [listOf(record), (value: unknown) => Array.isArray(value) && value.every(isRecord)],
  ] as const
  const stored = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.string()),
    fc.dictionary(fc.string(), fc.string()),
    fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
  )
  fc.assert(
    fc.property(stored, (value) => {
      for (const [parser, isPromised] of promises) {
        if (isPromised(value))
          expect(parseStored<unknown>(parser, JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
        else expect(() => parser.parse(value)).toThrow(refused)
      }
    }),
  )
})

interface Thing {
  readonly id: string
  readonly name: string | null
  readonly count: number
  readonly isOn: boolean
  readonly parts: readonly string[]
  readonly more: { readonly a: number }
}
const things = objectWith<Thing>({
  ...{ id: 'text', name: 'text or null', count: 'number' },
  ...{ isOn: 'boolean', parts: 'list', more: 'object' },
})
const thing = { id: 'a', name: null, count: 1, isOn: false, parts: [], more: { a: 1 }, other: [null] }

test('stored JSON with all required fields is returned unchanged, with its other fields', () => {
  expect(things.parse(thing)).toBe(thing)
  expect(things.parse({ ...thing, name: 'x' }).name).toBe('x')
})

test('stored JSON with a missing or wrong field is refused, and the message does not contain its value', () => {
  for (const wrong of [{ id: 7 }, { name: 7 }, { count: 's3cret' }, { isOn: 0 }, { parts: {} }, { more: [] }, { more: null }]) {
    expect(() => things.parse({ ...thing, ...wrong })).toThrow(refused)
    expect(() => things.parse({ ...thing, ...wrong })).not.toThrow('s3cret')
  }
  for (const key of Object.keys(thing).filter((name) => name !== 'other'))
    expect(() => things.parse({ ...thing, [key]: undefined })).toThrow(refused)
  expect(() => things.parse([thing])).toThrow(refused)
  const loose = objectWith<Partial<Thing>>({}, { parts: 'list' })
  expect([loose.parse({}), loose.parse({ parts: [] })]).toEqual([{}, { parts: [] }])
  expect(() => loose.parse({ parts: 'x' })).toThrow(refused)
  // @ts-expect-error: a text is not said to be a number
  objectWith<Thing>({ id: 'number' })
})
