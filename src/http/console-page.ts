import { type Locale, locales } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import { type Endpoint, responseOf } from './contract.ts'
import { dataOf, languageOf, type PageSettings } from './first-paint.ts'
import { type PaintFile, withoutScript, writeTexts } from './painted.ts'
import type { HttpRequest } from './response.ts'
import { pageFile, type StaticFile } from './static-file.ts'

/**
 * Makes the check whether a path belongs to the console, which is at `/admin` and below. At the same paths, programs get resources from
 * the API.
 */
export const createConsoleAddresses = (endpoints: readonly Endpoint[]): ((path: string) => boolean) => {
  const downloads = endpoints
    .filter((endpoint) => endpoint.method === 'GET' && responseOf(endpoint).kind !== 'json')
    .map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`))
  return (path) => (path === '/admin' || path.startsWith('/admin/')) && !downloads.some((download) => download.test(path))
}

interface Options {
  readonly painted: PaintFile
  /** The built page of the console, with the values of this installation. */
  readonly html: () => string
  readonly settings: () => PageSettings
}

/**
 * Makes the page of the console, which shows language, name and frame before any script runs. The page is the same for all paths below
 * `/admin`.
 */
export const createConsolePage = ({ painted, html, settings }: Options) => {
  const write = (locale: Locale, shown: PageSettings) => {
    const { noScript, texts } = painted.languages[locale]
    const say = (text: string) => writeTexts(text, (key) => texts[key])
    const { frame, languages } = painted.console
    const { title, files } = languages[locale] ?? { title: '', files: [] }
    const preloads = [
      ...files.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`),
      '<link rel="preload" as="fetch" crossorigin href="/admin/access">',
      `<script type="application/json" id="settings">${dataOf(JSON.stringify(shown))}</script>`,
    ].join('')
    return html()
      .replace('<html lang="en"', `<html lang="${locale}"`)
      .replace('<title>', () => `<title>${escapeHtml(title)} · `)
      .replace('</head>', () => `${preloads}</head>`)
      .replace(
        /<div id="root">.*<\/noscript>/s,
        () =>
          `<div id="root" data-incomplete="${say('{{t:noScript.incomplete}}')}">${frame}${withoutScript(noScript, say, shown.name)}</div>`,
      )
  }
  let madeOf = ''
  const made = new Map<Locale, StaticFile>()
  return (req: HttpRequest, search: string): StaticFile => {
    const shown = settings()
    const current = JSON.stringify(shown)
    if (current !== madeOf) made.clear()
    madeOf = current
    const wanted = languageOf(req, new URLSearchParams(search))
    const locale = locales.find((known) => known === wanted && Object.hasOwn(painted.console.languages, known)) ?? 'en'
    const file = made.get(locale) ?? pageFile(write(locale, shown), 'Accept', 'Authorization')
    made.set(locale, file)
    return file
  }
}
