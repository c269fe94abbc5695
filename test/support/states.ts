/** The states of the development page `/_states`, built once and served without a daemon. */
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import type { State } from '../../admin-ui/states/state.ts'

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

/** Builds the pages with their made-up server into a directory of its own. */
export const serveStates = async (): Promise<ServedStates> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-states-'))
  await build({
    configFile: join(adminUi, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: directory, emptyOutDir: true, rolldownOptions: { input: { state: join(adminUi, 'state.html') } } },
  })
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = join(directory, path)
    const found = extname(path) !== '' && existsSync(file) ? file : join(directory, 'state.html')
    response.setHeader('Content-Type', types[extname(found)] ?? 'application/octet-stream')
    if (found === file) response.setHeader('Cache-Control', 'public, max-age=3600, immutable')
    createReadStream(found).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const base = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    show: async (page, { id, path }, { language = 'en', theme = 'light', brand = 'none' } = {}) => {
      const url = new URL(path, base)
      for (const [name, value] of Object.entries({ ui_locales: language, _state: id, _theme: theme, _brand: brand }))
        url.searchParams.set(name, value)
      await page.goto(url.href)
      await page.locator('html[data-state]').waitFor({ state: 'attached' })
      if ((await page.getAttribute('html', 'data-state')) !== 'shown') throw new Error(`${id} is not shown`)
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
