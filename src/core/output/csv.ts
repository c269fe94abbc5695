/** Comma-separated values as RFC 4180 quotes them. Lines end with a line feed, as text does where commands run. */

/** Characters that start a formula in a spreadsheet, also in full-width forms, and after characters that spreadsheets skip. */
const formula = /^[\s\p{Cf}]*[=+\-@|\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
const plainNumber = /^[+-]?\d+(\.\d+)?$/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  // A leading apostrophe makes it text: names and addresses come from unchecked people.
  return typeof value === 'string' && formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** One line, its line feed included. Texts that a spreadsheet would run as a formula begin with an apostrophe. */
export const csvLine = (values: readonly unknown[]): string => `${values.map((value) => quoted(textOf(value))).join(',')}\n`
