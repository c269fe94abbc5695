import type { IncomingMessage } from 'node:http'
import type { CurrentSession, CurrentUser } from '../../access/principal.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { ArtifactRow, ArtifactUser, CodeConsent, StoredArtifact } from '../artifacts/store.ts'
import type { AuthenticationFacts } from '../step-up/rules.ts'

/** The gatehouse session of the browser that sends the request, with its user. */
export interface SignedIn {
  readonly session: CurrentSession
  readonly user: CurrentUser
  readonly authentication: AuthenticationFacts
}

/** How the user of a grant was authenticated when it was given. */
export interface GrantAuthentication {
  /** As tokens say it. */
  readonly acr: string | undefined
  readonly amr: readonly string[] | undefined
  /** In epoch seconds. */
  readonly authTime: number | undefined
  /** Class of the session then; undefined for grants from before it was kept. */
  readonly sessionAcr: string | undefined
}

/** A grant as the library sees it: what one code and its tokens allow. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** Chosen at sign-in; null for none. */
  readonly organizationId: string | null
  /** Set where it was authorized in an impersonated session. */
  readonly impersonation: Impersonation | undefined
  readonly authentication: GrantAuthentication
  readonly consent: CodeConsent
}

/** The administrator who impersonates the user of a grant, and the end of the impersonation in epoch milliseconds. */
export interface Impersonation {
  readonly by: string
  readonly until: number
}

/** The reads and pending writes of one request of the library; it lives as long as the request. */
export interface ProviderRequest {
  readonly source: RequestContext
  /** Network of the caller, which throttling counts by. */
  readonly networkKey: string
  readonly signedIn: SignedIn | undefined
  /** The request is the one of a test that this session has begun: the console is its redirect address. */
  readonly isTestSignIn: boolean
  /** Codes and tokens read, by the hash of their value. */
  readonly found: Map<string, Promise<StoredArtifact | undefined>>
  /** Users that came with them. */
  readonly accounts: Map<string, ArtifactUser>
  /** Grants they belong to. A grant has no row of its own: code and tokens hold all of it. */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ArtifactRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** Hash of a code that this request failed with and that must not be used again. */
  invalidatedCode: string | undefined
  /** The organization this sign-in is for: null for none, undefined until it is decided. */
  organizationId: string | null | undefined
  /** Members act for that organization only after two factors. */
  organizationNeedsTwoFactors: boolean
  /** The authentication class that this sign-in needs and the session does not have. */
  wantedAcr: string | undefined
  /** The sign-in goes on without it, where the person declines. */
  isProofVoluntary: boolean
  /** What the client sent is right and counts no more: nobody is guessing. */
  isRightCredential: boolean
  /** What the code or token that the request came with is for; undefined for no resource of its own (RFC 8707). */
  audience: string | undefined
  /** The secret with which the client authenticated, where it signs ID tokens (HS256). */
  signingSecret: string | undefined
  /** An error that the caller has not caused. */
  failure: unknown
}

/** The requests under way, found again from inside the library. */
export interface ProviderRequests {
  open(req: IncomingMessage, from: Pick<ProviderRequest, 'source' | 'networkKey' | 'signedIn' | 'isTestSignIn'>): ProviderRequest
  of(req: IncomingMessage): ProviderRequest
}

export const createProviderRequests = (): ProviderRequests => {
  const open = new WeakMap<IncomingMessage, ProviderRequest>()
  return {
    open: (req, from) => {
      const request: ProviderRequest = {
        ...from,
        found: new Map(),
        accounts: new Map(),
        grants: new Map(),
        inserts: [],
        consumes: [],
        deletes: [],
        invalidatedCode: undefined,
        organizationId: undefined,
        organizationNeedsTwoFactors: false,
        wantedAcr: undefined,
        isProofVoluntary: false,
        isRightCredential: false,
        audience: undefined,
        signingSecret: undefined,
        failure: undefined,
      }
      open.set(req, request)
      return request
    },
    of: (req) => {
      const request = open.get(req)
      if (request === undefined) throw new Error('the library handles a request that was not opened')
      return request
    },
  }
}
