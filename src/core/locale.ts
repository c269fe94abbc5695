/** The languages of pages and mails. The numbers are those of the accounts specification, section 1. */
export const languageCodes = { ru: 0, uk: 1, en: 3, es: 4, de: 6, pl: 15, fr: 16, tr: 82 } as const

/** A language, such as `de`. It is the first part of a language tag. */
export type Locale = keyof typeof languageCodes

export const locales = Object.keys(languageCodes) as readonly Locale[]

/** The language with this stored number. Undefined for null and for an unknown number. */
export const localeOf = (code: number | null): Locale | undefined => locales.find((locale) => languageCodes[locale] === code)

/** Of the requested languages (`de-AT`, `uk`), the first one that is supported. Undefined if none is. */
export const pickLocale = (wanted: readonly string[]): Locale | undefined => {
  for (const tag of wanted) {
    const primary = tag.trim().toLowerCase().split(/[-_]/)[0]
    const found = locales.find((locale) => locale === primary)
    if (found !== undefined) return found
  }
  return undefined
}
