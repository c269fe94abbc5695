import { defineFindings } from '../core/checks.ts'
import { isLoopbackUrl } from '../core/web.ts'

/** The part of the configuration that is checked. */
export interface WarnedSettings {
  readonly url: string
  readonly trustedOrigins: readonly string[]
  readonly admin?: { readonly trustedOrigins?: readonly string[] }
  readonly trustedProxies: readonly string[]
  readonly smtpUrl?: string | undefined
  readonly smtpAllowPlaintext: boolean
  readonly limits: { readonly enabled: string }
  readonly password: { readonly allowWeakHashing: boolean }
}

/** True for an entry that matches every host, such as `*` and `https://*`. */
const isAnyOrigin = (entry: string): boolean =>
  /^([a-z][a-z0-9+.-]*:\/\/)?[*.]+(:[\d*]+)?\/?$/i.test(entry) && entry.includes('*')

/**
 * How long the prefix of a trusted range has to be at least, in bits. In a shorter prefix's range, operators cannot know all clients.
 * IPv6 ranges that begin at `::` contain the IPv4 addresses, and local IPv6 addresses are private (RFC 4193).
 */
const leastBits = (address: string): number => {
  if (!address.includes(':')) return 8
  if (address.startsWith('::')) return 104
  return /^(f[cd][\da-f]|fe[89ab])[\da-f]:/i.test(address) ? 7 : 16
}

/** True if a range of trusted proxies is so large that it contains unknown clients, who could then forge their address. */
const isWideRange = (range: string): boolean => {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < leastBits(address)
}

const remedy = 'change it, see docs/reference/config.md'

export const configFindings = defineFindings({
  'limits-off': { message: 'limits.enabled is off although the public address is not http on loopback', remedy },
  'url-http': { message: 'url is http: passwords and cookies travel in the clear', remedy },
  'smtp-unset': { message: 'smtpUrl is not set: mails are written to files and reach nobody', remedy },
  'smtp-plaintext': {
    message: 'smtpAllowPlaintext is on: an eavesdropper on the way to the mail server can use the links of mails',
    remedy,
  },
  'any-origin': { message: 'trustedOrigins contains *: any page may act with the session of its visitors', remedy },
  'wide-proxies': {
    message:
      'trustedProxies contains a range of unknown clients: they can forge their address, and limits by address do not work',
    remedy,
  },
  'weak-hashing': { message: 'password.allowWeakHashing is on: stolen hashes are cheap to guess from', remedy },
})
type Unwise = keyof typeof configFindings.texts

/** Settings that are allowed but risky, by the codes in `configFindings`. */
export const unwiseSettings = (config: WarnedSettings): readonly Unwise[] => {
  const isPublic = config.url.startsWith('https:') || !isLoopbackUrl(config.url)
  const warnings: readonly (readonly [boolean, Unwise])[] = [
    [isPublic && config.limits.enabled === 'off', 'limits-off'],
    [isPublic && config.url.startsWith('http:'), 'url-http'],
    [isPublic && config.smtpUrl === undefined, 'smtp-unset'],
    [config.smtpAllowPlaintext, 'smtp-plaintext'],
    [[...config.trustedOrigins, ...(config.admin?.trustedOrigins ?? [])].some(isAnyOrigin), 'any-origin'],
    [config.trustedProxies.some(isWideRange), 'wide-proxies'],
    [config.password.allowWeakHashing, 'weak-hashing'],
  ]
  return warnings.flatMap(([applies, code]) => (applies ? [code] : []))
}

/** The warnings about a configuration, as sentences. The daemon prints them when it starts, and `check-config` prints them, too. */
export const configWarnings = (config: WarnedSettings): readonly string[] =>
  unwiseSettings(config).map((code) => configFindings.texts[code].message)
