import type { Locale } from '../../src/core/locale.ts'
import { createHostedApi } from './api.ts'

interface Written {
  readonly language: Locale
  readonly texts: object
  /** Languages that have some. */
  readonly languages: readonly Locale[]
}

/**
 * What the operator says in other words. The server writes it into the page in the language that it expects; only another one, which the person has
 * chosen, is asked for. Without it pages speak as gatehouse does.
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
