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
  /** For `raw` and `upload`, the body as bytes. Otherwise the parsed body. */
  readonly body: E['encoding'] extends 'raw' | 'upload' ? Buffer : Parsed<E['body']>
  readonly query: Parsed<E['query']>
  readonly params: Parsed<E['params']>
  readonly headers: IncomingHttpHeaders
  readonly cookies: Cookies
  /** Checks the header `If-Match` against the current state of the resource. Undefined unless the contract has `ifMatch`. */
  readonly ifMatch: E['ifMatch'] extends ResourceTag<infer S> ? IfMatch<z.output<S>> : undefined
}

/**
 * The type of the principal that a handler receives. A machine can have permissions of the instance, and an API key can have most
 * permissions. If the contract has `fresh` or `session`, neither of them can make the call (`call.ts`).
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

/** The function that does the work of a call. It returns data, and the server sends the data in the form that the contract declares. */
export type Handler<E extends Endpoint> = (
  principal: PrincipalOf<E>,
  input: Input<E>,
) => Promise<ResultOf<E['response']>> | ResultOf<E['response']>

export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/** An endpoint and its handler, with their types erased. At run time the server checks what the compiler has checked in `bind`. */
export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  /** Limits for a `raw` body, if they differ from the usual limits. */
  readonly bodyLimits?: BodyLimits
  /** Checks a request before its body is read. Throws the errors for which the body is not needed. */
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

/** Texts and examples for the API document that stand outside of the contract. */
export type Documentation<C extends Contract> = { readonly [K in keyof C]?: Pick<Endpoint, 'description' | 'example'> }

/** Joins a contract with its documentation. They stand in separate modules, so that pages do not load the documentation. */
export const documented = <C extends Contract>(endpoints: C, documentation: Documentation<C>): C =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { ...endpoint, ...documentation[name] }])) as C

/** Joins the endpoints of a contract with their handlers. The compiler refuses a missing handler, and a handler with a wrong type. */
export const bind = <C extends Contract>(endpoints: C, handlers: Handlers<C>): Route[] =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, handle: handlers[name] as Route['handle'] }))
