import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin, ProxyOptions, ViteDevServer } from 'vite'
import type { createFirstPaint as CreateFirstPaint, PageSettings } from '../src/http/first-paint.ts'
import type { PaintFile } from '../src/http/painted.ts'

/** The daemon's address during development, from its own setting. */
const daemon = `http://localhost:${process.env['GATEHOUSE_PORT'] ?? process.env['PORT'] ?? 3000}`

/** Paths of the daemon. Every other HTML request is for a hosted page. */
const daemonPaths = [
  '^/(sign-in|sign-up)/.+',
  '^/(get-session|list-sessions|list-sign-ins|revoke-session|revoke-sessions|revoke-other-sessions)($|\\?)',
  '^/(send-verification-email|verify-email|request-password-reset|change-password|change-email|verify-password)($|\\?)',
  '^/(update-user|update-user/picture|download-user-data|images/\\w+|delete-user|list-accounts|link-social|unlink-account)($|\\?)',
  '^/(connected-applications|connected-applications/remove|is-username-available)($|\\?)',
  '^/(reset-password|delete-user|callback)/.+',
  '^/(ok|livez|readyz|jwks|openapi\\.json|brand\\.css|brand/font\\.woff2)($|\\?)',
  // The pages' sources have paths below the same name: they end in `.tsx`, `.ts` or `.css`.
  '^/hosted/[\\w/-]+($|\\?)',
  '^/(organization|interaction|oauth2|api/auth|webhooks|\\.well-known)/',
  '^/(setup|recover-address|verify-email)/check$',
  '^/proof-of-work($|\\?)',
  '^/(two-factor|passkey|magic-link|email-otp)/.+',
]

const toDaemon: ProxyOptions = {
  target: daemon,
  // The daemon compares Host and Origin with its public address; in development the browser's values are Vite's.
  changeOrigin: true,
  autoRewrite: true,
  headers: { origin: daemon },
}

/** Forwards requests to the daemon. */
export const daemonProxy: Readonly<Record<string, ProxyOptions>> = {
  // Console pages have the addresses of the resources that they show.
  '^/admin/': toDaemon,
  ...Object.fromEntries(daemonPaths.map((path) => [path, toDaemon])),
  // These pages and their calls have the same addresses: a request for a page is answered before.
  '^/(setup|reset-password|recover-address|not-me|sign-out|sign-in|forgot-password)($|\\?)': toDaemon,
}

const isState = (url: string) => new URL(url, daemon).searchParams.has('_state')

/** The file for a page's address. */
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

/** The daemon's settings; undefined while it does not run. */
const settingsOfDaemon = async (): Promise<PageSettings | undefined> =>
  fetch(`${daemon}/hosted/settings`).then(
    (response) => response.json() as Promise<PageSettings>,
    () => undefined,
  )

interface FirstPaintModule {
  readonly createFirstPaint: typeof CreateFirstPaint
}

/** The page in the daemon's form, rendered again from the sources. */
const paintWith = async (server: ViteDevServer, root: string, request: IncomingMessage, html: string) => {
  const settings = await settingsOfDaemon()
  if (settings === undefined) return html
  const { createFirstPaint } = (await server.ssrLoadModule(`${root}../src/http/first-paint.ts`)) as FirstPaintModule
  const { painted } = (await server.ssrLoadModule(`${root}paint/pages.tsx`)) as { readonly painted: PaintFile }
  // Files are paths of sources, so no list of built files is needed.
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
 * Serves the pages during development like the daemon in production, and the list of their states at `/_states`. `root`: their directory
 * with its slash.
 */
export const developmentPages = (root: string): Plugin => ({
  name: 'gatehouse-development-pages',
  apply: 'serve',
  configureServer: (server) => {
    const write = async (request: IncomingMessage, response: ServerResponse) => {
      const url = request.url ?? '/'
      const file = fileOf(url)
      // The page's address may be deeper than that of the file.
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
