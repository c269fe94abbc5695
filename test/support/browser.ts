/** A real Chromium for the tests. It is the headless build of `@sparticuz/chromium`, or the browser that GATEHOUSE_TEST_BROWSER names. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import { Absent } from './absent.ts'
import { areLookedAt } from './galleries.ts'
import { hasMemoryForFiles } from './scratch.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))
const advice = 'set GATEHOUSE_TEST_BROWSER to the path of a Chrome or Chromium'

/** The path of the browser, and the environment that it needs. */
interface Installation {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** With this variable, the package unpacks the libraries that it brings for a cloud function. Otherwise it expects them on the system. */
const asInTheCloud = { AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' }

/** Allows only the fonts of the package, so that pages look equal on every machine. The package's own file expects them in /tmp. */
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
    // The package unpacks into the temporary directory, and uses whatever it finds there, even half a file. A directory of its own,
    // renamed when it is complete, is safe if unpacking is interrupted or runs twice at the same time.
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

/** Unpacks the browser once for each installation, and checks that it starts. A browser that GATEHOUSE_TEST_BROWSER names must start. */
export const prepareBrowser = async (): Promise<void> => {
  const { executablePath, env } = await installation()
  await run(executablePath, ['--version', '--no-sandbox'], { env }).catch((error: Error) => {
    if (process.env['GATEHOUSE_TEST_BROWSER'] !== undefined) throw error
    throw new Absent(`Chromium does not start here: ${error.message.trim().split('\n').at(-1)}; ${advice}`)
  })
}

let running: Promise<Browser> | undefined

const start = async (): Promise<Browser> => {
  const { executablePath, env } = await installation()
  // The package's own `args` are not used, because they switch off web security and crash on a second page. These options switch off
  // smooth scrolling, software rendering of 3D content, and text rendering for LCD screens. No test looks at these, and they take a tenth
  // of the processor time.
  const plain = ['--disable-software-rasterizer', '--disable-smooth-scrolling', '--disable-lcd-text']
  return await chromium.launch({
    executablePath,
    env: { ...env },
    // A test's page lives for seconds, so threads that compile and collect in the background cost more than they save. The GPU code runs
    // inside the browser process, which saves messages. No real GPU could crash it.
    args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--js-flags=--single-threaded,--max-lazy', ...plain],
    // By default, Playwright shares pages between processes through files on disk, for containers with little shared memory. That is a
    // seventh of the browser's work.
    ignoreDefaultArgs: hasMemoryForFiles() ? ['--disable-dev-shm-usage'] : [],
  })
}

/**
 * Starts the browser for a test file. Close it in `afterAll`. Test files that run one after the other in a process share the browser.
 * Closing it removes all pages with their cookies and storage. The program itself ends with the process.
 */
export const launchBrowser = async (): Promise<Browser> => {
  if ((await running)?.isConnected() !== true) running = start()
  const browser = (await running) as Browser
  const close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  }
  return new Proxy(browser, {
    get: (target, name) => {
      if (name === 'close') return close
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export interface OpenPage {
  readonly page: Page
  /** Errors and policy violations that the page reported, in their order. */
  readonly problems: readonly string[]
}

interface OpenOptions extends BrowserContextOptions {
  /** Prepares the browser before it opens the page. */
  readonly before?: (context: BrowserContext) => Promise<void>
}

/**
 * Opens a page with its own cookies and storage, like a person with a fresh browser. Closing `page.context()` removes it. A page that a
 * test opens is closed at the end of that test. Otherwise an open console would fetch its lists again after each change by later tests.
 */
export const openPage = async (browser: Browser, url: string, { before, ...options }: OpenOptions = {}): Promise<OpenPage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  // Shorter than the time limit of a test, so that the message names the missing element. Long enough for a busy machine.
  context.setDefaultTimeout(60_000)
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close())
  await before?.(context)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(url)
  return { page, problems }
}

/** Delays matching calls of the page until `release`. `isHeld` resolves at the first such call. */
export const holdsUp = async (
  page: Page,
  pattern: string,
): Promise<{ readonly isHeld: Promise<void>; readonly release: () => void }> => {
  let arrive = () => {}
  let letGo = () => {}
  const isHeld = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(pattern, async (route) => {
    arrive()
    await gate
    await route.continue()
  })
  return { isHeld, release: letGo }
}

/** Writes a screenshot of the whole page as PNG. */
export const screenshot = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, fullPage: true, animations: 'disabled' })
}

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * A script that returns everything on which the faults of a page depend. Size, colours, focus and the values of fields are not part of
 * its elements.
 */
const appearance = `JSON.stringify([
  innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches,
  [...document.querySelectorAll('*')].indexOf(document.activeElement),
  [...document.querySelectorAll('input, select, textarea')].map((field) => [field.checked, field.value]),
  document.documentElement.outerHTML,
])`

/** Hashes of pages without a fault. A page that looks equal is not examined again. */
const faultless = new Set<string>()

/**
 * True if the galleries have examined every state of every page in its present form. Other tests that visit the pages then do not examine
 * them again.
 */
const isExamined = process.env['GATEHOUSE_TEST_FULL'] !== '1' && areLookedAt()

/** Accessibility faults of the page, or of a part of it. Each is a line with rule, problem and place. Empty if there are none. */
export const accessibilityFaults = async (page: Page, within = 'html'): Promise<readonly string[]> => {
  if (isExamined) return []
  const looks = createHash('sha256')
    .update(within + (await page.evaluate<string>(appearance)))
    .digest('hex')
  if (faultless.has(looks)) return []
  // The debugger evaluates the script, because the content policy of the page refuses injected scripts. This is needed once for each
  // document.
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axeSource)
  // Without `preload`, axe would load all style sheets again for one rule about rotated screens, which it does not apply by default.
  const found: readonly string[] = await page.evaluate(
    `axe.run('${within}', { resultTypes: ['violations'], preload: { assets: ['media'] } }).then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => id + ': ' + help + ' (' + target.join(' ') + ')')))`,
  )
  if (found.length === 0) faultless.add(looks)
  return found
}

/** Makes a page load its code and draw itself, by moving the pointer. For pages that work without their code. */
export const drawnByScript = async (page: Page): Promise<void> => {
  await page.mouse.move(100, 100)
  await page.mouse.move(120, 120)
  await page.locator('.early').waitFor({ state: 'detached' })
}
