import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/core/exact-json.ts'

test.each([
  ['9007199254740993', '9007199254740993'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['18446744073709551615', '18446744073709551615'],
  ['100000000000000000000000000000000000001', '100000000000000000000000000000000000001'],
  ['9007199254740992', '9007199254740992'],
  ['1e20', '1e20'],
  ['1.00000000000000001', '1.00000000000000001'],
  ['9.007199254740993e15', '9.007199254740993e15'],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
])('the number %s becomes its text, because a double may round the number', (json, text) => {
  expect(parseExactJson(json)).toBe(text)
  expect(parseExactJson(`{"a":{"b":[1,{"id":${json}}]}}`)).toEqual({ a: { b: [1, { id: text }] } })
})

test.each(['0', '-0', '5', '-5', '1.0', '1.50', '1e3', '1E+3', '0.1', '9007199254740991', '-9007199254740991', '5e-324'])(
  'the number %s stays a number, because a double represents the number exactly',
  (json) => expect(parseExactJson(json)).toBe(JSON.parse(json)),
)

test('text stays text, the last of two equal members counts, and a member called __proto__ is an ordinary member', () => {
  expect(parseExactJson('"9007199254740993"')).toBe('9007199254740993')
  expect(parseExactJson('{"id":9007199254740993,"id":9007199254740995}')).toEqual({ id: '9007199254740995' })
  expect(parseExactJson('{"id":9007199254740993,"id":1}')).toEqual({ id: 1 })
  const odd = parseExactJson('{"__proto__":{"id":9007199254740993}}')
  expect([Object.keys(odd as object), Object.getPrototypeOf(odd) === Object.prototype]).toEqual([['__proto__'], true])
})

test('invalid JSON throws like JSON.parse', () => {
  for (const text of ['', '{', '01', 'NaN', '{"a":1,}']) expect(() => parseExactJson(text)).toThrow(SyntaxError)
})

test('two different integers are never read as equal', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.bigInt({ min: 1n, max: 4096n }), (a, distance) => {
      const read = parseExactJson(String(a))
      expect(typeof read === 'number' ? BigInt(read) : read).toBe(typeof read === 'number' ? a : String(a))
      expect(String(parseExactJson(String(a)))).not.toBe(String(parseExactJson(String(a + distance))))
    }),
  )
})
