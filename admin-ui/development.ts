import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin, ProxyOptions, ViteDevServer } from 'vite'
import type { createFirstPaint as CreateFirstPaint, PageSettings } from '../src/http/first-paint.ts'
import type { PaintFile } from '../src/http/painted.ts'

/** The daemon's URL during development. The port comes from the environment variable that the daemon itself uses. */
const daemon = `http://localhost:${process.env['GATEHOUSE_PORT'] ?? process.env['PORT'] ?? 3000}`

/** Paths of requests that the daemon answers. Any other request for HTML is a request for a hosted page. */
const daemonPaths = [
  '^/(sign-in|sign-up)/.+',
  '^/(get-session|list-sessions|list-sign-ins|revoke-session|revoke-sessions|revoke-other-sessions)($|\\?)',
  '^/(send-verification-email|verify-email|request-password-reset|change-password|change-email|verify-password)($|\\?)',
  '^/(update-user|update-user/picture|download-user-data|images/\\w+|delete-user|list-accounts|link-social|unlink-account)($|\\?)',
  '^/(connected-applications|connected-applications/remove|is-username-available)($|\\?)',
  '^/(reset-password|delete-user|callback)/.+',
  '^/(ok|livez|readyz|jwks|openapi\\.json|brand\\.css|brand/font\\.woff2)($|\\?)',
  // Source files of the pages are also below `/hosted`, but their names end in `.tsx`, `.ts` or `.css`. This pattern matches no dot, so
  // Vite serves them.
  '^/hosted/[\\w/-]+($|\\?)',
  '^/(organization|interaction|oauth2|api/auth|webhooks|\\.well-known)/',
  '^/(setup|recover-address|verify-email)/check$',
  '^/proof-of-work($|\\?)',
  '^/(two-factor|passkey|magic-link|email-otp)/.+',
]

const toDaemon: ProxyOptions = {
  target: daemon,
  // The daemon compares the headers Host and Origin with its own public URL. The browser would send Vite's URL.
  changeOrigin: true,
  autoRewrite: true,
  headers: { origin: daemon },
}

/** Forwards requests to the daemon. */
export const daemonProxy: Readonly<Record<string, ProxyOptions>> = {
  // A console screen and the API resource that it shows have the same address. Vite answers requests for the screen before this rule
  // applies.
  '^/admin/': toDaemon,
  ...Object.fromEntries(daemonPaths.map((path) => [path, toDaemon])),
  // These pages and their API calls have the same addresses. Vite answers requests for a page before this rule applies.
  '^/(setup|reset-password|recover-address|not-me|sign-out|sign-in|forgot-password)($|\\?)': toDaemon,
}

const isState = (url: string) => new URL(url, daemon).searchParams.has('_state')

/** The HTML file of the page at a URL. */
const fileOf = (url: string) => {
  const isConsole = /^\/admin(\/|$|\?)/.test(url)
  if (isState(url)) return isConsole ? '/console-state.html' : '/state.html'
  if (isConsole) return '/console.html'
  return /^\/docs($|\?)/.test(url) ? '/docs.html' : /^\/_states($|\?)/.test(url) ? '/states.html' : '/hosted.html'
}

const isPage = ({ method, url = '', headers }: IncomingMessage) =>
  method === 'GET' &&
  (headers.accept ?? '').includes('text/html') &&
  (isState(url) || !daemonPaths.some((path) => new RegExp(path).test(url)))

/** Loads the settings of the pages from the daemon. Undefined while the daemon is not running. */
const settingsOfDaemon = async (): Promise<PageSettings | undefined> =>
  fetch(`${daemon}/hosted/settings`).then(
    (response) => response.json() as Promise<PageSettings>,
    () => undefined,
  )

interface FirstPaintModule {
  readonly createFirstPaint: typeof CreateFirstPaint
}

/** Renders the HTML of a page as the daemon would send it, but from the present source files. */
const paintWith = async (server: ViteDevServer, root: string, request: IncomingMessage, html: string) => {
  const settings = await settingsOfDaemon()
  if (settings === undefined) return html
  const { createFirstPaint } = (await server.ssrLoadModule(`${root}../src/http/first-paint.ts`)) as FirstPaintModule
  const { painted } = (await server.ssrLoadModule(`${root}paint/pages.tsx`)) as { readonly painted: PaintFile }
  // The names of built files are removed, because during development files are loaded by their source paths.
  const withoutFiles: PaintFile = JSON.parse(JSON.stringify(painted), (key, value) =>
    key === 'files' || key === 'styles' ? [] : value,
  )
  const branded = html
    .replace('<title>gatehouse</title>', () => `<title>${settings.name.replaceAll('<', '&lt;')}</title>`)
    .replace('</head>', '<link rel="stylesheet" href="/brand.css"></head>')
  const { pathname, search } = new URL(request.url ?? '/', daemon)
  const page = createFirstPaint({
    painted: withoutFiles,
    html: () => branded,
    settings: () => settings,
    styleOf: () => undefined,
  })
  return page.paint(request, pathname, search).body.toString()
}

/**
 * A Vite plugin that serves the pages during development as the daemon does in production. It also serves the list of all page states at
 * `/_states`. `root` is the directory of the pages, with a slash at its end.
 */
export const developmentPages = (root: string): Plugin => ({
  name: 'gatehouse-development-pages',
  apply: 'serve',
  configureServer: (server) => {
    const write = async (request: IncomingMessage, response: ServerResponse) => {
      const url = request.url ?? '/'
      const file = fileOf(url)
      // The page's URL may have more path segments than its HTML file, so relative URLs in the file are made absolute.
      const source = readFileSync(`${root}${file.slice(1)}`, 'utf8').replaceAll('"./', '"/')
      const html = file === '/hosted.html' ? await paintWith(server, root, request, source) : source
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.setHeader('Cache-Control', 'no-store')
      response.end(await server.transformIndexHtml(file, html, url))
    }
    server.middlewares.use((request, response, next) => {
      if (isPage(request)) write(request, response).catch(next)
      else next()
    })
  },
})
