import { randomBytes } from 'node:crypto'
import type { CookieOptions, Request, Response } from 'express'
import type { IDToken, UserInfoResponse } from 'openid-client'

/** The signed-in person and their tokens. They stay on the server; the browser gets only a random cookie. */
export interface SignedIn {
  readonly claims: IDToken
  /** Name and address, from the userinfo endpoint. */
  readonly person: UserInfoResponse
  readonly idToken: string
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly scope: string | undefined
  readonly expiresAt: Date
}

/** An unfinished sign-in: the values that have to match when the browser comes back. */
export interface Attempt {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

export interface Session {
  readonly signedIn?: SignedIn | undefined
  readonly attempt?: Attempt
}

const name = 'example.session'
const nobody: Session = {}
/** Largest number of sessions. A demonstration needs fewer. The oldest one is removed first. */
const most = 1000

/** Sessions in memory, found by a random cookie. A real application stores them in its database, and ends them at some time. */
export const createSessions = (secure: boolean) => {
  const sessions = new Map<string, Session>()
  const cookie: CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure }
  const idOf = (req: Request) => new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`).exec(req.headers.cookie ?? '')?.[1] ?? ''

  const begin = (res: Response, session: Session) => {
    const id = randomBytes(32).toString('base64url')
    const [oldest] = sessions.keys()
    if (sessions.size >= most && oldest !== undefined) sessions.delete(oldest)
    sessions.set(id, session)
    res.cookie(name, id, cookie)
  }

  return {
    find: (req: Request): Session => sessions.get(idOf(req)) ?? nobody,
    /** Stores the session under the cookie that the browser has. */
    save: (req: Request, res: Response, session: Session) => {
      if (sessions.has(idOf(req))) sessions.set(idOf(req), session)
      else begin(res, session)
    },
    /** Starts a session with a new cookie. A person who knew the cookie from before the sign-in cannot use it. */
    renew: (req: Request, res: Response, session: Session) => {
      sessions.delete(idOf(req))
      begin(res, session)
    },
    end: (req: Request, res: Response) => {
      sessions.delete(idOf(req))
      res.clearCookie(name, cookie)
    },
  }
}
