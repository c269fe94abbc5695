import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** All connections of a server, from its start on. */
export interface Connections {
  /**
   * Stops accepting connections, gives requests at most `seconds` to finish, and resolves when all connections are closed. From now on,
   * each answer says that it is the last on its connection (RFC 9112, section 9.6). Idle connections are closed a moment later. Before
   * `seconds` have passed no connection is reset, because its client would lose data that it has not read.
   */
  close(seconds: number): Promise<void>
}

interface Open {
  /** Responses that are not completely sent yet. */
  readonly responses: Set<ServerResponse>
  /** Number of bytes that had been received when the last response was sent. More bytes are a new request. */
  idleBytes: number
  idleSince: number
  /** Time when the server closed its side. */
  endedAt: number | undefined
}

/** How long an idle connection stays open, because its client may be sending a request at this moment. */
const idleMs = 1_000
/** How long a client may take to close its side after the server. */
const lingerMs = 1_000
const tickMs = 50

/** Tracks the connections of a server that does not listen yet. */
export const trackConnections = (server: Server): Connections => {
  const sockets = new Map<Socket, Open>()
  let isClosing = false

  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { responses: new Set(), idleBytes: 0, idleSince: performance.now(), endedAt: undefined })
    socket.once('close', () => sockets.delete(socket))
  })
  const announceEnd = (res: ServerResponse) => {
    if (!res.headersSent) res.shouldKeepAlive = false
  }
  server.prependListener('request', (_req, res: ServerResponse) => {
    const { socket } = res
    const open = socket === null ? undefined : sockets.get(socket)
    if (socket === null || open === undefined) return
    open.responses.add(res)
    if (isClosing) announceEnd(res)
    res.once('close', () => {
      open.responses.delete(res)
      open.idleBytes = socket.bytesRead
      open.idleSince = performance.now()
    })
  })

  /** Closes the server's side and keeps reading. Without reading, further bytes of the client would be answered with a reset. */
  const end = (socket: Socket, open: Open, now: number) => {
    open.endedAt ??= now
    socket.end()
  }
  const tick = () => {
    const now = performance.now()
    for (const [socket, open] of sockets) {
      if (socket.writableEnded) open.endedAt ??= now
      const isIdle = open.responses.size === 0 && socket.bytesRead === open.idleBytes
      if (open.endedAt === undefined && isIdle && now - open.idleSince >= idleMs) end(socket, open, now)
      if (open.endedAt !== undefined && now - open.endedAt >= lingerMs) socket.destroy()
    }
  }

  return {
    close: async (seconds) => {
      isClosing = true
      const now = performance.now()
      for (const [socket, open] of sockets) {
        for (const res of open.responses) announceEnd(res)
        // From here on the time of idle connections is counted.
        open.idleSince = now
        socket.destroySoon = () => void socket.end()
      }
      server.on('connection', (socket: Socket) => {
        socket.destroySoon = () => void socket.end()
      })
      // The HTTP server's own function would close idle connections at once, even if a request is on its way.
      const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
      const ticking = setInterval(tick, tickMs)
      const late = setTimeout(() => server.closeAllConnections(), seconds * 1000)
      await closed
      clearInterval(ticking)
      clearTimeout(late)
    },
  }
}
