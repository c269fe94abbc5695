import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemFailureOf } from '../core/system-failure.ts'

/** Thrown if the server cannot listen at the configured IP address and port. The message contains the remedy. */
export class ListenError extends Error {
  readonly refusal = 'CANNOT_LISTEN'
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'ListenError'
  }
}

/** The names of the settings that say where the server listens. Messages contain them. */
interface Settings {
  readonly host: string
  readonly port: string
}

const ofDaemon = { host: '--host or GATEHOUSE_HOST', port: '--port or GATEHOUSE_PORT' }

const advice = (error: NodeJS.ErrnoException, host: string, port: number, settings: Settings): string => {
  const { code } = error
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop what listens there, or choose another port with ${settings.port}.`
  if (code === 'EACCES')
    return `Port ${port} on ${host} may not be used without privileges. Choose one above 1023 with ${settings.port}.`
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `This machine has no address ${host}. Set ${settings.host} to one it has; 0.0.0.0 means all of them.`
  const failure = systemFailureOf(error)
  if (failure !== undefined) return `Port ${port} on ${host} ${failure.problem} (${code}). ${failure.remedy}`
  return `Cannot listen on ${host}, port ${port} (${code}). Set another address with ${settings.host} and ${settings.port}.`
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Starts to listen, and resolves with the port. Throws `ListenError`, which names the settings. */
export const listen = (server: Server, host: string, port: number, settings: Settings = ofDaemon): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(advice(error, host, port, settings), error)))
    server.listen(port, host, () => resolve(portOf(server)))
  })

interface Bounds {
  readonly requestSeconds: number
  readonly maxConnections: number
}

/** Sets limits for requests and connections. The server may already be running. */
export const boundServer = (server: Server, { requestSeconds, maxConnections }: Bounds): void => {
  // This limits the time for a whole request, even if its body is not read.
  server.requestTimeout = requestSeconds * 1000
  server.headersTimeout = Math.min(10, requestSeconds) * 1000
  server.maxConnections = maxConnections
}

/** Creates a server. `handle` writes the responses. */
export const createServer = (config: Bounds, handle: RequestListener): Server => {
  const server = createHttpServer(
    { maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000, keepAliveTimeout: 65_000 },
    (req, res) => {
      // The server has already closed its side of the connection, after the previous response. So it cannot answer this request.
      if (req.socket.writableEnded) return void req.resume()
      handle(req, res)
    },
  )
  boundServer(server, config)
  return server
}
