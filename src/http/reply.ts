import type { Request, Response } from 'express'
import { formatCookie, parseCookies, type SessionCookie } from './cookies.ts'
import type { Device } from './device.ts'
import type { Reply } from './handlers.ts'

export interface ReplyOptions {
  readonly sessionCookie: SessionCookie
  /** Names of cookies that end together with the session. */
  readonly cookiesOfSession: readonly string[]
  /** Name of the cookie that caches the session, where there is one. */
  readonly cacheName: string | undefined
  readonly device: Device
}

/** Browsers drop a cookie after 400 days at the latest. */
const longest = 34_560_000

/** What a handler may do to this answer. */
export const createReply = (req: Request, res: Response, options: ReplyOptions): Reply => {
  const { sessionCookie, cookiesOfSession, cacheName, device } = options
  const cookies = parseCookies(req.headers.cookie)
  const setCookie: Reply['setCookie'] = (name, value, options) => {
    res.appendHeader('Set-Cookie', formatCookie(name, value, sessionCookie.secure, options))
  }
  const clearCookie = (name: string) => setCookie(name, '', { maxAge: 0 })
  const forgetCache = () => {
    if (cacheName !== undefined && cookies.has(cacheName)) clearCookie(cacheName)
  }
  const keepDevice = () => {
    const mark = device.newCookie()
    if (mark !== undefined) setCookie(mark.name, mark.value, { maxAge: longest })
  }
  return {
    setCookie,
    clearCookie,
    cookie: (name) => cookies.get(name),
    setHeader: (name, value) => void res.setHeader(name, value),
    setAccepted: () => {
      res.statusCode = 202
    },
    startSession: (token, maxAge) => {
      setCookie(sessionCookie.name, sessionCookie.encode(token), maxAge === undefined ? {} : { maxAge })
      keepDevice()
    },
    keepDevice,
    forgetCache,
    endSession: () => {
      for (const name of [sessionCookie.name, ...cookiesOfSession]) clearCookie(name)
      forgetCache()
    },
    raw: { req, res },
  }
}
