import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { coreErrors } from '../core/errors.ts'
import { groupsOf } from '../core/network.ts'
import type { HttpRequest } from './response.ts'
import type { TrustedUrls } from './trusted-url.ts'

const originOf = (referer: string): string => (URL.canParse(referer) ? new URL(referer).origin : 'null')

/**
 * Refuses a request that another site made a browser send (security baseline, section 5). A request must come from a trusted origin if it
 * changes something with a cookie, or can start a session.
 */
export const checkOrigin = (req: HttpRequest, trusted: Pick<TrustedUrls, 'isTrustedOrigin'>, startsSession: boolean): void => {
  const { origin, referer, cookie } = req.headers
  if (cookie === undefined && !startsSession) return
  const given = origin ?? (referer === undefined ? undefined : originOf(referer))
  if (given !== undefined) {
    if (trusted.isTrustedOrigin(given)) return
    throw coreErrors.error('INVALID_ORIGIN')
  }
  const site = req.headers['sec-fetch-site']
  if (cookie !== undefined || site === 'cross-site' || site === 'same-site') throw coreErrors.error('INVALID_ORIGIN')
}

/** True for a call of administrators. Pages of applications must not make such a call, because it can affect everybody. */
export const isAdministrative = ({ path }: { readonly path: string }): boolean => path.startsWith('/admin/')

/** Refuses a read with a cookie by a page of another origin. The browser names that origin in a header. */
export const checkReadOrigin = (
  { headers: { origin, cookie } }: HttpRequest,
  trusted: Pick<TrustedUrls, 'isTrustedOrigin'>,
): void => {
  if (cookie !== undefined && origin !== undefined && !trusted.isTrustedOrigin(origin)) throw coreErrors.error('INVALID_ORIGIN')
}

/**
 * True for a read that another site, or a link outside of gatehouse's pages, made a browser send. Such a request may do its work, but
 * must not start a session. False for requests of gatehouse's own pages, of trusted origins and of programs.
 */
export const isCrossSiteRead = (headers: IncomingHttpHeaders, trusted: TrustedUrls): boolean => {
  const given = headers.origin ?? (headers.referer === undefined ? undefined : originOf(headers.referer))
  if (given !== undefined) return !trusted.isTrustedOrigin(given)
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

const unwrap = (address: string) => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address)

/** An IP address in its canonical spelling, without a zone. An IPv4 address inside of an IPv6 address becomes IPv4. Undefined for other text. */
const canonical = (text: string): string | undefined => {
  const [address = ''] = text.split('%', 1)
  const family = isIP(address)
  if (family === 4) return address
  return family === 6 ? unwrap(new SocketAddress({ address, family: 'ipv6' }).address) : undefined
}

/**
 * The sender in one element of the header `Forwarded`. Undefined if the element is malformed: its other parameters contain text of the
 * client, so a malformed element cannot be trusted.
 */
const nodeOf = (element: string): string | undefined => {
  const parameter = /\s*([\w!#$%&'*+.^`|~-]+)=("[^"\\]*"|[^\s;"\\]*)\s*(?:;|$)/y
  const found: string[] = []
  while (parameter.lastIndex < element.length) {
    const [, name = '', value = ''] = parameter.exec(element) ?? []
    if (name === '') return undefined
    if (name.toLowerCase() === 'for') found.push(value)
  }
  return found.length === 1 ? found[0] : undefined
}

/**
 * The IP address that a hop in a forwarding header names. It understands the forms of RFC 7239, section 6, and those of common proxies:
 * `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]:4711`, an IPv6 address without brackets if all its groups are written (CloudFront), each
 * also in quotes or as `for=` among other parameters (`Forwarded`). Undefined for a hop without an IP address, such as `unknown` or
 * `_hidden`.
 */
export const hopAddress = (hop: string): string | undefined => {
  const node = hop.includes('=') ? nodeOf(hop) : hop
  const text = (node ?? '').trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, dotted, groups] =
    /^\[([^\]]*)\](?::[\w.-]*)?$|^([\d.]+):[\w.-]*$|^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d+$/i.exec(text) ?? []
  return canonical(bracketed ?? dotted ?? groups ?? text)
}

/**
 * Makes the function that finds the IP address of a client, in canonical form. Without trusted proxies it is the address of the socket.
 * Behind trusted proxies, the hops are read from right to left, because each proxy adds its entry at the right. The first hop that is not
 * a trusted proxy is the client; the client itself may have written the entries left of it. `onUnreadable` is called for a hop without an
 * IP address.
 */
export const createClientAddress = (
  trustedProxies: readonly string[],
  headerName: string,
  onUnreadable: (hop: string) => void = () => undefined,
): ((req: HttpRequest) => string) => {
  const header = headerName.toLowerCase()
  const proxies = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string) => isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (req) => {
    const socketAddress = req.socket.remoteAddress ?? ''
    const peer = canonical(socketAddress) ?? socketAddress
    if (trustedProxies.length === 0 || !isProxy(peer)) return peer
    const value = req.headers[header]
    const hops = (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',').map((hop) => hop.trim())
    for (const hop of hops.reverse()) {
      // Empty elements of a list are skipped (RFC 9110, section 5.6.1).
      if (hop === '') continue
      const address = hopAddress(hop)
      if (address === undefined) {
        onUnreadable(hop)
        return peer
      }
      if (!isProxy(address)) return address
    }
    return peer
  }
}

/**
 * The IP address for which limits count requests. An IPv6 address is cut to its /64, because one client usually has all addresses of that
 * network.
 */
export const limitAddress = (address: string): string => (isIP(address) === 6 ? groupsOf(address, 4) : address)
