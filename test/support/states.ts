/** The states of the development page `/_states`, built once and served without a daemon. */
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import type { State } from '../../admin-ui/states/state.ts'
import { securityHeaders } from '../../src/http/security-headers.ts'

const adminUi = fileURLToPath(new URL('../../admin-ui', import.meta.url))
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

export interface Look {
  readonly language?: string
  readonly theme?: 'light' | 'dark'
  readonly brand?: 'none' | 'dark' | 'pastel'
}

export interface ServedStates {
  /** Opens a state and waits until it is there. */
  show(page: Page, state: State, look?: Look): Promise<void>
  stop(): Promise<void>
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Builds one page with its made-up server into a directory of its own, and serves it at every address that no file has. */
const servePage = async (html: string, prepare: Listener = () => undefined) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-states-'))
  await build({
    configFile: join(adminUi, 'vite.config.ts'),
    logLevel: 'error',
    build: {
      ...{ outDir: directory, emptyOutDir: true, reportCompressedSize: false },
      rolldownOptions: { input: { state: join(adminUi, html) } },
    },
  })
  const server = createServer((request, response) => {
    prepare(request, response)
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = join(directory, path)
    const found = extname(path) !== '' && existsSync(file) ? file : join(directory, html)
    response.setHeader('Content-Type', types[extname(found)] ?? 'application/octet-stream')
    if (found === file) response.setHeader('Cache-Control', 'public, max-age=3600, immutable')
    createReadStream(found).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    base: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const openState = async (page: Page, url: URL, id: string, { language = 'en', theme = 'light', brand = 'none' }: Look) => {
  for (const [name, value] of Object.entries({ ui_locales: language, _state: id, _theme: theme, _brand: brand }))
    url.searchParams.set(name, value)
  await page.goto(url.href)
  await page.locator('html[data-state]').waitFor({ state: 'attached' })
  if ((await page.getAttribute('html', 'data-state')) !== 'shown') throw new Error(`${id} is not shown`)
}

/** The states of the hosted pages. */
export const serveStates = async (): Promise<ServedStates> => {
  const { base, stop } = await servePage('state.html')
  return { show: (page, { id, path }, look = {}) => openState(page, new URL(path, base), id, look), stop }
}

export interface ServedConsoleStates {
  /** Opens the console in its first state; `show` brings the others in its place. */
  open(page: Page, look?: Pick<Look, 'language'>): Promise<readonly { readonly id: string; readonly pattern?: string }[]>
  stop(): Promise<void>
}

/** The states of the console, under the content policy of the server. */
export const serveConsoleStates = async (): Promise<ServedConsoleStates> => {
  const secure = securityHeaders(false)
  const { base, stop } = await servePage('console-state.html', (request, response) => secure(request, response, () => undefined))
  return {
    open: async (page, { language = 'en' } = {}) => {
      // As many rows as there are kinds of them, and two more.
      await openState(page, new URL('/admin/overview?_rows=12', base), 'console/overview/few', { language })
      return page.evaluate('window.consoleStates.states')
    },
    stop,
  }
}
