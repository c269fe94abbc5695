import { AppError } from '../../../core/errors.ts'
import { ApiError, type Send, sendCall } from '../../../http/client.ts'
import { type Api, type Contract, createApi, type Endpoint } from '../../../http/contract.ts'

/** Converts a value to its form in JSON bodies and query strings. Times become text. */
const onWire = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Blob) return value
  if (Array.isArray(value)) return value.map(onWire)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, onWire(field)]))
}

interface Parts {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}
type Call = (input: Parts) => Promise<unknown>

/** Converts the error of a call to the error that the service itself would throw. */
const asRefusal = (error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  return new AppError(error.code, error.status, error.message, error.issues.length === 0 ? {} : { issues: error.issues })
}

/** Functions for the calls of a contract. They take the arguments of the services and throw the errors of the services. */
export const calls = <C extends Contract>(contract: C, send: Send) => {
  type Answers = { readonly [K in keyof C]: (input?: Parts) => ReturnType<Api<C>[K]> }
  const api: object = createApi(contract, send)
  const entries = Object.entries<Call>({ ...api }).map(([name, call]) => [
    name,
    (input: Parts = {}) =>
      call({ params: input.params, query: onWire(input.query), body: onWire(input.body) }).catch((error: unknown) => {
        throw asRefusal(error)
      }),
  ])
  return Object.fromEntries(entries) as Answers
}

/** Yields the text of a streamed response. Throws the same errors as other calls, and INTERRUPTED if the stream breaks off. */
export async function* pieces(endpoint: Endpoint, send: Send, query: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  let body: Response['body'] = null
  const sendAndKeep: Send = async (path, init) => {
    const response = await send(path, init)
    if (!response.ok) return response
    body = response.body
    return new Response(null)
  }
  const wire = onWire(query) as Readonly<Record<string, unknown>>
  await sendCall(endpoint, sendAndKeep, { query: wire }).catch((error: unknown) => {
    throw asRefusal(error)
  })
  const text = (body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream())
  try {
    yield* text
  } catch {
    throw new AppError('INTERRUPTED', 502, 'The answer broke off: what was written is not all of it. Run the command again')
  }
}

/** How many rows one call returns at most. */
const pageSize = 100

/** Returns the first `limit` rows of a paged list, and the cursor for the rows that follow. */
export const firstOf = async <Row>(
  limit: number,
  page: (query: {
    readonly limit: number
    readonly after: string | undefined
  }) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>,
): Promise<readonly Row[]> => {
  const rows: Row[] = []
  let after: string | undefined
  do {
    const found = await page({ limit: Math.min(pageSize, limit - rows.length), after })
    rows.push(...found.rows)
    after = found.next ?? undefined
  } while (after !== undefined && rows.length < limit)
  return rows
}

/** Returns undefined if the call fails with the given code, which means that nothing was found. */
export const orUndefined = <T>(answer: Promise<T>, code: string): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof AppError && error.code === code) return undefined
    throw error
  })
