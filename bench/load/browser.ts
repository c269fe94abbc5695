import { type Answer, createConnection, headerOf, setCookies } from './connection.ts'

/** A virtual user: one keep-alive connection and its cookies. */
export interface Browser {
  readonly origin: string
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  postJson(path: string, value: unknown): Promise<Answer>
  postForm(path: string, fields: Readonly<Record<string, string>>, authorization?: string): Promise<Answer>
  /** Sends a request from `requestText` unchanged, and stores no cookies. For the measured loops. */
  send(request: string): Promise<Answer>
  close(): void
}

/** A complete HTTP/1.1 request as text. */
export const requestText = (
  method: string,
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${lines.join('')}${length}\r\n${body ?? ''}`
}

export const cookieHeader = (cookies: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  cookies.size === 0 ? {} : { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

const remember = (cookies: Map<string, string>, answer: Answer) => {
  for (const line of setCookies(answer)) {
    const [pair = ''] = line.split(';', 1)
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    const isGone = value === '' || /;\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(line)
    if (isGone) cookies.delete(pair.slice(0, at))
    else cookies.set(pair.slice(0, at), value)
  }
}

export const createBrowser = (origin: string): Browser => {
  const connection = createConnection(Number(new URL(origin).port))
  const cookies = new Map<string, string>()
  const send = async (request: string) => {
    const answer = await connection.send(request)
    remember(cookies, answer)
    return answer
  }
  return {
    origin,
    cookies,
    get: (path, headers = {}) => send(requestText('GET', origin, path, { ...cookieHeader(cookies), ...headers })),
    postJson: (path, value) => {
      const headers = { ...cookieHeader(cookies), Origin: origin, 'Content-Type': 'application/json' }
      return send(requestText('POST', origin, path, headers, JSON.stringify(value)))
    },
    postForm: (path, fields, authorization) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams(fields).toString()
      return send(
        requestText(
          'POST',
          origin,
          path,
          authorization === undefined ? headers : { ...headers, Authorization: authorization },
          body,
        ),
      )
    },
    send: connection.send,
    close: connection.close,
  }
}

/** Follows redirects within the server. Returns the address outside of the server at which the flow ends. */
export const follow = async (browser: Browser, start: string, onPage: (path: string) => Promise<string>): Promise<URL> => {
  let next = new URL(start, browser.origin)
  for (let step = 0; step < 12; step += 1) {
    const answer = await browser.get(next.pathname + next.search)
    const location = headerOf(answer, 'location')
    if (answer.status >= 400) throw new Error(`${next.pathname} answers ${answer.status}: ${answer.body.slice(0, 300)}`)
    next = new URL(location ?? (await onPage(next.pathname + next.search)), next)
    if (next.origin !== browser.origin) return next
  }
  throw new Error('the sign-in goes round in circles')
}
