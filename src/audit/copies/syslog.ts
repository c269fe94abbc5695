import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { EventReader } from '../../core/events/readers.ts'
import type { RecordedEvent } from '../../core/events/record.ts'
import { copied } from './line.ts'

/** The PRI value for the facility "log audit" (13) and the severity "informational" (6). */
const priority = 13 * 8 + 6
const silenceMs = 10_000

/** Reduces a text to what a header field may contain: printable ASCII without blanks (RFC 5424, section 6). */
const field = (text: string, longest: number): string => text.replace(/[^\x21-\x7e]/g, '').slice(0, longest) || '-'

/** A syslog message for an event (RFC 5424). Its MSGID is the type of the event, and its content is the event as JSON. */
export const syslogMessage = (event: RecordedEvent, position: number, hash: string): string =>
  [
    `<${priority}>1`,
    event.occurredAt.toISOString(),
    field(hostname(), 255),
    'gatehouse',
    process.pid,
    field(event.type, 32),
    '-',
    JSON.stringify(copied(event, position, hash)),
  ].join(' ')

/**
 * Sends all messages on one connection, and waits until the server closes the connection. Each message is preceded by its length (RFC
 * 6587, RFC 5425).
 */
const sendStream = (socket: Socket, messages: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    let isSent = false
    socket.setTimeout(silenceMs, () => {
      socket.destroy()
      // Some servers do not close the connection after the client has ended it. All messages were acknowledged, so they have arrived.
      if (isSent) resolve()
      else reject(new Error('the syslog server takes no data'))
    })
    socket.once('error', reject)
    socket.once('close', () => (isSent ? resolve() : reject(new Error('the syslog server closed the connection'))))
    socket.resume()
    socket.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''), () => {
      isSent = true
    })
  })

/** Sends each message as a UDP datagram (RFC 5426). UDP does not report whether a datagram arrives. */
const sendDatagrams = async (host: string, port: number, messages: readonly string[]): Promise<void> => {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.send(message, port, host, (error) => (error === null ? resolve() : reject(error)))
      })
  } finally {
    socket.close()
  }
}

/**
 * An event reader that sends events to a syslog server: `udp://host:514`, `tcp://host:601` or `tls://host:6514`. If `caFile` is given,
 * only its certificate authorities are trusted, not those of the system.
 */
export const syslogCopy = (address: string, caFile: string | undefined): EventReader => {
  const { protocol, hostname: named, port: given } = new URL(address)
  const host = named.replace(/^\[|\]$/g, '')
  const port = Number(given || { 'udp:': 514, 'tcp:': 601, 'tls:': 6514 }[protocol])
  const messages: string[] = []
  return {
    name: 'syslog',
    startsAt: 'newest',
    handle: async (event, position, hash) => void messages.push(syslogMessage(event, position, hash)),
    flush: async () => {
      const batch = messages.splice(0)
      if (protocol === 'udp:') return sendDatagrams(host, port, batch)
      const servername = isIPv6(host) ? {} : { servername: host }
      const socket =
        protocol === 'tls:'
          ? connectTls({ host, port, ...servername, ...(caFile === undefined ? {} : { ca: await readFile(caFile) }) })
          : connectTcp({ host, port })
      return sendStream(socket, batch)
    },
  }
}
