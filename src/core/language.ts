import type { RequestContext } from '../core/request-context.ts'
import { type Locale, languageCodes, pickLocale } from './locale.ts'
import { daySeconds, hourSeconds } from './time.ts'
import { readTimeZone } from './time-zone.ts'

/**
 * The languages that a browser requests, best first (RFC 9110, section 12.5.4). Languages that it refuses (`q=0`) and malformed entries
 * are left out.
 */
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

/** The number of the language that a request asks for. Null if it asks for none, or for none that is supported. */
export const languageOfCall = ({ acceptLanguage }: Pick<RequestContext, 'acceptLanguage'>): number | null => {
  const locale = pickLocale(acceptedLanguages(acceptLanguage ?? ''))
  return locale === undefined ? null : languageCodes[locale]
}

/**
 * Returns the recipient of a mail with the language of the mail: the language that the user chose, or else the language of the request
 * that caused the mail.
 */
export const inLanguageOf = <T extends { readonly language: number | null }>(
  call: Pick<RequestContext, 'acceptLanguage'>,
  recipient: T,
): T => (recipient.language === null ? { ...recipient, language: languageOfCall(call) } : recipient)

const secondsOf = { day: daySeconds, hour: hourSeconds, minute: 60 } as const

/**
 * A duration in words. It is given in minutes ("60 minutes"), from two hours in hours, and from three days in days. The larger unit is
 * used only if the result is a whole number.
 */
export const durationIn = (locale: Locale, seconds: number): string => {
  const inHours = seconds >= 3 * secondsOf.day && seconds % secondsOf.day === 0 ? 'day' : 'hour'
  const unit = seconds < 2 * secondsOf.hour ? 'minute' : inHours
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.round(seconds / secondsOf[unit]))
}

/** A time to wait in words: up to two minutes in seconds, after that in minutes or hours. The number is rounded up. */
export const waitIn = (locale: Locale, seconds: number): string => {
  const unit = seconds <= 2 * secondsOf.minute ? 'second' : seconds <= 2 * secondsOf.hour ? 'minute' : 'hour'
  const amount = unit === 'second' ? seconds : Math.ceil(seconds / secondsOf[unit])
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
}

/**
 * A time in the time zone of its reader, with the name of the zone. In UTC if the reader's zone is unknown, or if this version of `Intl`
 * does not have it.
 */
export const timeIn = (locale: Locale, at: Date, timeZone: string | null = null): string => {
  const zone = readTimeZone(timeZone) ?? 'UTC'
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(at)
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(at)
  return `${time} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone}`
}

/** Replaces placeholders in braces by values. Braces inside of a value are not replaced. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

/** Matches text that consists of letters of any script, digits, and the signs that occur in names. */
const isNameLike = /^[\p{L}\p{M}\p{N} .,'’&()+_–-]+$/u
/** Matches text that is more than a name: invisible or stacked characters, text that mail programs turn into a link, and telephone numbers. */
const carriesMore = /[\p{DI}\u2800]|\p{M}{4}| {2}|\.\S|\d(?:[ .,()+_–-]*\d){5}/u
const longestName = 40

/** True for a name that a mail may contain. People choose their names, and could otherwise use a name to send a message or a link. */
export const isPlainName = (name: string): boolean => {
  const shown = name.normalize('NFKC')
  return shown.trim() !== '' && [...shown].length <= longestName && isNameLike.test(shown) && !carriesMore.test(shown)
}
