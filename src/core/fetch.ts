import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { z } from 'zod'
import { parseExactJson } from './exact-json.ts'

/** The section `outbound` of the configuration. */
export const outboundConfig = z
  .strictObject({
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Calls to other servers may use http; otherwise https alone.')
      .meta({ weakened: 'on' }),
    allow: z
      .array(z.string().regex(/^[\w.:-]+(\/\d{1,3})?$/, 'a host name, an IP address or a CIDR range'))
      .default([])
      .describe('Hosts, addresses and CIDR ranges that may be called although they are private (intranet).')
      .meta({ weakened: 'added' }),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(5_000)
      .describe('A call to another server takes at most this long, in ms.')
      .meta({ weakened: 'never' }),
    maxBytes: z
      .int()
      .min(1_024)
      .max(16_777_216)
      .default(262_144)
      .describe('An answer of another server is at most this long, in bytes.')
      .meta({ weakened: 'never' }),
  })
  .prefault({})
export type OutboundConfig = z.output<typeof outboundConfig>

export interface OutboundOptions {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body of the answer, decoded as UTF-8. */
  readonly text: string
}

/** The only HTTP client for requests to other servers. It follows no redirects, and adds nothing to a request. */
export interface Outbound {
  /** Sends a request. Throws `OutboundError` if no complete answer arrives. */
  send(url: string, options?: OutboundOptions): Promise<OutboundAnswer>
  /** The same as `send`, but with the parameters of `fetch`, for libraries. Numbers in JSON that JavaScript would round become texts. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
}

/** Thrown if a request is not allowed, or gets no complete answer. */
export class OutboundError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
  }
}

/** Thrown if an answer is longer than `outbound.maxBytes`. */
export class AnswerTooLongError extends OutboundError {}

/**
 * Networks that requests must not reach: loopback, private, link-local (cloud metadata), shared, reserved and multicast networks, and
 * IPv6 forms of IPv4 addresses. `::ffff:` is missing because `BlockList` handles it.
 */
const privateRanges: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23'],
  ...['2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const listOf = (entries: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    if (isIP(address) === 0) continue
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/** Returns the IPv4 address inside of an IPv6 address such as `::ffff:127.0.0.1`. Other addresses are returned unchanged. */
const unwrap = (address: string): string => {
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return inner !== undefined && isIP(inner) === 4 ? inner : address
}

/** Decides to which IP addresses requests may be sent. */
export const createAddressGuard = (
  allow: readonly string[],
): { allowsHost(host: string): boolean; allows(address: string): boolean } => {
  let closed: BlockList | undefined
  /** The list of networks is made when the first address is checked. Making it earlier would add milliseconds to every start. */
  const isClosed = (address: string): boolean => {
    closed ??= listOf(privateRanges)
    return closed.check(address, familyOf(address))
  }
  const open = listOf(allow)
  const hosts = new Set(allow.map((entry) => entry.toLowerCase()))
  return {
    allowsHost: (host) => hosts.has(host.toLowerCase()),
    allows: (raw) => {
      const address = unwrap(raw)
      if (isIP(address) === 0) return false
      return open.check(address, familyOf(address)) || !isClosed(address)
    },
  }
}

const readAll = async (answer: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of answer) {
    length += (part as Buffer).length
    if (length > maxBytes) {
      answer.destroy()
      throw new AnswerTooLongError(`the answer is longer than ${maxBytes} bytes`)
    }
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}

/** Looks up all IP addresses of a host name. */
type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** The body of an answer as text. In JSON, numbers that JavaScript would round become texts. */
const exactText = ({ headers, text }: OutboundAnswer): string => {
  if (!/\bjson\b/i.test(headers.get('content-type') ?? '')) return text
  try {
    return JSON.stringify(parseExactJson(text))
  } catch {
    return text
  }
}

/**
 * Sends requests to other servers (security baseline, section 10). Only https is allowed unless the configuration allows http. IP
 * addresses are checked after the host name is resolved, and again on the open connection, so that an attacker gains nothing by changing
 * the addresses of a name. Redirects are not followed, and time and size are limited. `resolve` looks up the addresses of a name. When
 * absent: the operating system does.
 */
export const createOutbound = (config: OutboundConfig, resolve: Resolve = lookup): Outbound => {
  const guard = createAddressGuard(config.allow)

  const parse = (text: string): URL => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined) throw new OutboundError('not an address')
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && config.allowHttp))
      throw new OutboundError(`${url.protocol.slice(0, -1)} is not allowed`)
    if (url.username !== '' || url.password !== '') throw new OutboundError('an address with a user is not allowed')
    return url
  }

  const refused = (host: string) => new OutboundError(`${host} is a private address (setting outbound.allow)`)

  /** Resolves a host name. Fails if a request to any of its IP addresses is not allowed. */
  const guardedLookup: LookupFunction = (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => guard.allows(address))) return done(refused(host), [])
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family)
    })

  const open = (url: URL, { method = 'GET', headers = {}, body }: OutboundOptions, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      const isListed = guard.allowsHost(host)
      if (!isListed && isIP(host) !== 0 && !guard.allows(host)) return reject(refused(host))
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method,
        headers: {
          'user-agent': 'gatehouse',
          accept: 'application/json',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
        // Connections are not reused, so that for each request the host name is resolved and its addresses are checked.
        agent: false,
        signal,
        ...(isListed ? {} : { lookup: guardedLookup }),
      })
      request.once('socket', (socket) => {
        const check = () => {
          if (!isListed && !guard.allows(socket.remoteAddress ?? '')) request.destroy(refused(host))
        }
        if (socket.connecting) socket.once('connect', check)
        else check()
      })
      request.once('response', resolve)
      request.on('error', reject)
      // If the server upgrades the connection, the request is ended here. Without this listener, Node would close the connection, and the
      // request would never end.
      request.once('upgrade', ({ statusCode }, opened) => {
        opened.destroy()
        reject(new OutboundError(`the answer is no answer: status ${statusCode}`))
      })
      request.once('close', () => reject(new OutboundError('the connection was closed without an answer')))
      request.end(body)
    })

  const send: Outbound['send'] = async (text, options = {}) => {
    const url = parse(text)
    const signal = AbortSignal.timeout(config.timeoutMs)
    try {
      const answer = await open(url, options, signal)
      const headers = new Headers()
      for (const [name, value] of Object.entries(answer.headersDistinct)) for (const one of value ?? []) headers.append(name, one)
      const bytes = await readAll(answer, config.maxBytes)
      return { status: answer.statusCode ?? 0, headers, bytes, text: bytes.toString('utf8') }
    } catch (error) {
      if (error instanceof OutboundError) throw error
      throw new OutboundError(signal.aborted ? `no answer within ${config.timeoutMs} ms` : (error as Error).message, {
        cause: error,
      })
    }
  }

  return {
    send,
    fetch: async (url, init = {}) => {
      const body = init.body ?? undefined
      if (body !== undefined && typeof body !== 'string' && !(body instanceof URLSearchParams))
        throw new OutboundError('only text bodies are sent')
      const answer = await send(String(url), {
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(body === undefined ? {} : { body: String(body) }),
      })
      const isEmpty = [204, 205, 304].includes(answer.status)
      return new Response(isEmpty ? null : exactText(answer), { status: answer.status, headers: answer.headers })
    },
  }
}
