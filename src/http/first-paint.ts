import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { acceptedLanguages, waitIn } from '../core/language.ts'
import { type Locale, pickLocale } from '../core/locale.ts'
import type { OwnPageTexts } from '../core/page-texts.ts'
import { escapeHtml } from '../core/web.ts'
import { parseCookies } from './cookies.ts'
import { emptyForm, filledWith, fillForm, formOf, type RefusedForm, refill } from './page-forms.ts'
import { type PartSettings, takesNames, withFoot, withParts } from './page-parts.ts'
import { withStyles } from './page-styles.ts'
import {
  type PaintedPage,
  type PaintFile,
  type PaintKind,
  type ProblemKind,
  plainCode,
  unpackPaint,
  withoutScript,
  writeTexts,
} from './painted.ts'
import type { HttpRequest } from './response.ts'
import { pageFile, type StaticFile } from './static-file.ts'

/** The settings that the server writes into every page. They are the same as the answer of `/hosted/settings`. */
export interface PageSettings extends PartSettings {
  readonly name: string
  readonly brand: PartSettings['brand'] & {
    readonly isNamed: boolean
    readonly logo: string | null
    readonly logoDark: string | null
    readonly background: 'arches' | 'plain'
  }
  readonly emailPasswordEnabled?: boolean
  /** True if the sign-in page asks for the email address on its own, and for the sign-in method after that. */
  readonly addressFirst?: boolean
  readonly socialAutoRedirect?: boolean
  readonly userFields?: readonly unknown[]
  readonly passwordMinLength?: number
}

/** The state of the form on the sign-in page: with address and password, with the address alone, or without a form. */
const signInForm = ({ emailPasswordEnabled, addressFirst }: PageSettings, query: URLSearchParams) => {
  if (emailPasswordEnabled !== true) return 'bare'
  if (addressFirst !== true) return ''
  return query.get('email') ? 'known' : 'first'
}

/**
 * The state of the form on the sign-up page. Undefined if the operator has defined required fields, because only the script can show such
 * fields.
 */
const signUpForm = (settings: PageSettings) => {
  const { emailPasswordEnabled, signUpEnabled, userFields = [], socialProviders = [] } = settings
  if (emailPasswordEnabled === true && signUpEnabled === true) return userFields.length === 0 ? '' : undefined
  const hasProviders = settings.socialSignUpEnabled === true && socialProviders.length > 0
  return hasProviders || settings.mailSignUpEnabled === true ? 'bare' : undefined
}

/** The first state of the form that the server writes into a page. Undefined if the server writes no form into the page. */
const formAtFirst = (page: string, settings: PageSettings, query: URLSearchParams): string | undefined => {
  if (page === 'sign-in') return signInForm(settings, query)
  if (page === 'sign-up') return signUpForm(settings)
  if (page === 'mail-sign-in') {
    if (settings.mailSignInEnabled !== true) return undefined
    return query.has('sent') && query.get('email') ? 'sent' : ''
  }
  return page === 'forgot-password' && settings.passwordResetEnabled === true ? '' : undefined
}

/** The states in which a form contains values from the query of its URL. */
const ofRequest: ReadonlySet<string> = new Set(['first', 'known', 'sent'])

/** The query parameters that the next page needs. */
const keptOf = (query: URLSearchParams) =>
  ['interaction', 'callbackURL', 'ui_locales'].flatMap((name): readonly (readonly [string, string])[] => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })

/** True if the browser has a session cookie. The page will then probably redirect it. */
const hasSession = (cookies: string | undefined) =>
  [...parseCookies(cookies).keys()].some((name) => name.endsWith('gatehouse.session'))

/** A problem about which a browser gets a page instead of an answer in JSON. */
export interface Problem {
  readonly kind: ProblemKind
  /** How many seconds the person should wait. When absent: the page does not say so. */
  readonly seconds?: number
  /** The id of the request. People can tell it to the operator. */
  readonly requestId: string
}

/**
 * Returns the colour of the application that the person is signing in to. It must not read the database, because the page is sent only
 * after this call.
 */
export type PageColor = (cookies: string | undefined, interaction: string) => string | undefined

export interface FirstPaint {
  isPage(path: string): boolean
  /** The page at a path. All paths without a page of their own get the page for unknown paths. */
  paint(req: Pick<HttpRequest, 'headers'>, path: string, search: string): StaticFile
  /** The page of a form whose content was refused, with the errors in it. */
  paintForm(req: Pick<HttpRequest, 'headers'>, path: string, search: string, refused: RefusedForm): StaticFile
  /** A page that makes the browser navigate to `url` after it has posted a form. It loads no script. */
  paintLeaving(req: Pick<HttpRequest, 'headers'>, search: string, url: string): StaticFile
  /** The page about a problem. It loads no script. */
  paintProblem(req: Pick<HttpRequest, 'headers'>, search: string, problem: Problem): StaticFile
}

/** The server refuses a form that is posted without the header `Origin`. With this referrer policy, browsers send it. */
const namesOrigin = { referrerPolicy: 'same-origin' } as const

/** The name of the cookie in which pages store the language that a person has chosen. */
const languageCookie = 'gatehouse.language'

/** The language of a page. `admin-ui/shared/language.ts` chooses the same language in the browser, before it knows the user. */
export const languageOf = ({ headers }: Pick<HttpRequest, 'headers'>, query: URLSearchParams): Locale =>
  pickLocale([
    parseCookies(headers.cookie).get(languageCookie) ?? '',
    ...(query.get('ui_locales') ?? '').split(' '),
    ...acceptedLanguages(headers['accept-language'] ?? ''),
  ]) ?? 'en'

const kindOf = (query: URLSearchParams): PaintKind =>
  query.has('error') ? 'other' : query.has('interaction') ? 'client' : query.has('callbackURL') ? 'other' : 'plain'

const fill = (html: string, values: Readonly<Record<string, string>>) =>
  html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

/** Makes JSON safe inside of an HTML element: it can neither end the element nor begin a comment. */
export const dataOf = (json: string) => json.replaceAll('<', '\\u003c')

const signOf = ({ isNamed, logo, logoDark }: PageSettings['brand']) =>
  logo === null ? (isNamed ? 'name' : 'mark') : logoDark === null ? 'logo' : 'logos'

/** Reads the pages that the build has rendered. Undefined if they do not exist. */
export const readPainted = (directory: string): PaintFile | undefined => {
  const file = join(directory, 'first-paint.json')
  return existsSync(file) ? unpackPaint(JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

/** Largest number of pages that are cached. A page is cached for each combination of path, language, colour and so on. */
const mostMade = 2_000

/** What a request decides about the page that it gets. */
interface Chosen {
  readonly kind: PaintKind
  /** The state of the form to write into the page. When undefined: the page shows only the outline of a form until its script runs. */
  readonly form: string | undefined
  /** Set if a form was refused: whether there is an error about a field, or only about the whole form. */
  readonly refused?: 'field' | 'form' | undefined
  /** True after the form was sent successfully. */
  readonly isSent: boolean
  /** On an error page: the group of errors that the page's text is about. */
  readonly group: string | undefined
  /** The colour of the application. */
  readonly color: string | undefined
}

interface Options {
  readonly painted: PaintFile
  /** The HTML that the build has made for all pages, with the values of this installation. */
  readonly html: (color?: string) => string
  readonly settings: () => PageSettings
  /** Returns the colour of the application in the form `#rrggbb`. Undefined if pages have the colour of the brand. */
  readonly pageColor?: PageColor | undefined
  readonly texts?: OwnPageTexts | undefined
  /**
   * Returns the style sheet with this URL, in the given colour, so that it can be written into pages. Undefined if pages should link to
   * it instead.
   */
  readonly styleOf: (address: string, color?: string) => string | undefined
}

/** Makes the function that joins rendered parts into a complete page. */
const createPageWriter = ({ painted, html, texts: own }: Pick<Options, 'painted' | 'html' | 'texts'>) => {
  const prefixes = painted.prefixes.map(([pattern, page]) => [new RegExp(pattern), page] as const)
  const find = (path: string): PaintedPage | undefined =>
    Object.hasOwn(painted.paths, path) ? painted.paths[path] : prefixes.find(([pattern]) => pattern.test(path))?.[1]

  const textOf = (key: string, locale: Locale) => own?.of(locale)[key] ?? painted.languages[locale].texts[key]
  const say = (html: string, locale: Locale) => writeTexts(html, (key) => textOf(key, locale))
  /** The sentence on the page that says what a new password must be like. */
  const ruleOf = ({ passwordMinLength: count = 0 }: PageSettings, locale: Locale) => {
    const text = textOf('field.passwordRule', locale)
    const forms = typeof text === 'object' && text !== null ? (text as Readonly<Record<string, string>>) : { other: String(text) }
    const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms['other'] ?? ''
    return escapeHtml(form.replace('{count}', String(count)))
  }

  /**
   * The operator's texts that the script of the page needs: the texts in the page's language, and the names of other languages that have
   * replaced texts.
   */
  const ownWords = (locale: Locale) =>
    own === undefined || own.languages.length === 0
      ? ''
      : `<script type="application/json" id="own-texts">${dataOf(JSON.stringify({ language: locale, texts: own.of(locale), languages: own.languages }))}</script>`

  /** The logos of the providers for federated sign-in. */
  const marksOf = ({ socialProviders = [] }: PageSettings) => {
    const known = socialProviders.filter(({ id }) => Object.hasOwn(painted.marks, id))
    const marks = Object.fromEntries(known.map(({ id }) => [id, painted.marks[id]]))
    return `<script type="application/json" id="marks">${JSON.stringify(marks)}</script>`
  }

  const framed = (frame: PaintedPage['frame'], content: string, { name, brand }: PageSettings) => {
    const values = { name: escapeHtml(name), logo: escapeHtml(brand.logo ?? ''), logoDark: escapeHtml(brand.logoDark ?? '') }
    const signs = fill(painted.signs[signOf(brand)], values)
    return fill(painted.frames[`${frame} ${brand.background}`], { signs, content })
  }

  const document = (locale: Locale, title: string | null, body: string, color: string | undefined) =>
    html(color)
      .replace('<html lang="en">', `<html lang="${locale}">`)
      .replace('<title>', () => (title === null ? '<title>' : `<title>${say(title, locale)} · `))
      .replace(
        /<div id="root">.*<\/noscript>/s,
        () => `<div id="root" data-incomplete="${say('{{t:noScript.incomplete}}', locale)}">${body}</div>`,
      )

  const write = (
    { name, frame, session, marks, files, styles }: PaintedPage,
    locale: Locale,
    { kind, form, refused, isSent, group, color }: Chosen,
    shown: PageSettings,
  ) => {
    const { noScript, pages, footWords } = painted.languages[locale]
    const words = pages[name]
    const message = group === undefined ? undefined : words?.errors?.[group]
    const isForClient = kind === 'client'
    const drawn = form === undefined ? undefined : formOf(words?.form, isForClient, form)
    const place = {
      ...{ page: name, settings: shown, isForClient, continueWith: String(textOf('social.continueWith', locale)) },
      ...{ isRefused: refused === 'form', isBare: form === 'bare', isNameWrong: form?.split(' ').includes('username') === true },
    }
    const written = drawn && withParts(drawn, painted, place).replace('{{rule}}', () => ruleOf(shown, locale))
    // True if the page works without its script. Then the script is loaded only when the person first does something.
    const isWhole = written !== undefined && !isForClient && refused === undefined && shown.socialAutoRedirect !== true
    const content = say((isSent ? words?.sent : undefined) ?? written ?? message?.content ?? words?.content[kind] ?? '', locale)
    const page = framed(
      frame,
      content.includes('class="skeleton') ? withoutScript(noScript, (html) => say(html, locale), shown.name) + content : content,
      shown,
    )
    const body = isWhole ? say(withFoot(page, painted, locale, footWords, shown), locale) : page
    const code = [...files, ...(words?.files ?? [])]
    const preloads = [
      ...styles.map((path) => `<link rel="stylesheet" crossorigin href="${path}">`),
      ...(isWhole
        ? [`<script type="application/json" id="code">${JSON.stringify(code)}</script>`]
        : code.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`)),
      // If the page contains a form, the browser has no session cookie. So the page need not ask whether there is a session.
      ...(session
        ? [
            form === undefined
              ? '<link rel="preload" as="fetch" crossorigin href="/get-session">'
              : '<script type="application/json" id="session">null</script>',
          ]
        : []),
      `<script type="application/json" id="settings">${dataOf(JSON.stringify(shown))}</script>`,
      ...(marks ? [marksOf(shown)] : []),
      ownWords(locale),
    ].join('')
    return document(locale, message?.title ?? words?.title ?? null, body, color).replace('</head>', () => `${preloads}</head>`)
  }
  return { find, textOf, say, framed, document, write }
}

/**
 * Makes the first paint of hosted pages: HTML that shows the page before any script runs. A request can only choose among pages that were
 * rendered before. Two values of a request are written into a page: the text that was typed into a refused form, and the email address in
 * the query.
 */
export const createFirstPaint = (options: Options): FirstPaint => {
  const { painted, settings, pageColor, styleOf } = options
  const { find, textOf, say, framed, document, write } = createPageWriter(options)
  const colorOf = ({ headers }: Pick<HttpRequest, 'headers'>, query: URLSearchParams) => {
    const interaction = query.get('interaction')
    return interaction === null ? undefined : pageColor?.(headers.cookie, interaction)
  }

  const groupOf = (code: string) => {
    const plain = plainCode(code.slice(0, 200))
    return (Object.hasOwn(painted.errorGroups, plain) && painted.errorGroups[plain]) || 'unknown'
  }

  let madeOf = ''
  const made = new Map<string, StaticFile>()
  const fileOf = (written: string, color: string | undefined): StaticFile => {
    const { html: text, hashes } = withStyles(written, (address) => styleOf(address, color))
    return { ...pageFile(text), styles: hashes }
  }
  /** Makes a page that has no script. */
  const alone = (title: string, content: string, locale: Locale, shown: PageSettings, color: string | undefined): StaticFile => {
    const page = document(locale, title, framed('card', content, shown), color)
    const written = page.replace(/<script\b.*?<\/script>|<link rel="modulepreload"[^>]*>/gs, '')
    return { ...fileOf(written, color), cacheControl: 'no-store' }
  }
  /** Returns the cached page for these settings. If there is none, makes and caches it. */
  const keep = (key: string, shown: PageSettings, make: () => StaticFile): StaticFile => {
    const current = JSON.stringify(shown)
    if (current !== madeOf) made.clear()
    madeOf = current
    const known = made.get(key)
    if (known !== undefined) return known
    const file = make()
    if (made.size >= mostMade) made.clear()
    made.set(key, file)
    return file
  }
  return {
    isPage: (path) => find(path) !== undefined,
    // Pages about problems are cached, too, because a refused request must not cost more than a successful one.
    paintProblem: (req, search, { kind, seconds, requestId }) => {
      const query = new URLSearchParams(search)
      const locale = languageOf(req, query)
      const color = colorOf(req, query)
      const shown = settings()
      const wait = seconds === undefined ? '' : waitIn(locale, seconds)
      const page = keep(`problem ${kind} ${locale} ${wait} ${color ?? ''}`, shown, () => {
        const values: Readonly<Record<string, string>> = { wait: escapeHtml(wait), name: escapeHtml(shown.name) }
        const content = say(painted.problems[kind].content, locale).replace(
          /\{(wait|name)\}/g,
          (_, name: string) => values[name] ?? '',
        )
        return alone(painted.problems[kind].title, content, locale, shown, color)
      })
      const html = page.body.toString()
      if (!html.includes('{requestId}')) return page
      // The page contains the id of this request, so it must not be cached by a browser or proxy.
      return { ...page, ...pageFile(html.replace('{requestId}', () => escapeHtml(requestId))), cacheControl: 'no-store' }
    },
    paintForm: (req, path, search, refused) => {
      const shown = settings()
      const query = new URLSearchParams(search)
      const locale = languageOf(req, query)
      const page = find(path) ?? painted.notFound
      const kind = kindOf(query)
      const color = colorOf(req, query)
      const identifier = page.name === 'sign-in' && takesNames(shown)
      const filled = refill(refused, painted.languages[locale].formWords, { locale, identifier }, (text) =>
        text.replace(/^\{\{t:([\w.-]+)\}\}$/, (_, key: string) => String(textOf(key, locale))),
      )
      const first = formAtFirst(page.name, shown, query)
      const form = first === undefined || first === 'bare' ? first : filled.wrong || (first === 'sent' ? first : '')
      const about = filled.texts['form'] === undefined ? 'field' : 'form'
      const template = keep(`form ${page.name} ${locale} ${kind} ${form} ${about} ${color ?? ''}`, shown, () =>
        fileOf(write(page, locale, { kind, form, refused: about, isSent: false, group: undefined, color }, shown), color),
      )
      // These data let the script show the same messages when it takes over the form.
      const data = dataOf(JSON.stringify({ texts: filled.texts, seconds: refused.seconds }))
      const html = fillForm(template.body.toString(), { ...filled, kept: keptOf(query) }).replace(
        '</head>',
        () => `<script type="application/json" id="refused">${data}</script></head>`,
      )
      return { ...template, ...pageFile(html), ...namesOrigin, cacheControl: 'no-store' }
    },
    paintLeaving: (req, search, url) => {
      const shown = settings()
      const query = new URLSearchParams(search)
      const locale = languageOf(req, query)
      const color = colorOf(req, query)
      const page = keep(`leaving ${locale} ${color ?? ''}`, shown, () =>
        alone('{{t:leaving.title}}', say(painted.leaving, locale), locale, shown, color),
      )
      return { ...page, ...pageFile(page.body.toString().replaceAll('{url}', () => escapeHtml(url))), cacheControl: 'no-store' }
    },
    paint: (req, path, search) => {
      const shown = settings()
      const query = new URLSearchParams(search)
      const locale = languageOf(req, query)
      const page = find(path) ?? painted.notFound
      const kind = kindOf(query)
      const color = colorOf(req, query)
      const isSent = query.has('sent')
      // Only the page `forgot-password` shows a message after its form was sent. After the sign-in form was sent, the person is signed in
      // and is redirected.
      const hasMessage = isSent && page.name === 'forgot-password'
      const isForm = !query.has('error') && !hasMessage && (page.name !== 'sign-in' || !hasSession(req.headers.cookie))
      const form = isForm ? formAtFirst(page.name, shown, query) : undefined
      const group = page.name === 'error' ? groupOf(query.get('error') ?? '') : undefined
      const isOfRequest = form !== undefined && ofRequest.has(form)
      const file = keep(`${page.name} ${locale} ${kind} ${form} ${isSent} ${group} ${color ?? ''}`, shown, () => {
        const written = write(page, locale, { kind, form, isSent, group, color }, shown)
        if (form === undefined) return fileOf(written, color)
        return { ...fileOf(isOfRequest ? written : fillForm(written, emptyForm), color), ...namesOrigin }
      })
      if (!isOfRequest) return file
      // This page contains values of the request, so it is not put into the cache.
      const filled = { ...filledWith(query.get('email') ?? ''), kept: keptOf(query) }
      return { ...file, ...pageFile(fillForm(file.body.toString(), filled)) }
    },
  }
}
