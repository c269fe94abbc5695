import type { Locale } from '../../src/core/locale.ts'

/** A cookie, so that the server draws the page in it before any script runs (`src/http/first-paint.ts`). */
const cookieName = 'gatehouse.language'

export const chosenLanguage = (): string | undefined =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1)

/** Remembers the choice, or forgets it. A browser that keeps no cookies forgets it at once. */
export const rememberLanguage = (locale: Locale | undefined): void => {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  const age = locale === undefined ? 0 : 31_536_000
  // biome-ignore lint/suspicious/noDocumentCookie: the other way is not in all browsers, and this one has to have happened before the page is left.
  document.cookie = `${cookieName}=${locale ?? ''}; path=/; max-age=${age}; samesite=lax${secure}`
}
