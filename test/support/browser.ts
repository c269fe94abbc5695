/** A real Chromium for the tests: the headless build of `@sparticuz/chromium`, or the one that GATEHOUSE_TEST_BROWSER names. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { Absent } from './absent.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))
const advice = 'set GATEHOUSE_TEST_BROWSER to the path of a Chrome or Chromium'

/** Where the browser is and what it needs to start. */
interface Installation {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** The package says which libraries it brings when it believes to be in a function of that cloud; elsewhere it expects them on the system. */
const asInTheCloud = { AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' }

/** Only the fonts of the package, so that pages look the same on every machine; its own file expects them in /tmp. */
const fontSettings = '<?xml version="1.0"?><fontconfig><dir prefix="relative">fonts</dir></fontconfig>\n'

const unpacked = async (): Promise<Installation> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Absent(`no Chromium for ${process.platform}-${process.arch}; ${advice}`)
  }
  const manifest = join(dirname(require.resolve('@sparticuz/chromium')), '../package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const cache = join(root, 'node_modules/.cache')
  const home = join(cache, `chromium-${version}`)
  if (!existsSync(home)) {
    // The package unpacks into the temporary directory and trusts whatever lies there already, half a file too.
    // A directory of its own, renamed when complete, is safe against interruption and against a second run beside this one.
    mkdirSync(cache, { recursive: true })
    const partial = mkdtempSync(join(cache, 'chromium-'))
    const script = "import chromium from '@sparticuz/chromium'; await chromium.executablePath()"
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: root,
      env: { ...process.env, ...asInTheCloud, TMPDIR: partial },
    })
    writeFileSync(join(partial, 'fonts/fonts.conf'), fontSettings)
    try {
      renameSync(partial, home)
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      if (!existsSync(home)) throw error
    }
  }
  const libraries = [join(home, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  return {
    executablePath: join(home, 'chromium'),
    env: { ...inherited(), LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(home, 'fonts') },
  }
}

const installation = async (): Promise<Installation> => {
  const given = process.env['GATEHOUSE_TEST_BROWSER']
  return given === undefined ? await unpacked() : { executablePath: given, env: inherited() }
}

/** Unpacks the browser once per installation and sees that it starts. A browser that was asked for by name has to. */
export const prepareBrowser = async (): Promise<void> => {
  const { executablePath, env } = await installation()
  await run(executablePath, ['--version', '--no-sandbox'], { env }).catch((error: Error) => {
    if (process.env['GATEHOUSE_TEST_BROWSER'] !== undefined) throw error
    throw new Absent(`Chromium does not start here: ${error.message.trim().split('\n').at(-1)}; ${advice}`)
  })
}

/** One browser for a test file; close it in `afterAll`. */
export const launchBrowser = async (): Promise<Browser> => {
  const { executablePath, env } = await installation()
  // Not the package's own `args`: they switch off web security and crash on a second page.
  return await chromium.launch({ executablePath, env: { ...env }, args: ['--no-sandbox', '--disable-gpu'] })
}

export interface OpenPage {
  readonly page: Page
  /** Errors and policy violations the page reported, in order. */
  readonly problems: readonly string[]
}

/** A page with cookies and storage of its own, as a person with a fresh browser. Closing `page.context()` forgets it. */
export const openPage = async (browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(url)
  return { page, problems }
}

/** Writes a PNG of the whole page. */
export const screenshot = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, fullPage: true, animations: 'disabled' })
}

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Accessibility faults of the page, one line each: rule, what is wrong, where. Empty when there are none. */
export const accessibilityFaults = async (page: Page): Promise<readonly string[]> => {
  // Evaluated by the debugger, since the page's content policy rightly refuses an injected script.
  await page.evaluate(axeSource)
  const found: readonly string[] = await page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => id + ': ' + help + ' (' + target.join(' ') + ')')))`,
  )
  return found
}
