/**
 * Domain names with letters other than ASCII (IDNA, RFC 5890 and UTS #46). The pages load this module, too, so it must use neither Node
 * nor zod.
 */

/** The characters that UTS #46 treats as a full stop. */
const dots = /[.\u3002\uff0e\uff61]/u

/**
 * The host of a URL, written in ASCII. Undefined if the URL is invalid. It does not use `URL.canParse`, because the oldest supported
 * browsers lack it.
 */
const hostInAscii = (domain: string): string | undefined => {
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return undefined
  }
}

/**
 * The ASCII form of a domain: `xn--exmple-cua.de` for `exämple.de`. Undefined if a label has no ASCII form. Also undefined if a label
 * contains letters that would turn into ASCII letters, such as full-width ones: people have to see the letters that are used.
 */
export const domainToAscii = (domain: string): string | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(domain)) return domain
  // A URL parser would end the host at one of these characters.
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

/** Computes the bias for decoding the next distance between code points (RFC 3492, section 6.1). */
const adapted = (delta: number, points: number, isFirst: boolean): number => {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / points)
  let k = 0
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35)
  return k + Math.floor((36 * rest) / (rest + 38))
}

/** Decodes Punycode (RFC 3492, section 6.2). Undefined for a text that is not Punycode. */
const decodePunycode = (text: string): string | undefined => {
  const end = Math.max(text.lastIndexOf('-'), 0)
  const points = [...text.slice(0, end)].map((letter) => letter.codePointAt(0) ?? 0)
  let [point, position, bias] = [128, 0, 72]
  for (let at = end === 0 ? 0 : end + 1; at < text.length; ) {
    const start = position
    for (let [weight, k] = [1, 36]; ; k += 36) {
      const digit = Number.parseInt(text[at] ?? '', 36)
      if (Number.isNaN(digit)) return undefined
      // In Punycode the digits are `a` to `z`, then `0` to `9`. `parseInt` puts `0` to `9` first.
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

/** Scripts that may be used together in one word (UTS #39, section 5.1). In any other word, all letters must have the same script. */
const singleScripts = [
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}a-z]+$/u,
]
const scriptOf = ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Thai', 'Lao', 'Khmer']
  .concat('Georgian', 'Armenian', 'Ethiopic', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Sinhala', 'Oriya', 'Myanmar')
  .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]+$`, 'u'))
/** Matches words of letters that look like Latin letters. Such a word looks like a Latin word. */
const lookalikes = /^[асԁеһіјӏорԛѕԝхуъьпгѵѡοορνικ0-9-]+$/u

/** The readable form of a label. If that form could be confused with another label, or is not the normal spelling, the ASCII form is returned. */
const readableLabel = (label: string): string => {
  const text = label.startsWith('xn--') && label.length <= 63 ? decodePunycode(label.slice(4)) : undefined
  const isPlain =
    text !== undefined &&
    [...singleScripts, ...scriptOf].some((script) => script.test(text)) &&
    !lookalikes.test(text) &&
    domainToAscii(text) === label
  return isPlain ? text : label
}

/** Makes the domains of email addresses in a text readable: `jorg@exämple.de` for `jorg@xn--exmple-cua.de`. */
export const readableAddresses = (text: string): string =>
  text.includes('xn--')
    ? text.replace(/(?<=[^\s@]@)[a-z0-9.-]+/g, (domain) => domain.split('.').map(readableLabel).join('.'))
    : text
