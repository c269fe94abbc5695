/** Servers that receive copies of events. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Splits a stream into messages that are each preceded by their length. */
const frames = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const found: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(' ', at)
    const length = Number(bytes.subarray(at, blank))
    found.push(bytes.subarray(blank + 1, blank + 1 + length).toString())
    at = blank + 1 + length
  }
  return found
}

/** A syslog server on TCP, or on TLS with a key. */
export const syslogServer = async (tls?: { readonly key: string; readonly cert: string }) => {
  const messages: string[] = []
  const receive = (socket: Socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    socket.on('end', () => void messages.push(...frames(text)))
  }
  const server = tls === undefined ? createServer(receive) : createTlsServer(tls, receive)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { messages, port: portOf(server), close: () => void server.close() }
}

/** A syslog server on UDP. */
export const datagramServer = async () => {
  const messages: string[] = []
  const socket = createSocket('udp4').on('message', (message) => void messages.push(message.toString()))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { messages, port: socket.address().port, close: () => void socket.close() }
}

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An HTTP endpoint that answers with the status that `answer` gives for its nth request. */
export const webhookServer = async (answer: (n: number) => number) => {
  const received: Received[] = []
  const server = createHttpServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    req.on('end', () => {
      received.push({ headers: req.headers, body })
      res.writeHead(answer(received.length)).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { received, url: `http://127.0.0.1:${portOf(server)}/events`, close: () => void server.close() }
}
