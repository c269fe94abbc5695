import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import packageFile from '../../../package.json' with { type: 'json' }
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createRemedies } from '../../core/remedies.ts'
import { UsageError } from '../../core/terminal.ts'
import type { Send } from '../../http/client.ts'
import type { Credential, Credentials } from './credentials.ts'

/** The OAuth client for command lines, which every instance has. Its client id is also the audience of its tokens. */
const client = { client_id: 'gatehouse-cli' } as const
const scope = 'openid administration'
/**
 * If the browser's sign-in is older than this, in seconds, the browser asks for a proof of identity again. The calls that follow then
 * have a recent proof.
 */
const maxAgeSeconds = 600

const now = () => systemClock.now().getTime()

const userAgent = `gatehouse/${packageFile.version}`

/** The origin of an instance's public URL. It identifies the instance. Throws `UsageError`. */
export const instanceOf = (address: string): string => {
  const url = URL.parse(address)
  const isLocal = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw new UsageError('--remote: expected an https address, such as https://id.example.com (http on loopback)')
  if (url.username !== '' || url.password !== '') throw new UsageError('--remote: must not hold a password')
  return url.origin
}

const Failure = z.object({ error: z.string(), error_description: z.string().optional() })
const Asked = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
  interval: z.number().default(5),
})
const Tokens = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() })

const refused = (code: string, message: string) => new AppError(code, 403, message)

const postForm = async (address: string, form: Readonly<Record<string, string>>): Promise<unknown> => {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'user-agent': userAgent, accept: 'application/json' },
    body: new URLSearchParams({ ...client, ...form }),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw refused('NETWORK', `${new URL(address).origin} does not answer`)
  })
  return answer.json().catch(() => ({ error: 'invalid_response', error_description: `${address} did not answer with JSON` }))
}

const tokensOf = (answer: unknown): Extract<Credential, { accessToken: string }> | z.output<typeof Failure> => {
  const tokens = Tokens.safeParse(answer)
  if (!tokens.success) return Failure.catch({ error: 'invalid_response' }).parse(answer)
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = tokens.data
  return { accessToken, refreshToken, expiresAt: now() + seconds * 1000 }
}

/**
 * Signs the person in by a code that they enter in a browser (device grant, RFC 8628). `show` is called with the code and the URL at
 * which it is entered. Throws `AppError`.
 */
export const signIn = async (
  instance: string,
  show: (asked: { readonly code: string; readonly address: string; readonly complete: string }) => void,
): Promise<Credential> => {
  const answer = await postForm(`${instance}/oauth2/device`, { scope, max_age: String(maxAgeSeconds) })
  const asked = Asked.safeParse(answer)
  if (!asked.success) {
    const { error, error_description: why } = Failure.catch({ error: 'invalid_response' }).parse(answer)
    throw refused(error.toUpperCase(), `${instance} lets no command line in (oidc.commandLine): ${why ?? error}`)
  }
  const { device_code, user_code: code, expires_in, interval } = asked.data
  show({ code, address: asked.data.verification_uri, complete: asked.data.verification_uri_complete })
  const until = now() + expires_in * 1000
  let seconds = interval
  for (;;) {
    await wait(seconds * 1000)
    const tokens = tokensOf(
      await postForm(`${instance}/oauth2/token`, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code }),
    )
    if (!('error' in tokens)) return tokens
    if (tokens.error === 'slow_down') seconds += 5
    else if (tokens.error !== 'authorization_pending' || now() > until)
      throw refused(tokens.error.toUpperCase(), tokens.error_description ?? 'the sign-in was refused')
  }
}

/** Revokes the tokens of this program, if the server can be reached. */
export const signOut = async (instance: string, credential: Credential): Promise<void> => {
  if (!('refreshToken' in credential)) return
  await postForm(`${instance}/oauth2/revoke`, { token: credential.refreshToken }).catch(() => undefined)
}

/** The connection from commands to an instance on another machine. */
interface Connection {
  readonly send: Send
  /** Returns the error that prevented a call. Undefined if there was none. */
  readonly refusal: () => unknown
}

const loginAt = (instance: string) => createRemedies([]).login(instance)

/** How long the instance may send nothing, in milliseconds. There is no limit for a whole response, because an export may take long. */
const patienceMs = 120_000

/** Like `fetch`, but rejects if nothing arrives for too long. This also holds while the body is being read. */
const patiently = async (address: string, init: RequestInit): Promise<Response> => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), patienceMs).unref()
  const response = await fetch(address, { ...init, signal: controller.signal })
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, out) => {
      timer.refresh()
      out.enqueue(chunk)
    },
    flush: () => clearTimeout(timer),
  })
  return new Response(response.body?.pipeThrough(watched) ?? null, response)
}

/**
 * Makes calls on behalf of the signed-in person. Tokens are refreshed shortly before they expire. Throws `AppError` if the person has not
 * signed in.
 */
export const connect = (
  instance: string,
  credentials: Credentials,
  apiKey: string | undefined,
  reason: string | undefined,
): Connection => {
  const signInAgain = () => refused('NOT_SIGNED_IN', `Not signed in at ${instance}: run ${loginAt(instance)}`)

  const renew = async (): Promise<string> => {
    const found = credentials.read(instance)
    if (found === undefined || !('refreshToken' in found)) throw signInAgain()
    const tokens = tokensOf(
      await postForm(`${instance}/oauth2/token`, { grant_type: 'refresh_token', refresh_token: found.refreshToken }),
    )
    if ('error' in tokens) {
      if (tokens.error === 'invalid_grant' || tokens.error === 'invalid_client') credentials.remove(instance)
      throw signInAgain()
    }
    credentials.write(instance, tokens)
    return tokens.accessToken
  }
  const token = async (): Promise<string> => {
    if (apiKey !== undefined) return apiKey
    const found = credentials.read(instance)
    if (found === undefined) throw signInAgain()
    if ('apiKey' in found) return found.apiKey
    return found.expiresAt - 30_000 > now() ? found.accessToken : renew()
  }

  let refusal: unknown
  const send: Send = async (path, { method, headers, body }) => {
    // To the caller, this failure looks like a network error. `refusal` returns the real reason.
    const bearer = await token().catch((error: unknown) => {
      refusal = error
      throw error
    })
    return patiently(instance + path, {
      method,
      headers: {
        ...headers,
        'user-agent': userAgent,
        authorization: `Bearer ${bearer}`,
        ...(reason === undefined ? {} : { 'gatehouse-reason': encodeURIComponent(reason) }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
    })
  }
  return { send, refusal: () => refusal }
}

/** Error codes after which the person has to prove their identity again. */
const proofCodes = new Set(['SESSION_IS_NOT_FRESH', 'SECOND_FACTOR_REQUIRED', 'PROOF_REQUIRED'])

/**
 * The error of a refused call, for display. It has the message that the command would give on the machine of the database, and says what
 * the person can do next.
 */
export const toRefusal = (instance: string, error: unknown): unknown => {
  if (!(error instanceof AppError)) return error
  const login = loginAt(instance)
  const message = proofCodes.has(error.code)
    ? `${error.message}. This change needs a recent proof of your identity: run ${login}, then repeat the command within its time`
    : error.status === 401 && error.code === 'UNAUTHORIZED'
      ? `Not signed in any more at ${instance}: run ${login}`
      : error.code === 'NETWORK'
        ? `${instance} does not answer`
        : error.message
  return new AppError(error.code, error.status, message, error.issues === undefined ? {} : { issues: error.issues })
}
