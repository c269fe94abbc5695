import type { BrandName } from './brands.ts'
import { brandedSettings } from './brands.ts'
import { settings } from './made-up.ts'
import type { Answers, State } from './state.ts'
import { JsonLines, Refusal, unreachable, waiting } from './state.ts'

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

/** The server's answers in a state, by method and path of the call. */
export const answersOf = (state: State, brand: BrandName): Answers => ({
  'GET /hosted/settings': brandedSettings({ ...settings, ...state.settings }, brand),
  'GET /get-session': state.session ?? null,
  'GET /passkey/generate-authenticate-options': waiting,
  'GET /proof-of-work': { required: false, challenge: null, algorithm: 'SHA-256', difficulty: 0, expiresInSeconds: 300 },
  ...state.answers,
})

/** The answer to a call. An answer for its exact path comes before the answer for a matching pattern such as `/admin/users/:id`. */
const findAnswer = (answers: Answers, call: string): { readonly given: unknown } | undefined => {
  if (Object.hasOwn(answers, call)) return { given: answers[call] }
  const segments = call.split('/')
  const pattern = Object.keys(answers).find((one) => {
    const parts = one.split('/')
    return parts.length === segments.length && parts.every((part, index) => part.startsWith(':') || part === segments[index])
  })
  return pattern === undefined ? undefined : { given: answers[pattern] }
}

/** Cuts a list to the requested length. A list that is cut has a next page. */
const limited = (given: unknown, limit: string | null): unknown => {
  if (limit === null || typeof given !== 'object' || given === null || !('next' in given)) return given
  const cut = Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, Number(limit)) : value])
  const isCut = Object.values(given).some((value) => Array.isArray(value) && value.length > Number(limit))
  return { ...Object.fromEntries(cut), next: given.next ?? (isCut ? 'made-up' : null) }
}

const fetchFiles = fetch

/**
 * Replaces `fetch`. It answers as the server would in this state. If the state has no answer for a call, the call is refused, and the
 * error names it.
 */
export const answerFrom =
  (id: string, answers: Answers): typeof fetch =>
  async (input, init) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input, location.origin)
    if (/\.\w+$/.test(pathname) && !Object.hasOwn(answers, `GET ${pathname}`)) return fetchFiles(input, init)
    const call = `${init?.method ?? 'GET'} ${pathname}`
    const found = findAnswer(answers, call)
    if (found === undefined) {
      // biome-ignore lint/suspicious/noConsole: the message is for authors of states.
      console.error(`${id}: no answer for ${call}`)
      return json(404, { code: 'NOT_FOUND', message: 'Not found' })
    }
    const { given } = found
    if (given === waiting) return new Promise(() => {})
    if (given === unreachable) throw new TypeError('no connection')
    if (given instanceof Refusal) return json(given.status, { code: given.code, message: given.code }, given.headers)
    if (given instanceof JsonLines) return new Response(given.lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return json(200, limited(given, searchParams.get('limit')))
  }

/** The answers for a hosted page with a brand. */
export const answer = (state: State, brand: BrandName): typeof fetch => answerFrom(state.id, answersOf(state, brand))
