/** Builds the states of the development page `/_states` once, and serves them without a daemon. */
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
  /** Opens a state and waits until it is shown. */
  show(page: Page, state: State, look?: Look): Promise<void>
  stop(): Promise<void>
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Builds one page with its simulated server into a directory of its own. Serves the page at every address at which there is no file. */
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

/** Serves the states of the hosted pages. */
export const serveStates = async (): Promise<ServedStates> => {
  const { base, stop } = await servePage('state.html')
  return { show: (page, { id, path }, look = {}) => openState(page, new URL(path, base), id, look), stop }
}

export interface ServedConsoleStates {
  /** Opens the console in its first state. `show` then replaces it with another state. */
  open(page: Page, look?: Pick<Look, 'language'>): Promise<readonly { readonly id: string; readonly pattern?: string }[]>
  stop(): Promise<void>
}

/** Serves the states of the console, under the server's content policy. */
export const serveConsoleStates = async (): Promise<ServedConsoleStates> => {
  const secure = securityHeaders(false)
  const { base, stop } = await servePage('console-state.html', (request, response) => secure(request, response, () => undefined))
  return {
    open: async (page, { language = 'en' } = {}) => {
      // Twelve rows: one of each kind of row, and two more.
      await openState(page, new URL('/admin/overview?_rows=12', base), 'console/overview/few', { language })
      return page.evaluate('window.consoleStates.states')
    },
    stop,
  }
}
