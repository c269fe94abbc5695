import type { Locale } from '../../src/core/locale.ts'

/** A cookie, so that the server writes the page in this language before any script runs (`src/http/first-paint.ts`). */
const cookieName = 'gatehouse.language'

export const chosenLanguage = (): string | undefined =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1)

/** Stores the choice, or removes it. A browser without cookies forgets it at once. */
export const rememberLanguage = (locale: Locale | undefined): void => {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  const age = locale === undefined ? 0 : 31_536_000
  // biome-ignore lint/suspicious/noDocumentCookie: the other way is not in all browsers, and this one has to have happened before the page is left.
  document.cookie = `${cookieName}=${locale ?? ''}; path=/; max-age=${age}; samesite=lax${secure}`
}
