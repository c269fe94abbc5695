import type { IncomingMessage } from 'node:http'
import type { CurrentSession, CurrentUser, UserPrincipal } from '../../access/principal.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { ArtifactRow, ArtifactUser, CodeConsent, StoredArtifact } from '../artifacts/store.ts'
import type { DeviceChange } from '../device/codes.ts'
import type { AuthenticationFacts } from '../step-up/rules.ts'
import type { Actor } from '../token-exchange/rules.ts'

/** The gatehouse session of the browser, with its user. */
export interface SignedIn {
  readonly session: CurrentSession
  readonly user: CurrentUser
  readonly authentication: AuthenticationFacts
}

/** How the user was authenticated when the grant was given. */
export interface GrantAuthentication {
  /** The class for the tokens. */
  readonly acr: string | undefined
  readonly amr: readonly string[] | undefined
  /** Time of the authentication in epoch seconds. */
  readonly authTime: number | undefined
  /** Class of the session when the grant was given; undefined for grants of versions that did not store it. */
  readonly sessionAcr: string | undefined
}

/** A grant in the library's form: the authorization behind one code and its tokens. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** The authorized resources (RFC 8707). */
  readonly resources: readonly string[]
  /** Time of the authorization in epoch seconds; undefined for tokens of versions that did not store it. */
  readonly grantedAt: number | undefined
  /** Claims that were requested one by one, with consent. */
  readonly claims: readonly string[]
  /** The organization chosen at sign-in; null for none. */
  readonly organizationId: string | null
  /** Set when the grant was given in an impersonation of its user. */
  readonly impersonation: Impersonation | undefined
  readonly authentication: GrantAuthentication
  readonly consent: CodeConsent
}

/** The administrator who impersonates the user of a grant, and the end of the impersonation in epoch milliseconds. */
export interface Impersonation {
  readonly by: string
  readonly until: number
}

/** The parts of the original token that an exchanged token keeps; it ends with the original. */
export interface Exchange {
  /** Id of the row of the original token. */
  readonly from: string
  readonly sessionId: string | null
  /** The actor and the authentication of the person, for the claims of the new token. */
  readonly claims: { readonly act: Actor; readonly [claim: string]: unknown }
  /** The application to which the person signed in. */
  readonly through: string
  /** The impersonating administrator; undefined where the client acts for the person. */
  readonly impersonator?: UserPrincipal
  /** The scopes of earlier tokens of the chain, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/** The reads and pending writes of one request of the library; it lives as long as the request. */
export interface ProviderRequest {
  readonly source: RequestContext
  /** Network of the caller, for throttling. */
  readonly networkKey: string
  readonly signedIn: SignedIn | undefined
  /** True for a test sign-in of this session: the console is its redirect address. */
  readonly isTestSignIn: boolean
  /** Id of the device code that the person of this request has confirmed. */
  readonly confirmedDevice: string | undefined
  /** Codes and tokens read, by the hash of their value. */
  readonly found: Map<string, Promise<StoredArtifact | undefined>>
  /** The users of these codes and tokens, by id. */
  readonly accounts: Map<string, ArtifactUser>
  /** The grants of these codes and tokens. A grant has no row of its own: its codes and tokens contain it. */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ArtifactRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** The change of a device code in this request. */
  device: DeviceChange | undefined
  /** Hash of the refresh token that this request uses without rotating it. */
  keeps: string | undefined
  /** Hash of the code with which this request failed; the code must not be used again. */
  invalidatedCode: string | undefined
  /** The organization of this sign-in: null for none, undefined until it is decided. */
  organizationId: string | null | undefined
  /** True when that organization requires two factors of its members. */
  organizationNeedsTwoFactors: boolean
  /** The organizations in the person's consent to the application, null for all; undefined without a consent, or where none is needed. */
  agreedOrganizations: readonly string[] | null | undefined
  /** The authentication class that this sign-in needs and the session lacks. */
  wantedAcr: string | undefined
  /** True when the sign-in continues without `wantedAcr` if the person declines the further proof. */
  isProofVoluntary: boolean
  /** True when the client sent a correct credential that is no longer valid: throttling does not count it as a guess. */
  isRightCredential: boolean
  /** Set during a token exchange (RFC 8693). */
  exchange: Exchange | undefined
  /** The resource of the request's code or token (RFC 8707); undefined without one. */
  audience: string | undefined
  /** The secret by which the client authenticated; set only where the secret signs ID tokens (HS256). */
  signingSecret: string | undefined
  /** An error that the caller did not cause; undefined without one. */
  failure: unknown
}

/** The current requests, for code that the library calls. */
export interface ProviderRequests {
  open(
    req: IncomingMessage,
    from: Pick<ProviderRequest, 'source' | 'networkKey' | 'signedIn' | 'isTestSignIn' | 'confirmedDevice'>,
  ): ProviderRequest
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
        device: undefined,
        keeps: undefined,
        invalidatedCode: undefined,
        organizationId: undefined,
        organizationNeedsTwoFactors: false,
        agreedOrganizations: undefined,
        wantedAcr: undefined,
        isProofVoluntary: false,
        isRightCredential: false,
        exchange: undefined,
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
