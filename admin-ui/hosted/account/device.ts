/** First match wins: browsers name their ancestors too. */
const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

const firstOf = (list: readonly (readonly [string, RegExp])[], text: string) => list.find(([, sign]) => sign.test(text))?.[0]

/** Browser and system in words, or undefined when the text tells neither. */
export const deviceOf = (userAgent: string): { readonly browser: string; readonly system: string } | undefined => {
  const browser = firstOf(browsers, userAgent)
  const system = firstOf(systems, userAgent)
  return browser === undefined || system === undefined ? undefined : { browser, system }
}
