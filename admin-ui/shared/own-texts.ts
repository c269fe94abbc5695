import type { Locale } from '../../src/core/locale.ts'
import { createHostedApi } from './api.ts'

interface Written {
  readonly language: Locale
  readonly texts: object
  /** Languages in which the operator has changed texts. */
  readonly languages: readonly Locale[]
}

/**
 * Loads the operator's texts. The server writes the texts of the expected language into the page, so only another language is requested.
 * If the operator's texts do not load, pages use gatehouse's own.
 */
export const loadOwnTexts = async (locale: Locale): Promise<object> => {
  const json = document.getElementById('own-texts')?.textContent
  if (!json) return {}
  const { language, texts, languages }: Written = JSON.parse(json)
  if (locale === language) return texts
  if (!languages.includes(locale)) return {}
  return createHostedApi()
    .health.texts({ params: { language: locale } })
    .catch(() => ({}))
}
