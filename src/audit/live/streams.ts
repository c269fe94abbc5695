import { Readable } from 'node:stream'
import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { UserPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { coreErrors } from '../../core/errors.ts'
import type { EventHeading } from '../../core/events/store.ts'
import type { StreamedEvent } from '../contract.ts'
import { auditErrors } from '../contract.ts'
import type { Feed, Listener } from './feed.ts'

/**
 * Why a stream ends: the session or permission has ended, this node stops, the stream has reached its longest life, or the database does
 * not answer.
 */
export type EndReason = 'access' | 'stopping' | 'renew' | 'unavailable'

export interface Streams {
  /** Opens a stream after the event `lastEventId`. Throws TOO_MANY_EVENT_STREAMS and TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION. */
  open(principal: UserPrincipal, lastEventId: string | undefined): Promise<Readable>
  /**
   * Ends the streams of clients that may no longer read events. Sends new events to the other clients, or a comment that keeps the
   * connection open.
   */
  run(): Promise<void>
  /** Ends all streams and refuses new ones. */
  stop(): void
  /** Number of open streams. */
  count(): number
}

interface Deps extends Pick<Core, 'clock'> {
  readonly feed: Feed
  readonly sessions: Pick<Sessions, 'authenticate'>
  /** Largest number of streams on this node. */
  readonly maxStreams: number
}

/** Browsers open at most six connections to an HTTP/1.1 server. The streams of several windows must leave some of them for calls. */
const mostOfSession = 4
/** Longest life of a stream, so that the connection of a vanished client is not counted for longer. */
const longestSeconds = 600
/** A new client gets the events of this many seconds, because it read its page a moment before. */
const recentSeconds = 15
/** Time that a client waits before it reconnects. */
const retryMs = 2_000
/** Largest number of bytes that wait for a client that has stopped reading. Beyond it the server cuts the connection. */
const mostWaiting = 262_144
/** Number of events in a message. */
const batch = 100

const message = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const shown = ({ position: _, occurredAt, ...event }: EventHeading): z.input<typeof StreamedEvent> => ({
  ...event,
  occurredAt: occurredAt.toISOString(),
})

interface Open {
  readonly principal: UserPrincipal
  readonly until: Date
  readonly end: (reason: EndReason) => void
  readonly beat: () => void
}

export const createStreams = ({ feed, sessions, clock, maxStreams }: Deps): Streams => {
  const streams = new Set<Open>()
  let isStopping = false

  const mayRead = async ({ session: { id, token }, ...context }: UserPrincipal): Promise<boolean> => {
    const found = await sessions.authenticate(token, context, { extend: false, isUse: false })
    return found !== undefined && found.principal.session.id === id && can(found.principal, 'events:read')
  }
  /** Ends the streams of people who may no longer read events. One statement checks all streams (docs/design/database.md#under-load). */
  const endDenied = async () => {
    const now = clock.now()
    const decide = async (stream: Open) => {
      if (!(await mayRead(stream.principal))) stream.end('access')
      else if (stream.until <= now) stream.end('renew')
    }
    await Promise.all([...streams].map(decide))
  }
  const endAll = (reason: EndReason) => {
    for (const stream of streams) stream.end(reason)
  }
  const requireRoom = ({ session }: UserPrincipal) => {
    if (isStopping) throw coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
    const own = [...streams].filter(({ principal }) => principal.session.id === session.id)
    if (own.length >= mostOfSession) throw auditErrors.error('TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION', { retryAfterSeconds: 60 })
    if (streams.size >= maxStreams) throw auditErrors.error('TOO_MANY_EVENT_STREAMS', { retryAfterSeconds: 60 })
  }

  return {
    open: async (principal, lastEventId) => {
      requireRoom(principal)
      // Without a listener, nothing is read from the database.
      if (streams.size === 0) await feed.read()
      requireRoom(principal)
      const body = new Readable({
        read: () => {},
        destroy: (error, done) => {
          close()
          done(error)
        },
      })
      const send = (text: string) => {
        body.push(text)
        if (body.readableLength > mostWaiting) body.destroy()
      }
      const listener: Listener = {
        tell: (events, position) => {
          // The empty message gives a new client its position.
          if (events.length === 0) send(message('changes', { events }, position))
          for (let at = 0; at < events.length; at += batch) {
            const some = events.slice(at, at + batch)
            send(message('changes', { events: some.map(shown) }, some.at(-1)?.position))
          }
        },
        reset: (position) => send(message('reset', {}, position)),
      }
      const stream: Open = {
        principal,
        until: clock.after(longestSeconds),
        beat: () => {
          if (body.readableLength === 0) send(':\n\n')
        },
        end: (reason) => {
          if (!streams.has(stream)) return
          close()
          body.push(message('end', { reason }))
          body.push(null)
        },
      }
      const close = () => {
        feed.remove(listener)
        streams.delete(stream)
      }
      streams.add(stream)
      send(`retry: ${retryMs}\n\n`)
      feed.add(listener, lastEventId === undefined || lastEventId === '' ? clock.after(-recentSeconds) : Number(lastEventId))
      return body
    },
    run: async () => {
      if (streams.size === 0) return
      try {
        const isNew = await feed.read(endDenied)
        if (!isNew) await endDenied()
      } catch (error) {
        // The permissions cannot be read, so every client has to reconnect later.
        endAll('unavailable')
        throw error
      }
      for (const stream of streams) stream.beat()
    },
    stop: () => {
      isStopping = true
      endAll('stopping')
    },
    count: () => streams.size,
  }
}
