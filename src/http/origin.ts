import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { coreErrors } from '../core/errors.ts'
import { groupsOf } from '../core/network.ts'
import type { HttpRequest } from './response.ts'
import type { TrustedUrls } from './trusted-url.ts'

const originOf = (referer: string): string => (URL.canParse(referer) ? new URL(referer).origin : 'null')

/**
 * Refuses a browser request from another site (security baseline, section 5). Requests that change state with a cookie, and requests that
 * can start a session, have to come from a trusted origin.
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

/** True for a call of administrators, which affects everybody. Origins of applications cannot make it. */
export const isAdministrative = ({ path }: { readonly path: string }): boolean => path.startsWith('/admin/')

/** Refuses a read with a cookie by a page of another origin. Browsers name the origin. */
export const checkReadOrigin = (
  { headers: { origin, cookie } }: HttpRequest,
  trusted: Pick<TrustedUrls, 'isTrustedOrigin'>,
): void => {
  if (cookie !== undefined && origin !== undefined && !trusted.isTrustedOrigin(origin)) throw coreErrors.error('INVALID_ORIGIN')
}

/**
 * True for a read that a browser sent because of another site, or of a link outside of our pages. It may do its work, but not start a
 * session. False for our own pages, trusted origins and programs.
 */
export const isCrossSiteRead = (headers: IncomingHttpHeaders, trusted: TrustedUrls): boolean => {
  const given = headers.origin ?? (headers.referer === undefined ? undefined : originOf(headers.referer))
  if (given !== undefined) return !trusted.isTrustedOrigin(given)
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

const unwrap = (address: string) => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address)

/** The address in one spelling, without a zone. IPv4 inside of IPv6 becomes IPv4. Undefined for other text. */
const canonical = (text: string): string | undefined => {
  const [address = ''] = text.split('%', 1)
  const family = isIP(address)
  if (family === 4) return address
  return family === 6 ? unwrap(new SocketAddress({ address, family: 'ipv6' }).address) : undefined
}

/**
 * The sender in an element of the `Forwarded` header. Undefined if the element is malformed, because its other parameters contain text
 * from the client.
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
 * The address of a hop. The forms are those of RFC 7239, section 6, and of common proxies: `192.0.2.1`, `192.0.2.1:4711`,
 * `[2001:db8::1]:4711`, IPv6 without brackets if all groups are written (CloudFront), in quotes, and as `for=` among other parameters
 * (`Forwarded`). Undefined for a hop without an address: `unknown`, `_hidden`, and other text.
 */
export const hopAddress = (hop: string): string | undefined => {
  const node = hop.includes('=') ? nodeOf(hop) : hop
  const text = (node ?? '').trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, dotted, groups] =
    /^\[([^\]]*)\](?::[\w.-]*)?$|^([\d.]+):[\w.-]*$|^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d+$/i.exec(text) ?? []
  return canonical(bracketed ?? dotted ?? groups ?? text)
}

/**
 * The client's address in canonical form. It is the socket's address; behind trusted proxies, it is the right-most hop that is not one of
 * them. Hops are read from the right, where proxies write. Entries of the client itself stand left of that hop. `onUnreadable` is called
 * for a hop without an address.
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
      // Empty elements of a list are ignored (RFC 9110, section 5.6.1).
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

/** The address by which limits count. An IPv6 address is cut to its /64, because one client usually has all of it. */
export const limitAddress = (address: string): string => (isIP(address) === 6 ? groupsOf(address, 4) : address)
