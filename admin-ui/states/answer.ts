import type { BrandName } from './brands.ts'
import { brandedSettings } from './brands.ts'
import { settings } from './made-up.ts'
import type { State } from './state.ts'
import { Refusal, unreachable, waiting } from './state.ts'

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

/** What the server says in a state, by method and path. */
export const answersOf = (state: State, brand: BrandName): Readonly<Record<string, unknown>> => ({
  'GET /hosted/settings': brandedSettings({ ...settings, ...state.settings }, brand),
  'GET /get-session': state.session ?? null,
  'GET /passkey/generate-authenticate-options': waiting,
  'GET /proof-of-work': { required: false, challenge: null, algorithm: 'SHA-256', difficulty: 0, expiresInSeconds: 300 },
  ...state.answers,
})

/** Stands for `fetch`: answers as the server would in this state. What it has no answer for is refused, and named. */
export const answer = (state: State, brand: BrandName): typeof fetch => {
  const answers = answersOf(state, brand)
  const fetchFiles = window.fetch.bind(window)
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin)
    if (/\.\w+$/.test(pathname) && !Object.hasOwn(answers, `GET ${pathname}`)) return fetchFiles(input, init)
    const call = `${init?.method ?? 'GET'} ${pathname}`
    if (!Object.hasOwn(answers, call)) {
      // biome-ignore lint/suspicious/noConsole: for whoever writes a state.
      console.error(`${state.id}: no answer for ${call}`)
      return json(404, { code: 'NOT_FOUND', message: 'Not found' })
    }
    const given = answers[call]
    if (given === waiting) return new Promise(() => {})
    if (given === unreachable) throw new TypeError('no connection')
    if (given instanceof Refusal) return json(given.status, { code: given.code, message: given.code }, given.headers)
    return json(200, given)
  }
}
