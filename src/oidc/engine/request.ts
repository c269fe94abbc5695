import type { IncomingMessage } from 'node:http'
import type { CallerSession, CallerUser, Source } from '../../core/caller.ts'
import type { FoundModel, ModelOwner, ModelRow } from '../models/store.ts'

/** Who is signed in at gatehouse in the browser that asks. */
export interface SignedIn {
  readonly session: CallerSession
  readonly user: CallerUser
}

/** An authorization as the library sees it: what one code and its tokens may do. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** Chosen at sign-in; null for none. */
  readonly organizationId: string | null
}

/** What one request of the library reads and wants written; it lives as long as the request. */
export interface EngineRequest {
  readonly source: Source
  /** What limits count it by. */
  readonly limitedAs: string
  readonly signedIn: SignedIn | undefined
  /** Codes and tokens read, by the hash of their value. */
  readonly found: Map<string, Promise<FoundModel | undefined>>
  /** Users that came with them. */
  readonly accounts: Map<string, ModelOwner>
  /** Authorizations they belong to. There is no row of its own: code and tokens carry all there is to know. */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ModelRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** Hash of a code that this request failed with and nobody may use again. */
  usedUp: string | undefined
  /** The organization this sign-in is for: null for none, undefined until it is decided. */
  organizationId: string | null | undefined
  /** What went wrong through no fault of the caller. */
  failure: unknown
}

/** The requests under way, found again from inside the library. */
export interface EngineRequests {
  open(req: IncomingMessage, from: Pick<EngineRequest, 'source' | 'limitedAs' | 'signedIn'>): EngineRequest
  of(req: IncomingMessage): EngineRequest
}

export const createEngineRequests = (): EngineRequests => {
  const open = new WeakMap<IncomingMessage, EngineRequest>()
  return {
    open: (req, from) => {
      const request: EngineRequest = {
        ...from,
        found: new Map(),
        accounts: new Map(),
        grants: new Map(),
        inserts: [],
        consumes: [],
        deletes: [],
        usedUp: undefined,
        organizationId: undefined,
        failure: undefined,
      }
      open.set(req, request)
      return request
    },
    of: (req) => {
      const request = open.get(req)
      if (request === undefined) throw new Error('the library was asked outside of a request')
      return request
    },
  }
}
