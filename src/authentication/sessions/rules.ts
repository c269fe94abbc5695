const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera|OPiOS)\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

/** The first pattern that matches decides. An iPhone also says "Mac OS X", and Android also says "Linux". */
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const nameIn = (text: string, names: readonly (readonly [pattern: RegExp, name: string])[]) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * The readable name of a browser, such as "Firefox on Linux". A client that is no known browser is shown by the name that it sends, but
 * only if that name cannot be a mail address or URL.
 */
export const deviceOf = (userAgent: string): string => {
  const system = nameIn(userAgent, systems)
  const browser = nameIn(userAgent, browsers) ?? (system === undefined ? /^([\w-]{1,40})\//.exec(userAgent)?.[1] : undefined)
  if (browser === undefined) return system === undefined ? 'Unknown device' : `Unknown browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}

export interface Lifetimes {
  readonly expiresInSeconds: number
  readonly updateAgeSeconds: number
  readonly absoluteExpiresInSeconds: number
  readonly lastUseSeconds: number
}

interface Ages {
  readonly rememberMe: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
}

const secondsAfter = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)

/**
 * The changes to a session when it is used at `now`; undefined if nothing changes. A session that is older than the update age is
 * extended, but never beyond its absolute end. A session that ends with the browser is never extended. Not every use changes the stored
 * time of the last use.
 */
export const changeByUse = (
  session: Ages,
  now: Date,
  life: Lifetimes,
): { readonly expiresAt: Date; readonly extended: boolean } | undefined => {
  const end = Math.min(
    secondsAfter(now, life.expiresInSeconds).getTime(),
    secondsAfter(session.createdAt, life.absoluteExpiresInSeconds).getTime(),
  )
  const isDue = secondsAfter(session.expiresAt, life.updateAgeSeconds - life.expiresInSeconds) <= now
  if (session.rememberMe && isDue && end > session.expiresAt.getTime()) return { expiresAt: new Date(end), extended: true }
  const isUseDue = secondsAfter(session.updatedAt, life.lastUseSeconds) <= now
  return isUseDue ? { expiresAt: session.expiresAt, extended: false } : undefined
}
