/** Writes a JSON number in a normal form, so that two spellings of a number can be compared: `1.50e1` and `15` give the same text. */
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

/** True for a JSON number that JavaScript would round, because it has more than 53 bits or too many digits. */
const isInexact = (value: number, literal: string): boolean =>
  (Number.isInteger(value) && !Number.isSafeInteger(value)) || decimalOf(literal) !== decimalOf(String(value))

/**
 * Parses JSON from another program, which may use numbers as identifiers. A number that JavaScript would round, such as
 * `9007199254740993`, becomes a text. `JSON.parse` would round it, and two people could appear to be one. Throws SyntaxError.
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, { source = '' }: { readonly source?: string } = {}) =>
    typeof value === 'number' && isInexact(value, source) ? source : value,
  )
