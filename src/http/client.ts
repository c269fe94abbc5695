import type { Issue } from '../core/errors.ts'
import { withQuery } from '../core/web.ts'

/** An error as a client sees it. `code` is the error code of the answer, or `NETWORK` if no answer arrived. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]
  /** The id of the request. Operators find the call in the log by it. Undefined if no answer arrived. */
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

/** Sends one request. In a browser and in tests it is `fetch`. */
export type Send = (
  path: string,
  init: { method: string; headers: Record<string, string>; body?: string | Blob },
) => Promise<Response>

/** Method and path of an endpoint. Pages have only this part of a contract in the browser. */
export interface Target {
  readonly method: string
  readonly path: string
}

/** The input of a call. A typed client allows only the input that the endpoint declares. */
export interface CallParts {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

/** An answer of the server whose body has been read. */
export interface CallAnswer {
  readonly response: Response
  readonly text: string
}

const fillPath = (path: string, params: Readonly<Record<string, unknown>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))

const givenFields = (query: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))

/** Parses the body of an answer as JSON. Undefined if the body is empty or is not JSON. */
export const jsonOf = ({ response, text }: CallAnswer): unknown =>
  (response.headers.get('content-type') ?? '').includes('json') && text !== '' ? JSON.parse(text) : undefined

/**
 * Makes the error that an answer contains. Understands the form of the account API and the form of the OpenID Provider. If the answer has
 * neither form, makes a general error.
 */
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

/** Calls an endpoint and returns its answer. Throws `ApiError` if the answer is an error, or if none arrives. */
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
