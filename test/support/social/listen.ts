import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

export interface Listening {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a simulated server on a free loopback port. */
export const listen = async (app: Express): Promise<Listening> => {
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Settings that allow calls to simulated servers on loopback. */
export const outbound = { allowHttp: true, allow: ['127.0.0.0/8', '::1'] }
