/** Writes comma-separated values, quoted as in RFC 4180. Lines end with a line feed, as in other output of commands. */

/**
 * Matches text that a spreadsheet would take for a formula. Such a text begins with one of these signs, possibly in a full-width form or
 * after characters that spreadsheets skip.
 */
const formula = /^[\s\p{Cf}]*[=+\-@|\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
const plainNumber = /^[+-]?\d+(\.\d+)?$/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  // With an apostrophe at its beginning, a spreadsheet takes a value for text. Without it, names and addresses, which anybody can choose,
  // could be run as formulas.
  return typeof value === 'string' && formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * One line of values, with its line feed. If a spreadsheet would take a text for a formula, an apostrophe is added at the beginning of
 * that text.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map((value) => quoted(textOf(value))).join(',')}\n`
