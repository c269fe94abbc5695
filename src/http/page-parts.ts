import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { FootWords, PaintFile } from './painted.ts'

/** The settings that decide which parts are shown beside a form. */
export interface PartSettings {
  readonly brand: {
    readonly links?: { readonly [name in 'privacy' | 'terms' | 'support']?: string | undefined }
    readonly poweredBy?: boolean
  }
  readonly passwordResetEnabled?: boolean
  readonly passkeysEnabled?: boolean
  readonly mailSignInEnabled?: boolean
  readonly signUpEnabled?: boolean
  readonly socialSignUpEnabled?: boolean
  readonly mailSignUpEnabled?: boolean
  readonly userNames?: { readonly mode: string }
  readonly socialProviders?: readonly { readonly id: string; readonly name: string }[]
}

type Parts = Pick<PaintFile, 'parts' | 'marks' | 'gate'>
type Provider = NonNullable<PartSettings['socialProviders']>[number]

/**
 * With this many providers or more, their buttons show only names, in two columns, and all but the first two are hidden until a person
 * asks for them. The component `SocialButtons` follows the same rule.
 */
const manyProviders = 3
const shownAtOnce = 4

const put = (html: string, values: Readonly<Record<string, string>>) =>
  html.replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place)

interface Buttons {
  readonly providers: readonly Provider[]
  /** True if the buttons come after a part that ends with a divider. */
  readonly follows: boolean
  /** True if the page has no form. Then the buttons stand one below the other. */
  readonly isMain: boolean
  readonly words: string
}

const providersOf = ({ parts, marks, gate }: Parts, { providers, follows, isMain, words }: Buttons) => {
  const kind = !isMain && providers.length >= manyProviders ? 'many' : 'few'
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

/** The parts that come after a form or take its place, and the last line of the form. Their texts are inserted later. */
const aroundForm = (painted: Parts, { page, settings, continueWith, isBare }: FormPlace) => {
  const { parts } = painted
  const isSignIn = page === 'sign-in'
  const { socialProviders = [], socialSignUpEnabled, passkeysEnabled, mailSignInEnabled, signUpEnabled } = settings
  const providers = isSignIn || (page === 'sign-up' && socialSignUpEnabled === true) ? socialProviders : []
  const methods = isSignIn
    ? (passkeysEnabled === true ? parts.passkey : '') + (mailSignInEnabled === true ? parts.mail : '')
    : isBare && settings.mailSignUpEnabled === true
      ? parts.signUpMail
      : ''
  const hasWays = methods !== ''
  const isFirst = isBare && (providers.length === 0 || !isSignIn)
  const ways = hasWays ? put(parts.ways, { divider: isFirst ? '' : parts.divider, methods }) : ''
  const follows = isBare || hasWays
  const buttons = providers.length > 0 ? providersOf(painted, { providers, follows, isMain: isBare, words: continueWith }) : ''
  const hasMore = hasWays || providers.length > 0
  const foot = isSignIn && (signUpEnabled !== true || (isBare && !hasMore)) ? undefined : parts.foots[page]
  const isApart = isBare || hasMore
  return {
    /** The last line is part of the form if no other part comes after the form. */
    foot: isApart ? undefined : foot,
    after:
      (isBare ? buttons + ways + (hasMore ? '' : parts.noWay) : ways + buttons) +
      (isApart && foot !== undefined ? put(parts.cardFoot, { foot }) : ''),
  }
}

interface FormPlace {
  readonly page: string
  readonly settings: PartSettings
  /** The text on the button of a provider. */
  readonly continueWith: string
  /** True if there is an error message about the whole form. */
  readonly isRefused: boolean
  /** True if the page has no form. */
  readonly isBare: boolean
  /** True if the field `username` has an error. */
  readonly isNameWrong: boolean
  /**
   * True if the person is signing in to an application. Then the links on the page contain the id of the sign-in, which only the script
   * knows.
   */
  readonly isForClient: boolean
}

export const takesNames = ({ userNames }: PartSettings): boolean => (userNames?.mode ?? 'off') !== 'off'

const userNameOf = ({ parts }: Parts, { settings, isNameWrong }: FormPlace) => {
  if (!takesNames(settings)) return ''
  const kind = settings.userNames?.mode === 'required' ? 'required' : 'optional'
  return parts.username[isNameWrong ? (`${kind}Problem` as const) : kind]
}

/** Inserts into a form those parts that the settings require. */
export const withParts = (form: string, painted: Parts, place: FormPlace): string => {
  const { ends, forgot } = painted.parts
  const { settings, isRefused, isForClient, isBare } = place
  const { foot, after } = aroundForm(painted, place)
  const end = foot === undefined ? ends[isRefused ? 'bareProblem' : 'bare'] : ends[isRefused ? 'footProblem' : 'foot']
  const withoutLinks = (html: string) => (isForClient ? html.replace(/ href="[^"]*"/g, '') : html)
  return put(form, {
    end: isBare && !isRefused ? '' : withoutLinks(put(end, { foot: foot ?? '' })),
    after: withoutLinks(after),
    forgot: settings.passwordResetEnabled === true ? withoutLinks(forgot) : '',
    username: userNameOf(painted, place),
    identifier: takesNames(settings) ? '{{t:field.emailOrName}}' : '{{t:field.email}}',
    identifierType: takesNames(settings) ? 'text' : 'email',
  })
}

/** Inserts the choice of language and the operator's links into a page. */
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
