import type { Secrets } from '../../core/crypto.ts'
import { formatCookie, parseCookies } from '../../http/cookies.ts'

/** Binds sign-ins under way to the browser that began them: only it may see or answer them. */
export interface BrowserBinding {
  /** Set-Cookie line that adds one to those the Cookie header carries. */
  add(cookieHeader: string | undefined, uid: string): string
  /** Those of this browser, newest first; empty when the cookie is not ours. */
  read(value: string | undefined): readonly string[]
  readonly cookieName: string
}

/** More tabs than anybody signs in with at once. */
const most = 8

/** A short signed cookie, `uid~uid.signature`. */
export const createBrowserBinding = (publicUrl: string, secrets: Secrets, ttlSeconds: number): BrowserBinding => {
  const secure = publicUrl.startsWith('https:')
  const cookieName = secure ? '__Host-gatehouse.interaction' : 'gatehouse.interaction'
  const labelled = (value: string) => `interaction:${value}`
  const read = (value: string | undefined): readonly string[] => {
    if (value === undefined || value.length > 1024) return []
    const plain = value.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=').replace(/%7E/gi, '~')
    const at = plain.indexOf('.')
    const uids = plain.slice(0, at)
    return at > 0 && secrets.isSigned('provider-cookies', labelled(uids), plain.slice(at + 1), ttlSeconds) ? uids.split('~') : []
  }
  return {
    cookieName,
    read,
    add: (cookieHeader, uid) => {
      const others = read(parseCookies(cookieHeader).get(cookieName)).filter((other) => other !== uid)
      const uids = [uid, ...others].slice(0, most).join('~')
      const signature = secrets.sign('provider-cookies', labelled(uids))
      return formatCookie(cookieName, encodeURIComponent(`${uids}.${signature}`), secure, { maxAge: ttlSeconds })
    },
  }
}
