import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ColumnKind, decodeValue, encodeValue, ValueError } from '../../src/backup/rules/values.ts'
import { isBroken } from '../../src/core/wire.ts'

/** The value after it was written to a file as JSON and read again. */
const through = (kind: ColumnKind, raw: unknown) => decodeValue(kind, JSON.parse(JSON.stringify(encodeValue(kind, raw))))

const kinds: readonly ColumnKind[] = ['text', 'int', 'number', 'bool', 'time', 'bytes']
const text = fc.string({ unit: 'binary' }).filter((one) => !isBroken(one))

test('text, even text that is JSON, is the same after a backup and a restore', () => {
  fc.assert(fc.property(text, (value) => void expect(through('text', value)).toBe(value)))
  fc.assert(fc.property(fc.json(), (value) => void expect(through('text', value)).toBe(value)))
})

test('integers of 64 bits keep every digit in a backup, in whatever form the driver returns them', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      (value) => void expect(BigInt(through('int', String(value)) as string | number)).toBe(value),
    ),
  )
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      (value) => void expect(Number(through('int', value))).toBe(Object.is(value, -0) ? 0 : value),
    ),
  )
})

test('times keep their milliseconds in a backup, from PostgreSQL (Date) and SQLite (number) alike', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (value) => {
      expect(through('time', value)).toEqual(value)
      expect(through('time', value.getTime())).toEqual(value)
    }),
  )
})

test('booleans of both drivers, bytes and fractions are the same after a backup and a restore', () => {
  for (const [raw, value] of [
    [true, true],
    [1, true],
    [false, false],
    [0, false],
  ] as const)
    expect(through('bool', raw)).toBe(value)
  fc.assert(
    fc.property(fc.uint8Array(), (value) => void expect(through('bytes', Buffer.from(value))).toEqual(Buffer.from(value))),
  )
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (value) => void expect(through('number', value)).toBe(Object.is(value, -0) ? 0 : value),
    ),
  )
})

test('null stays null in a backup, in every type of column', () => {
  for (const kind of kinds) expect(through(kind, null)).toBeNull()
})

test("a value in a backup is either refused or of the column's type", () => {
  const types: Readonly<Record<ColumnKind, (value: unknown) => boolean>> = {
    text: (value) => typeof value === 'string',
    int: (value) => typeof value === 'number' || /^-?\d+$/.test(String(value)),
    number: (value) => typeof value === 'number',
    bool: (value) => typeof value === 'boolean',
    time: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    bytes: Buffer.isBuffer,
  }
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.jsonValue(), (kind, value) => {
      try {
        const decoded = decodeValue(kind, value)
        expect(decoded === null || types[kind](decoded)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
  )
})
