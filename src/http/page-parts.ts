import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { FootWords, PaintFile } from './painted.ts'

/** The settings that decide about the parts beside a form. */
export interface PartSettings {
  readonly brand: {
    readonly links?: { readonly [name in 'privacy' | 'terms' | 'support']?: string | undefined }
    readonly poweredBy?: boolean
  }
  readonly passkeysEnabled?: boolean
  readonly mailSignInEnabled?: boolean
  readonly signUpEnabled?: boolean
  readonly socialSignUpEnabled?: boolean
  readonly socialProviders?: readonly { readonly id: string; readonly name: string }[]
}

type Parts = Pick<PaintFile, 'parts' | 'marks' | 'gate'>
type Provider = NonNullable<PartSettings['socialProviders']>[number]

/**
 * From this number on the buttons are in two columns with names only; the number beyond the second is hidden until requested.
 * `SocialButtons` has the same rule.
 */
const manyProviders = 3
const shownAtOnce = 4

const put = (html: string, values: Readonly<Record<string, string>>) =>
  html.replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place)

const providersOf = ({ parts, marks, gate }: Parts, providers: readonly Provider[], follows: boolean, words: string) => {
  const kind = providers.length >= manyProviders ? 'many' : 'few'
  const buttonOf = ({ id, name }: Provider) => {
    const mark = (Object.hasOwn(marks, id) ? marks[id] : undefined) ?? gate
    const paths = mark.map(([color, path]) => `<path fill="${color}" d="${path}"></path>`).join('')
    const text = words.replace('{provider}', () => name)
    return put(parts.provider[kind], { id: escapeHtml(id), name: escapeHtml(name), text: escapeHtml(text), paths })
  }
  const manner = kind === 'many' ? 'social-buttons social-many' : 'social-buttons'
  const isAll = providers.length <= shownAtOnce
  const shown = providers.slice(0, isAll ? providers.length : shownAtOnce).map(buttonOf)
  const rest = isAll ? '' : put(parts.moreProviders, { buttons: providers.slice(shownAtOnce).map(buttonOf).join(''), manner })
  const divider = follows ? '' : parts.divider
  return put(parts.providers, { divider, manner, buttons: shown.join('') + rest })
}

/** The parts after a form, and its last line. Texts follow later. */
const aroundForm = (painted: Parts, name: string, settings: PartSettings, words: string) => {
  const { parts } = painted
  const isSignIn = name === 'sign-in'
  const { socialProviders = [], socialSignUpEnabled, passkeysEnabled, mailSignInEnabled, signUpEnabled } = settings
  const providers = isSignIn || (name === 'sign-up' && socialSignUpEnabled === true) ? socialProviders : []
  const hasWays = isSignIn && (passkeysEnabled === true || mailSignInEnabled === true)
  const methods = (passkeysEnabled === true ? parts.passkey : '') + (mailSignInEnabled === true ? parts.mail : '')
  const ways = hasWays ? put(parts.ways, { divider: parts.divider, methods }) : ''
  const foot = isSignIn && signUpEnabled !== true ? undefined : parts.foots[name]
  const hasMore = hasWays || providers.length > 0
  return {
    /** Part of the form if nothing follows it. */
    foot: hasMore ? undefined : foot,
    after:
      ways +
      (providers.length > 0 ? providersOf(painted, providers, hasWays, words) : '') +
      (hasMore && foot !== undefined ? put(parts.cardFoot, { foot }) : ''),
  }
}

interface FormPlace {
  readonly page: string
  readonly settings: PartSettings
  /** The text of a provider's button. */
  readonly continueWith: string
  /** True for a message about the whole form. */
  readonly isRefused: boolean
  /** True for a sign-in to an application: only the script knows the addresses of the links, which name it. */
  readonly isForClient: boolean
}

/** Inserts the parts for the settings into a form. */
export const withParts = (
  form: string,
  painted: Parts,
  { page, settings, continueWith, isRefused, isForClient }: FormPlace,
): string => {
  const { ends } = painted.parts
  const { foot, after } = aroundForm(painted, page, settings, continueWith)
  const end = foot === undefined ? ends[isRefused ? 'bareProblem' : 'bare'] : ends[isRefused ? 'footProblem' : 'foot']
  const linked = { end: put(end, { foot: foot ?? '' }), after }
  const withoutLinks = (html: string) => html.replace(/ href="[^"]*"/g, '')
  return put(form, isForClient ? { end: withoutLinks(linked.end), after: withoutLinks(after) } : linked)
}

/** Inserts the language of the page and the operator's links into their places. */
export const withFoot = (page: string, { parts }: Parts, locale: Locale, words: FootWords, { brand }: PartSettings): string => {
  const { links = {}, poweredBy } = brand
  const named = (['privacy', 'terms', 'support'] as const).flatMap((name) => {
    const address = links[name]
    return address === undefined ? [] : [`<a href="${escapeHtml(address)}">${escapeHtml(words[name])}</a>`]
  })
  const all = [...named, ...(poweredBy === true ? [`<span>${escapeHtml(words.poweredBy)}</span>`] : [])].join('')
  const nav = all === '' ? '' : `<nav class="foot-links" aria-label="${escapeHtml(words.links)}">${all}</nav>`
  const language = parts.language.replace(`<option value="${locale}"`, `<option value="${locale}" selected=""`)
  return page.replace(/<footer\b.*?<\/footer>/s, () => `<footer class="foot">${language}${nav}</footer>`)
}
