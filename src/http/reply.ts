import type { Request, Response } from 'express'
import { formatCookie, parseCookies, type SessionCookie } from './cookies.ts'
import type { Reply } from './handlers.ts'

/** What a handler may do to this answer. `cookiesOfSession` end together with the session. */
export const createReply = (
  req: Request,
  res: Response,
  sessionCookie: SessionCookie,
  cookiesOfSession: readonly string[],
): Reply => {
  const cookies = parseCookies(req.headers.cookie)
  const setCookie: Reply['setCookie'] = (name, value, options) => {
    res.appendHeader('Set-Cookie', formatCookie(name, value, sessionCookie.secure, options))
  }
  const clearCookie = (name: string) => setCookie(name, '', { maxAge: 0 })
  return {
    setCookie,
    clearCookie,
    cookie: (name) => cookies.get(name),
    setHeader: (name, value) => void res.setHeader(name, value),
    startSession: (token, maxAge) =>
      setCookie(sessionCookie.name, sessionCookie.encode(token), maxAge === undefined ? {} : { maxAge }),
    endSession: () => {
      for (const name of [sessionCookie.name, ...cookiesOfSession]) clearCookie(name)
    },
    raw: { req, res },
  }
}
