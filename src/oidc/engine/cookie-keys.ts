import type { Secrets } from '../../core/crypto.ts'

/** Signs and checks the library's own cookies, in the form that its keys have (`keygrip`). */
export interface CookieKeys {
  sign(data: string): string
  verify(data: string, signature: string): boolean
  /** 0 for a signature that counts, else -1. */
  index(data: string, signature: string): number
}

/** The library takes keys once, at its start; when a retired secret's signatures end is decided at each use. */
export const createCookieKeys = (secrets: Secrets, lifeSeconds: number): CookieKeys => {
  const labelled = (data: string) => `library:${data}`
  const verify = (data: string, signature: string) =>
    secrets.isSigned('provider-cookies', labelled(data), Buffer.from(signature, 'base64url').toString('base64'), lifeSeconds)
  return {
    sign: (data) => Buffer.from(secrets.sign('provider-cookies', labelled(data)), 'base64').toString('base64url'),
    verify,
    index: (data, signature) => (verify(data, signature) ? 0 : -1),
  }
}
