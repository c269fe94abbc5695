/**
 * Makes requests of the test client with Node's own HTTP. `fetch` takes twice the processor time, and a test run makes a hundred thousand
 * requests.
 */
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** Where Node keeps the connections of `fetch`. */
const fetched = Symbol.for('undici.globalDispatcher.1')
interface Dispatcher {
  readonly constructor: new () => Dispatcher
  close(): Promise<void>
}

/**
 * Closes the connections to a server of this machine that no request uses, so that the server does not wait a second for them when it ends. Connections
 * of `fetch` are closed to all servers.
 */
export const closeIdleConnections = (port: number): void => {
  const all = globalThis as { [fetched]?: Dispatcher }
  const dispatcher = all[fetched]
  if (dispatcher !== undefined) {
    all[fetched] = new dispatcher.constructor()
    void dispatcher.close()
  }
  for (const [name, sockets = []] of Object.entries(agent.freeSockets))
    if (name.startsWith(`localhost:${port}:`)) for (const socket of sockets) socket.destroy()
}

/** Headers that `fetch` sends with every request, except for encodings, because bodies are not compressed here. */
const usual = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }

export interface Received {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly text: string
}

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

/** Sends a request and reads its response. If `isEndless` is true for the response, it reads only the beginning. It does not follow redirects. */
export const send = (
  url: URL,
  { method = 'GET', headers, body }: { readonly method?: string; readonly headers: Headers; readonly body?: string },
  isEndless: (headers: Headers) => boolean,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
    // The body is sent as bytes. With a text body, Node would also write the headers as UTF-8.
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) }
    const options: RequestOptions = { method, agent, headers: { ...usual, ...Object.fromEntries(headers), ...length } }
    const asked = request(url, options, (response) => {
      const received = headersOf(response)
      const parts: Buffer[] = []
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? '',
          headers: received,
          text: new TextDecoder().decode(Buffer.concat(parts)),
        })
      response.on('error', reject).on('end', finish)
      response.on('data', (part: Buffer) => {
        parts.push(part)
        if (!isEndless(received)) return
        finish()
        response.destroy()
      })
    })
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // The server has closed an idle connection that was kept for the next request.
      if (asked.reusedSocket && error.code === 'ECONNRESET')
        send(url, { method, headers, ...(body === undefined ? {} : { body }) }, isEndless).then(resolve, reject)
      else reject(error)
    })
    asked.end(bytes)
  })
