/** Writes a number of JSON in a normal form: `1.50e1` and `15` give the same text. */
const decimalOf = (literal: string): string | undefined => {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = `${whole}${fraction}`
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  const power = Number(exponent) - fraction.length + digits.length - end
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${power}`
}

/** True for a number in JSON that a double cannot represent, because it is beyond 53 bits or has too many digits. */
const isInexact = (value: number, literal: string): boolean =>
  (Number.isInteger(value) && !Number.isSafeInteger(value)) || decimalOf(literal) !== decimalOf(String(value))

/**
 * Parses JSON of other programs, in which a number may be an identifier. A number that a double cannot represent, such as
 * `9007199254740993`, becomes a text. `JSON.parse` would round it, so that two people could appear to be one. Throws SyntaxError.
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, { source = '' }: { readonly source?: string } = {}) =>
    typeof value === 'number' && isInexact(value, source) ? source : value,
  )
