/** A real Chromium for the tests: the headless build of `@sparticuz/chromium`, or the one that GATEHOUSE_TEST_BROWSER names. */
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

let running: Promise<Browser> | undefined

const start = async (): Promise<Browser> => {
  const { executablePath, env } = await installation()
  // Not the package's own `args`: they switch off web security and crash on a second page.
  // What no test looks at costs a tenth of the processor time: scrolling in steps, and painting as for a screen.
  const plain = ['--disable-software-rasterizer', '--disable-smooth-scrolling', '--disable-lcd-text']
  return await chromium.launch({
    executablePath,
    env: { ...env },
    // A page of a test lives for seconds: helpers that compile and collect beside it do more than they save.
    // What no process of its own does needs no messages: there is no GPU that could crash.
    args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--js-flags=--single-threaded,--max-lazy', ...plain],
    // Playwright has pages shared between processes by files on the disk, for containers with little shared memory: a seventh of all work of the browser.
    ignoreDefaultArgs: hasMemoryForFiles() ? ['--disable-dev-shm-usage'] : [],
  })
}

/**
 * The browser of a test file; close it in `afterAll`. Files that share a process share it, one after the other: to close it forgets all pages, with
 * their cookies and storage, and the program ends with the process.
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
  /** Errors and policy violations the page reported, in order. */
  readonly problems: readonly string[]
}

interface OpenOptions extends BrowserContextOptions {
  /** Prepares the browser before it opens the page. */
  readonly before?: (context: BrowserContext) => Promise<void>
}

/**
 * A page with cookies and storage of its own, as a person with a fresh browser. Closing `page.context()` forgets it. A page that a test opens ends
 * with that test: a console that stays open fetches its lists anew with each change that later tests make.
 */
export const openPage = async (browser: Browser, url: string, { before, ...options }: OpenOptions = {}): Promise<OpenPage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  // Shorter than a test may take, so that what is missing is named; long enough for a busy machine.
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

/** Holds up the page's calls that match until `release`; `isHeld` ends with the first. */
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

/** Writes a PNG of the whole page. */
export const screenshot = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, fullPage: true, animations: 'disabled' })
}

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** All of a page that its faults depend on, also what is not in its elements: size, colours, focus, and what fields hold. */
const appearance = `JSON.stringify([
  innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches,
  [...document.querySelectorAll('*')].indexOf(document.activeElement),
  [...document.querySelectorAll('input, select, textarea')].map((field) => [field.checked, field.value]),
  document.documentElement.outerHTML,
])`

/** Pages without a fault: the same page, looking the same, is not examined again. */
const faultless = new Set<string>()

/** The galleries examine every state of every page. Until a page changes, journeys that pass through the same pages do not do so again. */
const isExamined = process.env['GATEHOUSE_TEST_FULL'] !== '1' && areLookedAt()

/** Accessibility faults of the page, or of a part of it, one line each: rule, what is wrong, where. Empty when there are none. */
export const accessibilityFaults = async (page: Page, within = 'html'): Promise<readonly string[]> => {
  if (isExamined) return []
  const looks = createHash('sha256')
    .update(within + (await page.evaluate<string>(appearance)))
    .digest('hex')
  if (faultless.has(looks)) return []
  // Evaluated by the debugger, since the page's content policy rightly refuses an injected script; once for each document.
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axeSource)
  // Style sheets would be loaded anew for one rule, on turned screens, which axe does not apply by itself.
  const found: readonly string[] = await page.evaluate(
    `axe.run('${within}', { resultTypes: ['violations'], preload: { assets: ['media'] } }).then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => id + ': ' + help + ' (' + target.join(' ') + ')')))`,
  )
  if (found.length === 0) faultless.add(looks)
  return found
}

/** Has a page that is whole without its code loaded and drawn by it, as a moved pointer does. */
export const drawnByScript = async (page: Page): Promise<void> => {
  await page.mouse.move(100, 100)
  await page.mouse.move(120, 120)
  await page.locator('.early').waitFor({ state: 'detached' })
}
