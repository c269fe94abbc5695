import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** The connections of a server. They are tracked from the start of the server. */
export interface Connections {
  /**
   * Closes the server: it accepts no further connections, running requests get at most `seconds` to finish, and the promise resolves when
   * all connections are closed. From now on, each answer says that it is the last one on its connection (RFC 9112, section 9.6). Idle
   * connections are closed a moment later. Until `seconds` have passed, no connection is reset, because the client would lose data that
   * it has not read yet.
   */
  close(seconds: number): Promise<void>
}

interface Open {
  /** Responses on this connection that are not completely sent. */
  readonly responses: Set<ServerResponse>
  /** How many bytes the connection had received when the last response was sent. If it has received more, a new request has begun. */
  idleBytes: number
  idleSince: number
  /** When the server closed its side of the connection. Undefined while that side is open. */
  endedAt: number | undefined
}

/** How long an idle connection stays open after the close has begun. Its client may be sending a request at this moment. */
const idleMs = 1_000
/** How long the client may take to close its side, after the server has closed its own. */
const lingerMs = 1_000
const tickMs = 50

/** Begins to track the connections of a server. The server must not listen yet. */
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

  /**
   * Closes the server's side of a connection but goes on reading. If it did not read, further bytes of the client would be answered with
   * a reset.
   */
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
        // From now on it is counted how long the connection is idle.
        open.idleSince = now
        socket.destroySoon = () => void socket.end()
      }
      server.on('connection', (socket: Socket) => {
        socket.destroySoon = () => void socket.end()
      })
      // This calls the function of the TCP server. The function of the HTTP server would close idle connections at once, even if a
      // request is on its way.
      const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
      const ticking = setInterval(tick, tickMs)
      const late = setTimeout(() => server.closeAllConnections(), seconds * 1000)
      await closed
      clearInterval(ticking)
      clearTimeout(late)
    },
  }
}
