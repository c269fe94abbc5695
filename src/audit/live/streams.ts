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
 * Why a stream ends: `access` means that the session or the permission has ended, `stopping` that this node stops, `renew` that the
 * stream is old enough, and `unavailable` that the database does not respond.
 */
export type EndReason = 'access' | 'stopping' | 'renew' | 'unavailable'

export interface Streams {
  /**
   * Opens a stream that begins after the event with the id `lastEventId`. Throws TOO_MANY_EVENT_STREAMS and
   * TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION.
   */
  open(principal: UserPrincipal, lastEventId: string | undefined): Promise<Readable>
  /**
   * Ends the streams of people who may no longer read events. All other streams get the new events, or without any a comment that keeps
   * the connection open.
   */
  run(): Promise<void>
  /** Ends all streams, and refuses to open new ones. */
  stop(): void
  /** The number of open streams. */
  count(): number
}

interface Deps extends Pick<Core, 'clock'> {
  readonly feed: Feed
  readonly sessions: Pick<Sessions, 'authenticate'>
  /** How many streams this node keeps open at most. */
  readonly maxStreams: number
}

/**
 * How many streams one session can have. Browsers open at most six connections to an HTTP/1.1 server, and the streams of several windows
 * must leave some connections for calls.
 */
const mostOfSession = 4
/** How long a stream stays open at most, in seconds. After that, the connection of a client that has disappeared is no longer counted. */
const longestSeconds = 600
/** How many seconds of past events a new client gets. The client loaded its page shortly before, so the page may lack these events. */
const recentSeconds = 15
/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 2_000
/** How many bytes may wait for a client that has stopped reading. If there are more, the server cuts the connection. */
const mostWaiting = 262_144
/** How many events a message contains at most. */
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
  /** Ends the streams of people who may no longer read events. One SQL statement checks all streams (docs/design/database.md#under-load). */
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
      // While there are no streams, `run` does not read the database, so the feed is updated here first.
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
          // A message without events tells a new client the position from which it can continue.
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
        // The permissions could not be read, so every stream is ended. The clients connect again later.
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
