import { isIPv6 } from 'node:net'

/** The first `count` of the eight groups of an IPv6 address, always in the same spelling: `2001:db8:0` for `2001:db8::1`. */
export const groupsOf = (address: string, count: number): string => {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * The network that an IP address belongs to: /24 for IPv4, /48 for IPv6. One attacker may own all addresses of such a network. An empty
 * text for an empty address.
 */
export const networkOf = (address: string): string =>
  isIPv6(address) ? groupsOf(address, 3) : address.split('.').slice(0, 3).join('.')
