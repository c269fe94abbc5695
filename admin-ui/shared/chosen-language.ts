import type { Locale } from '../../src/core/locale.ts'

/**
 * Name of the cookie with the chosen language. It is a cookie so that the server can write the page in this language before any script
 * runs (`src/http/first-paint.ts`).
 */
const cookieName = 'gatehouse.language'

export const chosenLanguage = (): string | undefined =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1)

/** Stores the choice; undefined removes it. A browser without cookies forgets it when the page is left. */
export const rememberLanguage = (locale: Locale | undefined): void => {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  const age = locale === undefined ? 0 : 31_536_000
  // biome-ignore lint/suspicious/noDocumentCookie: not all browsers have the Cookie Store API, and it would finish after the page is left.
  document.cookie = `${cookieName}=${locale ?? ''}; path=/; max-age=${age}; samesite=lax${secure}`
}
