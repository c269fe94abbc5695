import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin, ProxyOptions, ViteDevServer } from 'vite'
import type { createFirstPaint as CreateFirstPaint, PageSettings } from '../src/http/first-paint.ts'
import type { PaintFile } from '../src/http/painted.ts'

/** The daemon's address during development, with the port from the daemon's own environment variable. */
const daemon = `http://localhost:${process.env['GATEHOUSE_PORT'] ?? process.env['PORT'] ?? 3000}`

/** Paths that the daemon answers. Every other request for HTML is for a hosted page. */
const daemonPaths = [
  '^/(sign-in|sign-up)/.+',
  '^/(get-session|list-sessions|list-sign-ins|revoke-session|revoke-sessions|revoke-other-sessions)($|\\?)',
  '^/(send-verification-email|verify-email|request-password-reset|change-password|change-email|verify-password)($|\\?)',
  '^/(update-user|update-user/picture|download-user-data|images/\\w+|delete-user|list-accounts|link-social|unlink-account)($|\\?)',
  '^/(connected-applications|connected-applications/remove|is-username-available)($|\\?)',
  '^/(reset-password|delete-user|callback)/.+',
  '^/(ok|livez|readyz|jwks|openapi\\.json|brand\\.css|brand/font\\.woff2)($|\\?)',
  // The source files of the pages have paths below the same name. They end in `.tsx`, `.ts` or `.css`, so this pattern leaves them to
  // Vite.
  '^/hosted/[\\w/-]+($|\\?)',
  '^/(organization|interaction|oauth2|api/auth|webhooks|\\.well-known)/',
  '^/(setup|recover-address|verify-email)/check$',
  '^/proof-of-work($|\\?)',
  '^/(two-factor|passkey|magic-link|email-otp)/.+',
]

const toDaemon: ProxyOptions = {
  target: daemon,
  // The daemon compares Host and Origin with its public address, but the browser sends Vite's address.
  changeOrigin: true,
  autoRewrite: true,
  headers: { origin: daemon },
}

/** Forwards requests to the daemon. */
export const daemonProxy: Readonly<Record<string, ProxyOptions>> = {
  // Screens of the console have the same addresses as the resources that they show. Vite answers requests for pages earlier.
  '^/admin/': toDaemon,
  ...Object.fromEntries(daemonPaths.map((path) => [path, toDaemon])),
  // These pages have the same addresses as their calls. Vite answers requests for pages earlier.
  '^/(setup|reset-password|recover-address|not-me|sign-out|sign-in|forgot-password)($|\\?)': toDaemon,
}

const isState = (url: string) => new URL(url, daemon).searchParams.has('_state')

/** The HTML file for the address of a page. */
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

/** The settings of the pages from the daemon; undefined while the daemon does not run. */
const settingsOfDaemon = async (): Promise<PageSettings | undefined> =>
  fetch(`${daemon}/hosted/settings`).then(
    (response) => response.json() as Promise<PageSettings>,
    () => undefined,
  )

interface FirstPaintModule {
  readonly createFirstPaint: typeof CreateFirstPaint
}

/** The page as the daemon would send it, but rendered from the present sources. */
const paintWith = async (server: ViteDevServer, root: string, request: IncomingMessage, html: string) => {
  const settings = await settingsOfDaemon()
  if (settings === undefined) return html
  const { createFirstPaint } = (await server.ssrLoadModule(`${root}../src/http/first-paint.ts`)) as FirstPaintModule
  const { painted } = (await server.ssrLoadModule(`${root}paint/pages.tsx`)) as { readonly painted: PaintFile }
  // During development files are loaded from their source paths, so the list of built files is left out.
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
 * Serves the pages during development as the daemon does in production, and the list of their states at `/_states`. `root` is their
 * directory, with a slash at its end.
 */
export const developmentPages = (root: string): Plugin => ({
  name: 'gatehouse-development-pages',
  apply: 'serve',
  configureServer: (server) => {
    const write = async (request: IncomingMessage, response: ServerResponse) => {
      const url = request.url ?? '/'
      const file = fileOf(url)
      // The page's address may have more segments than that of its file, so relative addresses become absolute.
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
