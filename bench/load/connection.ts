/**
 * A keep-alive HTTP/1.1 connection, one request at a time. Node's own clients cost more processor time than the servers measured
 * here; this one writes prepared text, reads the answer and leaves the rest to the caller.
 */
import { connect as openSocket } from 'node:net'

export interface Answer {
  readonly status: number
  /** Header lines as they came, without the status line. */
  readonly head: string
  readonly body: string
}

export interface Connection {
  send(request: string): Promise<Answer>
  close(): void
}

/** Value of the first header of this name. */
export const headerOf = (answer: Answer, name: string): string | undefined => {
  const at = answer.head.toLowerCase().indexOf(`\r\n${name}:`)
  if (at < 0) return undefined
  const from = at + name.length + 3
  const to = answer.head.indexOf('\r\n', from)
  return answer.head.slice(from, to < 0 ? undefined : to).trim()
}

/** Value of every Set-Cookie line. */
export const setCookies = (answer: Answer): string[] =>
  [...answer.head.matchAll(/\r\nset-cookie: *([^\r]*)/gi)].map(([, value = '']) => value)

/** Joins the parts of a chunked body, or undefined while it is incomplete. */
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

/** The first answer in what has been received (latin1: one character a byte), or undefined while it is incomplete. */
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

/** Opens lazily and again when the server closed an idle connection. An answer that breaks off rejects. */
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
