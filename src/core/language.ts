import type { RequestContext } from '../core/request-context.ts'
import { type Locale, languageCodes, pickLocale } from './locale.ts'
import { daySeconds, hourSeconds } from './time.ts'
import { readTimeZone } from './time-zone.ts'

/** The requested languages, best first (RFC 9110, section 12.5.4). Refused (`q=0`) and malformed ones are left out. */
export const acceptedLanguages = (header: string): readonly string[] =>
  header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
      const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
      return { tag, quality }
    })
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)

/** The number of the requested language. Null if none is requested or supported. */
export const languageOfCall = ({ acceptLanguage }: Pick<RequestContext, 'acceptLanguage'>): number | null => {
  const locale = pickLocale(acceptedLanguages(acceptLanguage ?? ''))
  return locale === undefined ? null : languageCodes[locale]
}

/** The recipient of a mail with a language: the one that the user chose, else the one of the request that caused the mail. */
export const inLanguageOf = <T extends { readonly language: number | null }>(
  call: Pick<RequestContext, 'acceptLanguage'>,
  recipient: T,
): T => (recipient.language === null ? { ...recipient, language: languageOfCall(call) } : recipient)

const secondsOf = { day: daySeconds, hour: hourSeconds, minute: 60 } as const

/**
 * A duration in words: minutes ("60 minutes"), from two hours hours, and from three days days. The larger unit is used only for whole
 * numbers.
 */
export const durationIn = (locale: Locale, seconds: number): string => {
  const inHours = seconds >= 3 * secondsOf.day && seconds % secondsOf.day === 0 ? 'day' : 'hour'
  const unit = seconds < 2 * secondsOf.hour ? 'minute' : inHours
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.round(seconds / secondsOf[unit]))
}

/** How long to wait, in words: seconds up to two minutes, then minutes or hours, rounded up. */
export const waitIn = (locale: Locale, seconds: number): string => {
  const unit = seconds <= 2 * secondsOf.minute ? 'second' : seconds <= 2 * secondsOf.hour ? 'minute' : 'hour'
  const amount = unit === 'second' ? seconds : Math.ceil(seconds / secondsOf[unit])
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
}

/** A time with the time zone of its reader. UTC if the zone is unknown, or if this version of `Intl` lacks it. */
export const timeIn = (locale: Locale, at: Date, timeZone: string | null = null): string => {
  const zone = readTimeZone(timeZone) ?? 'UTC'
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(at)
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(at)
  return `${time} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone}`
}

/** Replaces the placeholders in braces by values. Braces in the values stay. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

/** Letters of any script, digits and the signs that occur in names. */
const isNameLike = /^[\p{L}\p{M}\p{N} .,'’&()+_–-]+$/u
/** Signs that a name contains a message: invisible and stacked characters, text that mail programs turn into a link, and telephone numbers. */
const carriesMore = /[\p{DI}\u2800]|\p{M}{4}| {2}|\.\S|\d(?:[ .,()+_–-]*\d){5}/u
const longestName = 40

/** True for a name that a mail may contain. People choose their names, and a name could contain a message or an address. */
export const isPlainName = (name: string): boolean => {
  const shown = name.normalize('NFKC')
  return shown.trim() !== '' && [...shown].length <= longestName && isNameLike.test(shown) && !carriesMore.test(shown)
}
