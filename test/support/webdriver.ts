/** Browsers that are installed on the machine and that Playwright does not bring. They are driven by the WebDriver protocol of the W3C. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './port.ts'

export interface Engine {
  readonly name: string
  /** Programs that are needed, each with the Debian package that contains it. */
  readonly needs: Readonly<Record<string, string>>
  readonly driver: readonly string[]
  readonly capabilities: object
}

export const engines: readonly Engine[] = [
  {
    name: 'Firefox',
    needs: { geckodriver: 'geckodriver', 'firefox-esr': 'firefox-esr' },
    driver: ['geckodriver'],
    capabilities: { 'moz:firefoxOptions': { binary: '/usr/bin/firefox-esr', args: ['-headless'] } },
  },
  {
    name: 'WebKit',
    needs: { WebKitWebDriver: 'webkit2gtk-driver', Xvfb: 'xvfb' },
    driver: ['WebKitWebDriver'],
    capabilities: {},
  },
]

/** The Debian packages that are missing to run an engine. */
export const missing = ({ needs }: Engine): readonly string[] =>
  Object.entries(needs).flatMap(([program, name]) => (spawnSync('which', [program]).status === 0 ? [] : [name]))

const mostMs = 20_000

export interface EnginePage {
  open(url: string): Promise<void>
  /** Runs a function body in the page and returns its value. */
  read<T>(script: string): Promise<T>
  /** Waits until a function body returns a true value. */
  until(script: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  click(selector: string): Promise<void>
  close(): Promise<void>
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** Starts the browser with a page. `close` also ends its driver. */
export const openEngine = async ({ driver, capabilities }: Engine): Promise<EnginePage> => {
  const started: ChildProcess[] = []
  const start = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
    started.push(spawn(command, args, { env, stdio: 'ignore' }))
  const display = `:${90 + (process.pid % 900)}`
  if (driver[0] === 'WebKitWebDriver') start('Xvfb', [display, '-screen', '0', '1280x900x24'])
  const port = await freePort()
  const [command = '', ...args] = driver
  start(command, [...args, `--port=${port}`], { ...process.env, DISPLAY: display })

  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const answer = (await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()) as { readonly value: unknown }
    const { value } = answer
    if (typeof value === 'object' && value !== null && 'error' in value) throw new Error(JSON.stringify(value))
    return value
  }
  /** Waits for the first true value. Throws the last problem when the time is over. */
  const eventually = async <T>(look: () => Promise<T>, what: string): Promise<NonNullable<T>> => {
    const end = Date.now() + mostMs
    let problem: unknown
    while (Date.now() < end) {
      try {
        const found = await look()
        if (found) return found
      } catch (error) {
        problem = error
      }
      await wait(100)
    }
    throw new Error(`waited in vain for ${what}`, { cause: problem })
  }
  await eventually(() => send('GET', '/status').then(() => true), command)
  const session = (await send('POST', '/session', { capabilities: { alwaysMatch: capabilities } })) as {
    readonly sessionId: string
  }
  const at = `/session/${session.sessionId}`
  const read = async <T>(script: string) => (await send('POST', `${at}/execute/sync`, { script, args: [] })) as T
  const find = (selector: string) =>
    eventually(async () => {
      const found = await send('POST', `${at}/element`, { using: 'css selector', value: selector })
      return (found as Record<string, string>)[elementKey]
    }, selector)
  return {
    open: async (url) => void (await send('POST', `${at}/url`, { url })),
    read,
    until: async (script) => void (await eventually(() => read<unknown>(script), script)),
    type: async (selector, text) => void (await send('POST', `${at}/element/${await find(selector)}/value`, { text })),
    click: async (selector) => void (await send('POST', `${at}/element/${await find(selector)}/click`, {})),
    close: async () => {
      await send('DELETE', at).catch(() => undefined)
      for (const child of started.toReversed()) child.kill()
    },
  }
}
