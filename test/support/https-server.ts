import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Key and certificate for `localhost`. Nothing but these tests trusts them. */
const pem = readFileSync(new URL('localhost.pem', import.meta.url), 'utf8')

/** Starts a server with https on a free port of `localhost`. From then on this process trusts its certificate. */
export const httpsServer = async (listener: RequestListener): Promise<{ readonly server: Server; readonly origin: string }> => {
  setDefaultCACertificates([...getCACertificates('default'), pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))])
  const server = createServer({ key: pem, cert: pem }, listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { server, origin: `https://localhost:${(server.address() as AddressInfo).port}` }
}
