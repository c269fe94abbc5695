/** Domain names in other letters than ASCII (IDNA, RFC 5890 and UTS #46). Pages use it too: it knows neither Node nor zod. */

/** Full stops of UTS #46. */
const dots = /[.\u3002\uff0e\uff61]/u

/** The host of a URL, in ASCII. `URL.canParse` is younger than the oldest browsers that pages work in. */
const hostInAscii = (domain: string): string | undefined => {
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return undefined
  }
}

/**
 * The ASCII form of a domain: `exämple.de` is `xn--exmple-cua.de`. Undefined for a label without one, or one whose letters become ASCII,
 * like full-width letters: readers have to see the real letters.
 */
export const domainToAscii = (domain: string): string | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(domain)) return domain
  // A URL would end the host at one of these.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/[\x00-\x7f]/.test(domain.replace(/[A-Za-z0-9.-]/g, ''))) return undefined
  const ascii = hostInAscii(domain)
  if (ascii === undefined) return undefined
  const labels = ascii.split('.')
  const written = domain.split(dots)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  const isKept = written.every((label, i) => /^[\x00-\x7f]*$/.test(label) || labels[i]?.startsWith('xn--'))
  return isKept && labels.length === written.length ? ascii : undefined
}

/** Distances between the code points of Punycode after each of them (RFC 3492, 6.1). */
const adapted = (delta: number, points: number, isFirst: boolean): number => {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / points)
  let k = 0
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35)
  return k + Math.floor((36 * rest) / (rest + 38))
}

/** Decodes Punycode (RFC 3492, 6.2); undefined for other text. */
const decodePunycode = (text: string): string | undefined => {
  const end = Math.max(text.lastIndexOf('-'), 0)
  const points = [...text.slice(0, end)].map((letter) => letter.codePointAt(0) ?? 0)
  let [point, position, bias] = [128, 0, 72]
  for (let at = end === 0 ? 0 : end + 1; at < text.length; ) {
    const start = position
    for (let [weight, k] = [1, 36]; ; k += 36) {
      const digit = Number.parseInt(text[at] ?? '', 36)
      if (Number.isNaN(digit)) return undefined
      // `0` to `9` are the digits after `z`; parseInt counts them first.
      const value = digit < 10 ? digit + 26 : digit - 10
      at += 1
      position += value * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (value < threshold) break
      weight *= 36 - threshold
    }
    bias = adapted(position - start, points.length + 1, start === 0)
    point += Math.floor(position / (points.length + 1))
    position %= points.length + 1
    if (point > 0x10ffff) return undefined
    points.splice(position, 0, point)
    position += 1
  }
  return String.fromCodePoint(...points)
}

/** Scripts that may be mixed in a word (UTS #39, 5.1); otherwise a word has one script. */
const singleScripts = [
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}a-z]+$/u,
]
const scriptOf = ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Thai', 'Lao', 'Khmer']
  .concat('Georgian', 'Armenian', 'Ethiopic', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Sinhala', 'Oriya', 'Myanmar')
  .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]+$`, 'u'))
/** Letters similar to Latin ones: a word of only these letters looks like a Latin word. */
const lookalikes = /^[асԁеһіјӏорԛѕԝхуъьпгѵѡοορνικ0-9-]+$/u

/** The readable form of a label; the ASCII form where the readable one is ambiguous, or not the normal spelling. */
const readableLabel = (label: string): string => {
  const text = label.startsWith('xn--') && label.length <= 63 ? decodePunycode(label.slice(4)) : undefined
  const isPlain =
    text !== undefined &&
    [...singleScripts, ...scriptOf].some((script) => script.test(text)) &&
    !lookalikes.test(text) &&
    domainToAscii(text) === label
  return isPlain ? text : label
}

/** The text with readable domains in its addresses: `jorg@exämple.de` for `jorg@xn--exmple-cua.de`. */
export const readableAddresses = (text: string): string =>
  text.includes('xn--')
    ? text.replace(/(?<=[^\s@]@)[a-z0-9.-]+/g, (domain) => domain.split('.').map(readableLabel).join('.'))
    : text
