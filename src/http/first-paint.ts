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

/** The settings that the first byte of every page contains. They equal the answer of `/hosted/settings`. */
export interface PageSettings extends PartSettings {
  readonly name: string
  readonly brand: PartSettings['brand'] & {
    readonly isNamed: boolean
    readonly logo: string | null
    readonly logoDark: string | null
    readonly background: 'arches' | 'plain'
  }
  readonly emailPasswordEnabled?: boolean
  /** True if the sign-in page asks for the address first and for the method afterwards. */
  readonly addressFirst?: boolean
  readonly socialAutoRedirect?: boolean
  readonly userFields?: readonly unknown[]
  readonly passwordMinLength?: number
}

/** The name of the form on the sign-in page: for address and password, for the address alone, or none. */
const signInForm = ({ emailPasswordEnabled, addressFirst }: PageSettings, query: URLSearchParams) => {
  if (emailPasswordEnabled !== true) return 'bare'
  if (addressFirst !== true) return ''
  return query.get('email') ? 'known' : 'first'
}

/** The name of the form on the sign-up page. If the operator has defined required fields, only the script can draw it. */
const signUpForm = (settings: PageSettings) => {
  const { emailPasswordEnabled, signUpEnabled, userFields = [], socialProviders = [] } = settings
  if (emailPasswordEnabled === true && signUpEnabled === true) return userFields.length === 0 ? '' : undefined
  const hasProviders = settings.socialSignUpEnabled === true && socialProviders.length > 0
  return hasProviders || settings.mailSignUpEnabled === true ? 'bare' : undefined
}

/** The form that the server writes into a page, in its first state. Undefined if the server writes none. */
const formAtFirst = (page: string, settings: PageSettings, query: URLSearchParams): string | undefined => {
  if (page === 'sign-in') return signInForm(settings, query)
  if (page === 'sign-up') return signUpForm(settings)
  if (page === 'mail-sign-in') {
    if (settings.mailSignInEnabled !== true) return undefined
    return query.has('sent') && query.get('email') ? 'sent' : ''
  }
  return page === 'forgot-password' && settings.passwordResetEnabled === true ? '' : undefined
}

/** States in which a form shows parameters of the address. */
const ofRequest: ReadonlySet<string> = new Set(['first', 'known', 'sent'])

/** The parameters that the next page needs. */
const keptOf = (query: URLSearchParams) =>
  ['interaction', 'callbackURL', 'ui_locales'].flatMap((name): readonly (readonly [string, string])[] => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })

/** True for a browser with a session cookie. The page probably redirects it. */
const hasSession = (cookies: string | undefined) =>
  [...parseCookies(cookies).keys()].some((name) => name.endsWith('gatehouse.session'))

/** A problem that a browser sees as a page. */
export interface Problem {
  readonly kind: ProblemKind
  /** Seconds to wait. When absent: the page mentions no wait. */
  readonly seconds?: number
  /** The id of the request, which people can report. */
  readonly requestId: string
}

/** Finds the colour of the request's application. It does not read the database, because the first byte waits for it. */
export type PageColor = (cookies: string | undefined, interaction: string) => string | undefined

export interface FirstPaint {
  isPage(path: string): boolean
  /** The page of a path. All unknown paths have one page. */
  paint(req: Pick<HttpRequest, 'headers'>, path: string, search: string): StaticFile
  /** The page of a refused form. */
  paintForm(req: Pick<HttpRequest, 'headers'>, path: string, search: string, refused: RefusedForm): StaticFile
  /** The page that a browser sees after it sent a form, on its way to another address. It loads no script. */
  paintLeaving(req: Pick<HttpRequest, 'headers'>, search: string, url: string): StaticFile
  /** The page of a problem. It loads no script. */
  paintProblem(req: Pick<HttpRequest, 'headers'>, search: string, problem: Problem): StaticFile
}

/** With this policy, browsers name the origin when they post a form. Without an origin the server refuses the form. */
const namesOrigin = { referrerPolicy: 'same-origin' } as const

/** The cookie in which pages store the language that a person chose in this browser. */
const languageCookie = 'gatehouse.language'

/** The language that the pages themselves choose (`admin-ui/shared/language.ts`) before they know the user. */
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

/** JSON in a form that cannot end an HTML element or begin a comment. */
export const dataOf = (json: string) => json.replaceAll('<', '\\u003c')

const signOf = ({ isNamed, logo, logoDark }: PageSettings['brand']) =>
  logo === null ? (isNamed ? 'name' : 'mark') : logoDark === null ? 'logo' : 'logos'

/** The pages that the build has rendered, or undefined. */
export const readPainted = (directory: string): PaintFile | undefined => {
  const file = join(directory, 'first-paint.json')
  return existsSync(file) ? unpackPaint(JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

/** Largest number of cached pages. There is one for each combination of page, language, colour and so on. */
const mostMade = 2_000

/** What a request says about the page to choose. */
interface Chosen {
  readonly kind: PaintKind
  /** State of the form to write. When undefined: only the shape of a form is written. */
  readonly form: string | undefined
  /** Set for a refused form: whether its error is about a field or about the whole form. */
  readonly refused?: 'field' | 'form' | undefined
  /** True for a sent form. */
  readonly isSent: boolean
  /** The group of texts on an error page. */
  readonly group: string | undefined
  /** The application's colour. */
  readonly color: string | undefined
}

interface Options {
  readonly painted: PaintFile
  /** The built start of all pages, which contains the values of this installation. */
  readonly html: (color?: string) => string
  readonly settings: () => PageSettings
  /** Colour of the request's application, `#rrggbb`. Undefined for the brand's colour. */
  readonly pageColor?: PageColor | undefined
  readonly texts?: OwnPageTexts | undefined
  /** The style sheet of an address, in a colour, to write into pages. Undefined if the page links to it. */
  readonly styleOf: (address: string, color?: string) => string | undefined
}

/** Joins the rendered parts into complete pages. */
const createPageWriter = ({ painted, html, texts: own }: Pick<Options, 'painted' | 'html' | 'texts'>) => {
  const prefixes = painted.prefixes.map(([pattern, page]) => [new RegExp(pattern), page] as const)
  const find = (path: string): PaintedPage | undefined =>
    Object.hasOwn(painted.paths, path) ? painted.paths[path] : prefixes.find(([pattern]) => pattern.test(path))?.[1]

  const textOf = (key: string, locale: Locale) => own?.of(locale)[key] ?? painted.languages[locale].texts[key]
  const say = (html: string, locale: Locale) => writeTexts(html, (key) => textOf(key, locale))
  /** The sentence that states the rule for new passwords. */
  const ruleOf = ({ passwordMinLength: count = 0 }: PageSettings, locale: Locale) => {
    const text = textOf('field.passwordRule', locale)
    const forms = typeof text === 'object' && text !== null ? (text as Readonly<Record<string, string>>) : { other: String(text) }
    const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms['other'] ?? ''
    return escapeHtml(form.replace('{count}', String(count)))
  }

  /** The operator's texts that the script needs: those of this language, and the names of other languages with changed texts. */
  const ownWords = (locale: Locale) =>
    own === undefined || own.languages.length === 0
      ? ''
      : `<script type="application/json" id="own-texts">${dataOf(JSON.stringify({ language: locale, texts: own.of(locale), languages: own.languages }))}</script>`

  /** The logos of the sign-in providers. */
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
    // The page is complete and works without code, which it loads when a person first does something.
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
      // The form is written only for browsers without a session, so the page need not request the session.
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
 * Writes the first paint of hosted pages. A request chooses among rendered pages. Of its content, only the text typed into a refused
 * form, and an address in its query, are written into them.
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
  /** A page without scripts. */
  const alone = (title: string, content: string, locale: Locale, shown: PageSettings, color: string | undefined): StaticFile => {
    const page = document(locale, title, framed('card', content, shown), color)
    const written = page.replace(/<script\b.*?<\/script>|<link rel="modulepreload"[^>]*>/gs, '')
    return { ...fileOf(written, color), cacheControl: 'no-store' }
  }
  /** The cached page for these settings. If there is none, makes it. */
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
    // These pages are cached like others, because a refused request must not cost more than a served one.
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
      // This page belongs to one request, so it is not cached.
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
      // The script shows the same messages when it takes over the form.
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
      // A person who is signed in is redirected from the sign-in page, so there is no message for them.
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
      // The page contains data of this request, so it is not cached.
      const filled = { ...filledWith(query.get('email') ?? ''), kept: keptOf(query) }
      return { ...file, ...pageFile(fillForm(file.body.toString(), filled)) }
    },
  }
}
