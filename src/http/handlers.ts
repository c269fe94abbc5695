import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { SessionPermission } from '../access/key-permissions.ts'
import type { InstancePermission, PermissionOf } from '../access/permissions.ts'
import type { OrganizationPrincipal, PermittedPrincipal, PersonPrincipal, Principal, UserPrincipal } from '../access/principal.ts'
import type { IfMatch } from '../core/etag.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { ResourceTag } from '../core/resource-tag.ts'
import type { BodyLimits } from './body.ts'
import type { Contract, Endpoint, ResultOf } from './contract.ts'
import type { Cookies } from './cookies.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface Input<E extends Endpoint> {
  /** With `raw` and `upload` the exact bytes. */
  readonly body: E['encoding'] extends 'raw' | 'upload' ? Buffer : Parsed<E['body']>
  readonly query: Parsed<E['query']>
  readonly params: Parsed<E['params']>
  readonly headers: IncomingHttpHeaders
  readonly cookies: Cookies
  /** Checks the state that the caller takes as the basis of its change; undefined unless the contract says `ifMatch`. */
  readonly ifMatch: E['ifMatch'] extends ResourceTag<infer S> ? IfMatch<z.output<S>> : undefined
}

/**
 * The principal of a handler. A permission of the instance can be that of a machine, and most others those of keys; `fresh` and `session` leave
 * sessions alone (`call.ts`).
 */
type PrincipalOf<E extends Endpoint> = E['access'] extends 'public' | 'anonymous'
  ? Principal
  : E['access'] extends { readonly session: true }
    ? UserPrincipal
    : E['access'] extends { readonly permission: InstancePermission }
      ? PermittedPrincipal
      : E['access'] extends { readonly fresh: true } | { readonly permission: SessionPermission }
        ? UserPrincipal
        : E['access'] extends { readonly permission: PermissionOf<'organization'> }
          ? OrganizationPrincipal
          : PersonPrincipal

/** Returns data; the server writes the response as the contract declares it. */
export type Handler<E extends Endpoint> = (
  principal: PrincipalOf<E>,
  input: Input<E>,
) => Promise<ResultOf<E['response']>> | ResultOf<E['response']>

export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/** One endpoint with its handler, types erased: the server checks at run time what the compiler checked in `bind`. */
export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  /** Limits of a `raw` body, where they differ from the usual ones. */
  readonly bodyLimits?: BodyLimits
  /** Checks a request before its body is read. Throws the refusals that do not need the body. */
  readonly beforeBody?: (context: RequestContext, params: unknown, headers: IncomingHttpHeaders) => Promise<void>
  readonly handle: (
    principal: Principal,
    input: {
      body: unknown
      query: unknown
      params: unknown
      headers: IncomingHttpHeaders
      cookies: Cookies
      ifMatch: IfMatch<never> | undefined
    },
  ) => unknown
}

/** Texts of the API document about the calls of a contract, besides the contract itself. */
export type Documentation<C extends Contract> = { readonly [K in keyof C]?: Pick<Endpoint, 'description' | 'example'> }

/** A contract with its documentation, which stands apart so that the pages, which load contracts, do not load it. */
export const documented = <C extends Contract>(endpoints: C, documentation: Documentation<C>): C =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { ...endpoint, ...documentation[name] }])) as C

/** Joins a contract with its handlers; a missing or ill-typed one does not compile. */
export const bind = <C extends Contract>(endpoints: C, handlers: Handlers<C>): Route[] =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, handle: handlers[name] as Route['handle'] }))
