import type { Setting, Value } from './draft.ts'

/** The kinds of controls for settings. */
export type Kind = 'switch' | 'choice' | 'number' | 'lines' | 'json' | 'secret' | 'text'

const isList = (value: Value): value is Value[] => Array.isArray(value)
const isPlainList = (value: Value) => isList(value) && value.every((one) => typeof one !== 'object')
const isNested = (value: Value) => typeof value === 'object' && value !== null && !isPlainList(value)

/** The kind of control for a setting. `type` is written as in the configuration reference: `boolean`, `integer`, `array`, `auto, array`. */
export const kindOf = ({ type, options, isSecret, value, default: base }: Setting): Kind => {
  if (isSecret) return 'secret'
  if (type === 'boolean') return 'switch'
  if (options !== null) return 'choice'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'object' || isNested(value) || isNested(base)) return 'json'
  return type === 'array' ? 'lines' : 'text'
}

/** Formats a value as the text that its control shows. */
export const textOf = (kind: Kind, value: Value): string => {
  if (value === null || value === undefined) return ''
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (isList(value)) return value.join(kind === 'lines' ? '\n' : ', ')
  return String(value)
}

const words = (text: string) =>
  text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Parses the text of a control. An empty text gives undefined, which means the default. Throws if the text is invalid. */
export const parseText = (kind: Kind, { type }: Pick<Setting, 'type'>, text: string): Value | undefined => {
  const trimmed = text.trim()
  if (kind === 'lines') return words(text)
  if (trimmed === '') return undefined
  if (kind === 'json') return JSON.parse(trimmed)
  const isNumber = /^-?\d+(\.\d+)?$/.test(trimmed)
  if (kind === 'number') {
    if (!isNumber) throw new Error('no number')
    return Number(trimmed)
  }
  const kinds = type.split(', ')
  if (isNumber && kinds.some((one) => one === 'integer' || one === 'number')) return Number(trimmed)
  if (kinds.includes('array') && !kinds.includes(trimmed)) return words(text)
  return kind === 'secret' ? text : trimmed
}
