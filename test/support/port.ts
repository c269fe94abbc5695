import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Reserves a loopback port. `server.listen(reserved.socket)` takes it over without a gap, so that no other process can take it. */
export const reservePort = async (): Promise<{ readonly port: number; readonly socket: Server }> => {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: (socket.address() as AddressInfo).port, socket }
}

/** A port that is free now, for another process. If a third process takes it first, the caller has to try again. */
export const freePort = async (): Promise<number> => {
  const { port, socket } = await reservePort()
  socket.close()
  await once(socket, 'close')
  return port
}
