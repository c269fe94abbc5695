import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { coreErrors } from '../core/errors.ts'
import { groupsOf } from '../core/network.ts'
import type { HttpRequest } from './response.ts'
import type { TrustedUrls } from './trusted-url.ts'

const originOf = (referer: string): string => (URL.canParse(referer) ? new URL(referer).origin : 'null')

/**
 * Refuses a browser request from another site (security baseline, section 5): state-changing requests that carry a cookie and
 * every request that can start a session must come from a trusted origin.
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

/** True for a call of administrators, which reaches everybody: the origins of applications do not make it. */
export const isAdministrative = ({ path }: { readonly path: string }): boolean => path.startsWith('/admin/')

/** Refuses a read with a cookie that a page of another origin makes: browsers name the origin of such a one. */
export const checkReadOrigin = (
  { headers: { origin, cookie } }: HttpRequest,
  trusted: Pick<TrustedUrls, 'isTrustedOrigin'>,
): void => {
  if (cookie !== undefined && origin !== undefined && !trusted.isTrustedOrigin(origin)) throw coreErrors.error('INVALID_ORIGIN')
}

/**
 * True for a read that another site or a link outside of our pages made a browser send: it may do its work, but start no session. False for
 * our own pages, trusted origins and programs.
 */
export const isCrossSiteRead = (headers: IncomingHttpHeaders, trusted: TrustedUrls): boolean => {
  const given = headers.origin ?? (headers.referer === undefined ? undefined : originOf(headers.referer))
  if (given !== undefined) return !trusted.isTrustedOrigin(given)
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

const unwrap = (address: string) => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address)

/** Canonical address of the client: the socket's, or behind trusted proxies the right-most hop that is not one of them. */
export const createClientAddress = (trustedProxies: readonly string[], header: string): ((req: HttpRequest) => string) => {
  const proxies = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string) => isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (req) => {
    const peer = unwrap(req.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0 || !isProxy(peer)) return peer
    const value = req.headers[header]
    const hops = (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',').map((hop) => unwrap(hop.trim()))
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) return peer
      if (!isProxy(hop)) return hop
    }
    return peer
  }
}

/** What limits count by: IPv6 is cut to its /64, because one client has a whole one. */
export const limitAddress = (address: string): string => (isIP(address) === 6 ? groupsOf(address, 4) : address)
