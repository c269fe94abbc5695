import type { Principal } from '../../access/principal.ts'
import { acceptedLanguages } from '../../core/language.ts'
import { localeOf } from '../../core/locale.ts'
import type { standings } from '../contract.ts'
import type { ClientRow } from './store.ts'

/** The trust in an application, as `standings` describes it. */
export const standingOf = ({ registeredBy, review }: Pick<ClientRow, 'registeredBy' | 'review'>): (typeof standings)[number] => {
  if (registeredBy === 'administrator' || review === 'approved') return 'registered'
  return registeredBy === 'anonymous' ? 'unknown' : 'self-registered'
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0]

/** The first of these languages that the request asks for, the person has chosen, or the browser prefers; undefined for none. */
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

/**
 * Name and addresses of an application in the first of its languages that the request asks for, the person has chosen, or the browser
 * prefers (RFC 7591, section 2.2).
 */
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
