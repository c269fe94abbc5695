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
  /** For `raw` and `upload`, the exact bytes. */
  readonly body: E['encoding'] extends 'raw' | 'upload' ? Buffer : Parsed<E['body']>
  readonly query: Parsed<E['query']>
  readonly params: Parsed<E['params']>
  readonly headers: IncomingHttpHeaders
  readonly cookies: Cookies
  /** Checks the state on which the caller's change is based. Undefined unless the contract has `ifMatch`. */
  readonly ifMatch: E['ifMatch'] extends ResourceTag<infer S> ? IfMatch<z.output<S>> : undefined
}

/**
 * The principal that a handler gets. A machine can have permissions of the instance, and a key most permissions. A contract with `fresh`
 * or `session` excludes both (`call.ts`).
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

/** Returns data. The server writes it as the response that the contract declares. */
export type Handler<E extends Endpoint> = (
  principal: PrincipalOf<E>,
  input: Input<E>,
) => Promise<ResultOf<E['response']>> | ResultOf<E['response']>

export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/** An endpoint with its handler, without types. The server checks at run time what the compiler has checked in `bind`. */
export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  /** Limits of a `raw` body, if they are not the usual ones. */
  readonly bodyLimits?: BodyLimits
  /** Checks a request before its body is read. Throws the refusals for which no body is needed. */
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

/** Texts for the API document that are not in the contract. */
export type Documentation<C extends Contract> = { readonly [K in keyof C]?: Pick<Endpoint, 'description' | 'example'> }

/** A contract with its documentation. They are separate modules, so that pages do not load the documentation. */
export const documented = <C extends Contract>(endpoints: C, documentation: Documentation<C>): C =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { ...endpoint, ...documentation[name] }])) as C

/** Joins a contract with its handlers. A missing handler, or one with a wrong type, does not compile. */
export const bind = <C extends Contract>(endpoints: C, handlers: Handlers<C>): Route[] =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, handle: handlers[name] as Route['handle'] }))
