import { isBroken } from '../../core/wire.ts'

/** The kinds of column values that both databases can store. */
export const columnKinds = ['text', 'int', 'number', 'bool', 'time', 'bytes'] as const
export type ColumnKind = (typeof columnKinds)[number]

/** A value in a backup file. It is a JSON value; types that JSON lacks are written as text. */
export type FileValue = string | number | boolean | null

/** Thrown if a value does not fit into a column or into the file. */
export class ValueError extends Error {}

const wrong = (kind: ColumnKind, value: unknown): never => {
  throw new ValueError(`a ${typeof value} where ${kind} is expected`)
}

const wholeNumber = /^-?\d{1,19}$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const isoTime = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** JSON numbers are exact only below 2^53, so larger integers are written as text. */
const encodeInt = (raw: unknown): FileValue => {
  const text = String(raw)
  if (!wholeNumber.test(text)) return wrong('int', raw)
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

const encodeTime = (raw: unknown): FileValue => {
  const value = raw instanceof Date ? raw : new Date(Number(raw))
  return Number.isNaN(value.getTime()) ? wrong('time', raw) : value.toISOString()
}

/** Converts a value that a database driver returned to its form in the file. Throws `ValueError`. */
export const encodeValue = (kind: ColumnKind, raw: unknown): FileValue => {
  if (raw === null || raw === undefined) return null
  switch (kind) {
    case 'text':
      return typeof raw === 'string' ? raw : wrong(kind, raw)
    case 'int':
      return encodeInt(raw)
    case 'number':
      return typeof raw === 'number' && Number.isFinite(raw) ? raw : wrong(kind, raw)
    case 'bool':
      // SQLite stores booleans as 0 and 1.
      return raw === true || raw === 1 ? true : raw === false || raw === 0 ? false : wrong(kind, raw)
    case 'time':
      return encodeTime(raw)
    case 'bytes':
      return Buffer.isBuffer(raw) ? raw.toString('base64') : wrong(kind, raw)
  }
}

/** Converts a value from the file to a value that both database drivers accept. Throws `ValueError`. */
export const decodeValue = (kind: ColumnKind, value: unknown): string | number | boolean | Date | Buffer | null => {
  if (value === null) return null
  switch (kind) {
    case 'text':
      return typeof value === 'string' && !isBroken(value) ? value : wrong(kind, value)
    case 'int':
      if (typeof value === 'string' && wholeNumber.test(value)) return value
      return Number.isSafeInteger(value) ? (value as number) : wrong(kind, value)
    case 'number':
      return typeof value === 'number' ? value : wrong(kind, value)
    case 'bool':
      return typeof value === 'boolean' ? value : wrong(kind, value)
    case 'time': {
      const time = typeof value === 'string' && isoTime.test(value) ? new Date(value) : wrong(kind, value)
      return Number.isNaN(time.getTime()) ? wrong(kind, value) : time
    }
    case 'bytes':
      return typeof value === 'string' && base64.test(value) ? Buffer.from(value, 'base64') : wrong(kind, value)
  }
}
