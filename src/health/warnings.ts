import { isLoopbackUrl } from '../core/web.ts'

/** The part of the configuration that is checked. */
export interface WarnedSettings {
  readonly url: string
  readonly trustedOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly smtpUrl?: string | undefined
  readonly smtpAllowPlaintext: boolean
  readonly limits: { readonly enabled: string }
  readonly password: { readonly allowWeakHashing: boolean }
}

/** True for `*`, `https://*` and the like: any host fits. */
const isAnyOrigin = (entry: string): boolean =>
  /^([a-z][a-z0-9+.-]*:\/\/)?[*.]+(:[\d*]+)?\/?$/i.test(entry) && entry.includes('*')

/** True for a range so large that untrusted clients are in it, who could then forge their address. */
const isWideRange = (range: string): boolean => {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (address.includes(':') ? 16 : 8)
}

/** Warnings about what is allowed but unwise. Printed at start, by `check-config` and by `doctor`. */
export const configWarnings = (config: WarnedSettings): readonly string[] => {
  const isPublic = config.url.startsWith('https:') || !isLoopbackUrl(config.url)
  const warnings: readonly (readonly [boolean, string])[] = [
    [isPublic && config.limits.enabled === 'off', 'limits.enabled is off although the public address is not http on loopback'],
    [isPublic && config.url.startsWith('http:'), 'url is http: passwords and cookies travel in the clear'],
    [isPublic && config.smtpUrl === undefined, 'smtpUrl is not set: mails are written to files and reach nobody'],
    [
      config.smtpAllowPlaintext,
      'smtpAllowPlaintext is on: whoever listens on the way to the mail server can use the links of mails',
    ],
    [config.trustedOrigins.some(isAnyOrigin), 'trustedOrigins holds *: any page may act with the session of who visits it'],
    [
      config.trustedProxies.some(isWideRange),
      'trustedProxies holds a range of strangers: they write their own address, and no limit by address holds',
    ],
    [config.password.allowWeakHashing, 'password.allowWeakHashing is on: stolen hashes are cheap to guess from'],
  ]
  return warnings.flatMap(([applies, text]) => (applies ? [text] : []))
}
