/** Comma-separated values, quoted as in RFC 4180. Lines end with a line feed, as other text of commands does. */

/**
 * Text that a spreadsheet would take for a formula: one of these signs at the beginning, also in a full-width form, and also after
 * characters that spreadsheets skip.
 */
const formula = /^[\s\p{Cf}]*[=+\-@|\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
const plainNumber = /^[+-]?\d+(\.\d+)?$/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  // An apostrophe at the beginning makes the value a text. Names and addresses come from people who are not trusted.
  return typeof value === 'string' && formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** One line with its line feed. A text that a spreadsheet would run as a formula gets an apostrophe at its beginning. */
export const csvLine = (values: readonly unknown[]): string => `${values.map((value) => quoted(textOf(value))).join(',')}\n`
