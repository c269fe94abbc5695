import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** A loopback port that is taken already: `server.listen(reserved.socket)` goes on with it, so that nobody gets in between. */
export const reservePort = async (): Promise<{ readonly port: number; readonly socket: Server }> => {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: (socket.address() as AddressInfo).port, socket }
}

/** A port that is free now, for another process. Somebody else may take it first: who starts that process has to try again. */
export const freePort = async (): Promise<number> => {
  const { port, socket } = await reservePort()
  socket.close()
  await once(socket, 'close')
  return port
}
