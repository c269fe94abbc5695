/**
 * A keep-alive HTTP/1.1 connection with one request at a time. Node's own clients use more processor time than the measured servers. This
 * connection writes a prepared text and reads the answer, and leaves everything else to the caller.
 */
import { connect as openSocket } from 'node:net'

export interface Answer {
  readonly status: number
  /** Header lines as received, without the status line. */
  readonly head: string
  readonly body: string
}

export interface Connection {
  send(request: string): Promise<Answer>
  close(): void
}

/** Returns the value of the first header with this name. */
export const headerOf = (answer: Answer, name: string): string | undefined => {
  const at = answer.head.toLowerCase().indexOf(`\r\n${name}:`)
  if (at < 0) return undefined
  const from = at + name.length + 3
  const to = answer.head.indexOf('\r\n', from)
  return answer.head.slice(from, to < 0 ? undefined : to).trim()
}

/** Returns the values of all Set-Cookie lines. */
export const setCookies = (answer: Answer): string[] =>
  [...answer.head.matchAll(/\r\nset-cookie: *([^\r]*)/gi)].map(([, value = '']) => value)

/** Joins the parts of a chunked body. Undefined while the body is incomplete. */
const joinChunks = (text: string, from: number): { body: string; end: number } | undefined => {
  let body = ''
  let at = from
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (text.length < end) return undefined
    if (size === 0) return { body, end }
    body += text.slice(lineEnd + 2, end - 2)
    at = end
  }
}

/** Parses the first answer in the received text (latin1, so that a character is a byte). Undefined while the answer is incomplete. */
const parse = (text: string): { answer: Answer; end: number } | undefined => {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const lineEnd = text.indexOf('\r\n')
  const status = Number(text.slice(9, 12))
  const head = text.slice(lineEnd, headEnd)
  const from = headEnd + 4
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const chunks = joinChunks(text, from)
    return chunks === undefined ? undefined : { answer: { status, head, body: chunks.body }, end: chunks.end }
  }
  const end = from + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return text.length < end ? undefined : { answer: { status, head, body: text.slice(from, end) }, end }
}

/** Opens the connection at the first request, and again after the server has closed it while idle. A request rejects if its answer breaks off. */
export const createConnection = (port: number): Connection => {
  let socket: ReturnType<typeof openSocket> | undefined
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined
  let received = ''

  const fail = (error: Error) => {
    socket = undefined
    const { reject } = waiting ?? {}
    waiting = undefined
    reject?.(error)
  }
  const open = () => {
    const opened = openSocket(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    received = ''
    opened.on('data', (text: unknown) => {
      received += String(text)
      const parsed = parse(received)
      if (parsed === undefined) return
      received = received.slice(parsed.end)
      const { resolve } = waiting ?? {}
      waiting = undefined
      resolve?.(parsed.answer)
    })
    opened.on('error', fail)
    opened.on('close', () => opened === socket && fail(new Error('the server closed the connection')))
    return opened
  }
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (waiting !== undefined) return reject(new Error('one request at a time'))
        waiting = { resolve, reject }
        socket ??= open()
        socket.write(request)
      }),
    close: () => {
      const open = socket
      socket = undefined
      open?.destroy()
    },
  }
}
