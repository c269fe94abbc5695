import type { Request } from 'express'
import type { Entropy } from '../core/entropy.ts'
import { parseCookies, type SessionCookie } from './cookies.ts'

/** The browser of one request. Looked up when asked for: most requests never are. */
export interface Device {
  /** From its signed cookie, or made for this request. */
  id(): string
  /** The cookie to set, unless the browser has it already. */
  newCookie(): { readonly name: string; readonly value: string } | undefined
}

export const createDevice = (req: Request, cookie: SessionCookie, entropy: Entropy): Device => {
  let found: { readonly id: string; readonly isNew: boolean } | undefined
  const find = () => {
    const id = cookie.decode(parseCookies(req.headers.cookie).get(cookie.name))
    found ??= id === undefined ? { id: entropy.token(32), isNew: true } : { id, isNew: false }
    return found
  }
  return {
    id: () => (found ?? find()).id,
    newCookie: () => {
      const { id, isNew } = found ?? find()
      return isNew ? { name: cookie.name, value: cookie.encode(id) } : undefined
    },
  }
}
