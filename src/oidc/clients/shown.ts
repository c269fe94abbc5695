import type { Principal } from '../../access/principal.ts'
import { acceptedLanguages } from '../../core/language.ts'
import { localeOf } from '../../core/locale.ts'
import type { standings } from '../contract.ts'
import type { ClientRow } from './store.ts'

/** The trust in an application. The values are described at `standings`. */
export const standingOf = ({ registeredBy, review }: Pick<ClientRow, 'registeredBy' | 'review'>): (typeof standings)[number] => {
  if (registeredBy === 'administrator' || review === 'approved') return 'registered'
  return registeredBy === 'anonymous' ? 'unknown' : 'self-registered'
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0]

/**
 * The language in which to show texts. The language that the request names comes first, then the language of the person's account, then
 * the languages of the browser. Undefined if there is no text in any of these languages.
 */
export const languageFor = (principal: Principal, uiLocales: string, tags: readonly string[]): string | undefined => {
  const own = 'user' in principal ? localeOf(principal.user.language) : undefined
  const wanted = [
    ...uiLocales.split(' '),
    ...(own === undefined ? [] : [own]),
    ...acceptedLanguages(principal.acceptLanguage ?? ''),
  ]
  return wanted
    .map(
      (language) =>
        tags.find((one) => one.toLowerCase() === language.toLowerCase()) ??
        tags.find((one) => primary(one) === primary(language)),
    )
    .find((found) => found !== undefined)
}

/** The name and URLs of an application in the language of the person (RFC 7591, section 2.2). */
export const shownTo = (
  principal: Principal,
  uiLocales: string,
  { name, uri, policyUri, tosUri, metadata }: Pick<ClientRow, 'name' | 'uri' | 'policyUri' | 'tosUri' | 'metadata'>,
) => {
  const tag = languageFor(principal, uiLocales, Object.keys(metadata.translations))
  const translation = (tag === undefined ? undefined : metadata.translations[tag]) ?? {}
  return {
    ...{ name: translation.name ?? name, uri: translation.uri ?? uri },
    ...{ policyUri: translation.policyUri ?? policyUri, tosUri: translation.tosUri ?? tosUri },
  }
}
