/**
 * Names of browsers in user agents. The first match counts, because browsers include the names of others. The server has the same list in
 * `sessions/rules.ts`.
 */
const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|Opera|OPiOS)\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Yandex Browser', /\bYaBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
] as const

const firstOf = (list: readonly (readonly [string, RegExp])[], text: string) => list.find(([, sign]) => sign.test(text))?.[0]

/** Browser and system of a user agent; undefined if either is unknown. */
export const deviceOf = (userAgent: string): { readonly browser: string; readonly system: string } | undefined => {
  const browser = firstOf(browsers, userAgent)
  const system = firstOf(systems, userAgent)
  return browser === undefined || system === undefined ? undefined : { browser, system }
}

/** The name of a program that is not a browser, for example `curl`. */
export const programOf = (userAgent: string): string | undefined =>
  firstOf(systems, userAgent) === undefined ? /^([\w.-]{1,40})\//.exec(userAgent)?.[1] : undefined

/** True for a handheld device. */
export const isHandheld = (userAgent: string): boolean => /\b(iPhone|Android|Mobile)\b/.test(userAgent)

/** True for addresses of networks that are not part of the internet (RFC 1918, RFC 4193, loopback and link-local). */
export const isPrivate = (address: string): boolean =>
  /^(10\.|127\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(
    address.replace(/^::ffff:/i, ''),
  )
