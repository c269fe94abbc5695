import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { Caller, Source, UserCaller } from '../core/caller.ts'
import type { BodyLimits } from './body.ts'
import type { Contract, Endpoint } from './contract.ts'

export interface CookieOptions {
  /** Seconds; without it the cookie ends with the browser session. */
  readonly maxAge?: number
  readonly httpOnly?: boolean
}

/** What a handler may do to the answer besides returning its body. */
export interface Reply {
  setCookie(name: string, value: string, options?: CookieOptions): void
  clearCookie(name: string): void
  /** Value of a cookie the request carried. */
  cookie(name: string): string | undefined
  setHeader(name: string, value: string): void
  /** Answers 202 instead of 200, where the endpoint `accepts`. */
  setAccepted(): void
  /** Sets the session cookie; without `maxAge` it ends with the browser session. */
  startSession(token: string, maxAge?: number): void
  /** Sets the cookie that names the browser, unless it has it. Done by `startSession` as well. */
  keepDevice(): void
  /** Clears the cookie cache of the session. Done by itself on every request that is no GET. */
  forgetCache(): void
  /** Clears the session cookie and every cookie that lives as long as it. */
  endSession(): void
  /** The request under way, for libraries that need it. */
  readonly raw: { readonly req: import('express').Request; readonly res: import('express').Response }
}

/** Returned by a handler instead of a body: 302 to `url`, which must have passed `http/trusted-url.ts` or be our own. */
export class Redirect {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }
}

/** Returned by a handler that has answered by itself through `reply.raw`. */
export const answered: unique symbol = Symbol('answered')

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface Input<E extends Endpoint> {
  /** With `raw` the exact bytes. */
  readonly body: E['encoding'] extends 'raw' ? Buffer : Parsed<E['body']>
  readonly query: Parsed<E['query']>
  readonly params: Parsed<E['params']>
  readonly reply: Reply
}

type CallerOf<E extends Endpoint> = E['access'] extends 'public' | 'anonymous' ? Caller : UserCaller

export type Handler<E extends Endpoint> = (
  caller: CallerOf<E>,
  input: Input<E>,
) => Promise<z.output<E['response']> | Redirect | typeof answered> | z.output<E['response']> | Redirect

export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/** One endpoint with its handler, types erased: the server checks at run time what the compiler checked in `bind`. */
export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  /** Bounds of a `raw` body, where there are others than the usual. */
  readonly bodyLimits?: BodyLimits
  /** Looks at a request before its body is read, and throws what can be said without it. */
  readonly beforeBody?: (source: Source, params: unknown, headers: IncomingHttpHeaders) => Promise<void>
  readonly handle: (caller: Caller, input: { body: unknown; query: unknown; params: unknown; reply: Reply }) => unknown
}

/** Joins a contract with its handlers; a missing or ill-typed one does not compile. */
export const bind = <C extends Contract>(endpoints: C, handlers: Handlers<C>): Route[] =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, handle: handlers[name] as Route['handle'] }))
