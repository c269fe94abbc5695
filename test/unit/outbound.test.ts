import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createAddressGuard, createOutbound, OutboundError, outboundConfig } from '../../src/core/fetch.ts'

/** The possible answer of a stranger's name server: one public and one private address. */
const mixed: Parameters<typeof createOutbound>[1] = (_host, _options, done) =>
  done(
    null,
    ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
  )

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const serve = async (handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> => {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const local = { allowHttp: true, allow: ['127.0.0.0/8', '::1'] }
const outboundOf = (config: object, resolve?: typeof mixed) => createOutbound(outboundConfig.parse(config), resolve)

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  'not an address',
  '',
])('an outbound request to the address %s is refused', (address) => {
  expect(createAddressGuard([]).allows(address)).toBe(false)
})

test.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700:4700::1111', '172.15.0.1', '172.32.0.1'])(
  'an outbound request to the address %s is allowed',
  (address) => {
    expect(createAddressGuard([]).allows(address)).toBe(true)
  },
)

test('private addresses are allowed only by a configured range, address or host', () => {
  const guard = createAddressGuard(['10.20.0.0/16', 'fd00::/8', 'login.intranet'])
  expect(['10.20.3.4', 'fd00::5', '10.21.0.1', '192.168.0.1'].map(guard.allows)).toEqual([true, true, false, false])
  expect([guard.allowsHost('LOGIN.intranet'), guard.allowsHost('other.intranet')]).toEqual([true, false])
})

test.each([
  ['http://127.0.0.1:1/', 'is a private address'],
  ['http://localhost:1/', 'is a private address'],
  ['http://2130706433/', 'is a private address'],
  ['http://0x7f.1/', 'is a private address'],
  ['http://[::1]/', 'is a private address'],
  ['http://[::ffff:127.0.0.1]/', 'is a private address'],
  ['http://169.254.169.254/latest/meta-data/', 'is a private address'],
  ['http://user:secret@example.com/', 'with a user'],
  ['ftp://example.com/', 'ftp is not allowed'],
  ['file:///etc/passwd', 'file is not allowed'],
  ['nonsense', 'not an address'],
])('a request to %s is refused before anything is sent', async (url, reason) => {
  await expect(outboundOf({ allowHttp: true }).send(url)).rejects.toThrow(reason)
})

test('an outbound request to an http address is refused unless the configuration allows http', async () => {
  await expect(outboundOf({ allow: ['127.0.0.1'] }).send('http://127.0.0.1:1/')).rejects.toThrow('http is not allowed')
})

test('a host name is checked after it is resolved, and localhost is reached only if its address is allowed', async () => {
  let calls = 0
  const url = await serve((_req, res) => {
    calls += 1
    res.end('{}')
  })
  const named = url.replace('127.0.0.1', 'localhost')
  await expect(outboundOf({ allowHttp: true }).send(named)).rejects.toThrow('private address')
  expect(calls).toBe(0)
  expect((await outboundOf(local).send(named)).status).toBe(200)
  expect((await outboundOf({ allowHttp: true, allow: ['localhost'] }).send(named)).status).toBe(200)
})

test('a host name with one refused address is not reached, even if another address of the host is allowed', async () => {
  let calls = 0
  const url = await serve((_req, res) => {
    calls += 1
    res.end('{}')
  })
  const named = url.replace('127.0.0.1', 'mixed.example')
  await expect(outboundOf({ allowHttp: true, allow: ['127.0.0.1'] }, mixed).send(named)).rejects.toThrow('private address')
  expect(calls).toBe(0)
  expect((await outboundOf(local, mixed).send(named)).status).toBe(200)
})

test('an outbound connection of an allowed name to a refused address is aborted once connected', async () => {
  const url = await serve((_req, res) => res.end('{}'))
  const anyAddress = url.replace('127.0.0.1', '0.0.0.0')
  await expect(outboundOf({ allowHttp: true, allow: ['0.0.0.0/32'] }).send(anyAddress)).rejects.toThrow('private address')
  expect((await outboundOf({ allowHttp: true, allow: ['0.0.0.0/32', '127.0.0.1'] }).send(anyAddress)).status).toBe(200)
})

test('an outbound redirect is returned as a response and not followed', async () => {
  const url = await serve((req, res) => {
    if (req.url === '/secret') throw new Error('followed')
    res.writeHead(302, { location: '/secret' }).end()
  })
  const answer = await outboundOf(local).send(url, { headers: { authorization: 'Bearer x' } })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/secret'])
})

test('an outbound request with too long a response is aborted', async () => {
  const url = await serve((_req, res) => res.end('x'.repeat(300_000)))
  await expect(outboundOf(local).send(url)).rejects.toThrow('longer than 262144 bytes')
})

test.each([
  ['does not answer', () => undefined],
  ['answers byte by byte', (res: ServerResponse) => void setInterval(() => res.write(' '), 20).unref()],
])('an outbound request to a server that %s is aborted in time', async (_, answer) => {
  const url = await serve((_req, res) => answer(res))
  await expect(outboundOf({ ...local, timeoutMs: 200 }).send(url)).rejects.toThrow('no answer within 200 ms')
})

test.each([
  ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['changes the protocol and ends', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nclose'],
  ['sends only interim responses', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
  ['is not an HTTP server', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['sends less than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}close'],
])('an outbound request to a server that %s ends with an error', async (_, said) => {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('data', () => {
      socket.write(said.replace(/close$/, ''))
      if (said.endsWith('close')) socket.end()
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  stops.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(outboundOf({ ...local, timeoutMs: 300 }).send(url)).rejects.toBeInstanceOf(OutboundError)
})

test('an outbound request sends only the given headers: no cookie and no credentials of an earlier call', async () => {
  const seen: IncomingMessage['headers'][] = []
  const url = await serve((req, res) => {
    seen.push(req.headers)
    res.writeHead(200, { 'set-cookie': 'a=b' }).end('{}')
  })
  const outbound = outboundOf(local)
  await outbound.send(url, { headers: { authorization: 'Bearer x' } })
  await outbound.fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })
  expect(seen[0]).toMatchObject({ authorization: 'Bearer x', accept: 'application/json', 'user-agent': 'gatehouse' })
  expect([seen[1]?.authorization, seen[1]?.cookie]).toEqual([undefined, undefined])
})
