import type { Locale } from '../../src/core/locale.ts'
import { createHostedApi } from './api.ts'

interface Written {
  readonly language: Locale
  readonly texts: object
  /** Languages with changed texts. */
  readonly languages: readonly Locale[]
}

/**
 * The operator's texts. The server writes them into the page in the expected language; only another one, which the person has chosen, is
 * requested. Without them pages use gatehouse's texts.
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
