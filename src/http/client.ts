import type { Issue } from '../core/errors.ts'
import { withQuery } from '../core/web.ts'

/** An error as a client sees it. `code` comes from the catalogue of errors, or is `NETWORK` if no response arrived. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]
  /** Id by which operators find the call in the log. Undefined without a response. */
  readonly requestId: string | undefined

  constructor(status: number, code: string, message: string, issues: readonly Issue[] = [], requestId?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.issues = issues
    this.requestId = requestId
  }
}

/** Sends one request. It is the `fetch` of a browser or of a test. */
export type Send = (
  path: string,
  init: { method: string; headers: Record<string, string>; body?: string | Blob },
) => Promise<Response>

/** What is needed to call an endpoint. Pages have only this part of a contract in the browser. */
export interface Target {
  readonly method: string
  readonly path: string
}

/** The input of a call. Typed clients narrow it for each endpoint. */
export interface CallParts {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

/** A response whose body has been read. */
export interface CallAnswer {
  readonly response: Response
  readonly text: string
}

const fillPath = (path: string, params: Readonly<Record<string, unknown>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))

const givenFields = (query: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))

/** The JSON of a response. Undefined if the response is empty or has other content. */
export const jsonOf = ({ response, text }: CallAnswer): unknown =>
  (response.headers.get('content-type') ?? '').includes('json') && text !== '' ? JSON.parse(text) : undefined

/** The error that a response contains, in the form of the account API or of the OpenID Provider. For any other response, a general error. */
export const toApiError = (answer: CallAnswer): ApiError => {
  const { status, statusText, headers } = answer.response
  const error = (jsonOf(answer) ?? {}) as {
    code?: string
    message?: string
    issues?: Issue[]
    error?: string
    error_description?: string
  }
  const message = error.message ?? error.error_description ?? statusText
  return new ApiError(
    status,
    error.code ?? error.error ?? 'UNKNOWN',
    message,
    error.issues,
    headers.get('x-request-id') ?? undefined,
  )
}

/** Calls an endpoint and returns its successful response. Throws `ApiError`. */
export const sendCall = async ({ method, path }: Target, send: Send, input: CallParts = {}): Promise<CallAnswer> => {
  const url = withQuery(fillPath(path, input.params ?? {}), givenFields(input.query ?? {}))
  const headers: Record<string, string> = { accept: 'application/json' }
  const { body = {} } = input
  const isFile = body instanceof Blob
  if (method !== 'GET') headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json'
  const init = { method, headers }
  const response = await send(url, method === 'GET' ? init : { ...init, body: isFile ? body : JSON.stringify(body) }).catch(
    () => {
      throw new ApiError(0, 'NETWORK', 'No answer from the server')
    },
  )
  const answer = { response, text: await response.text() }
  if (!response.ok) throw toApiError(answer)
  return answer
}
