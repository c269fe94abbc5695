import { isIPv6 } from 'node:net'

/** The first `count` of the eight groups of an IPv6 address, in one spelling: `2001:db8:0` for `2001:db8::1`. */
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

/** The network an address is in, which one attacker may have as a whole: /24 of IPv4, /48 of IPv6; `''` where there is no address. */
export const networkOf = (address: string): string =>
  isIPv6(address) ? groupsOf(address, 3) : address.split('.').slice(0, 3).join('.')
