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

/** The authentication of the user when the grant was given. */
export interface GrantAuthentication {
  /** The authentication class that tokens report. */
  readonly acr: string | undefined
  readonly amr: readonly string[] | undefined
  /** The time of the authentication in epoch seconds. */
  readonly authTime: number | undefined
  /** The authentication class of the session when the grant was given. Undefined for grants of versions that did not store it. */
  readonly sessionAcr: string | undefined
}

/** A grant in the form of the library: the authorization behind one code and its tokens. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** The authorized resources (RFC 8707). */
  readonly resources: readonly string[]
  /** The time of the authorization in epoch seconds. Undefined for tokens of versions that did not store it. */
  readonly grantedAt: number | undefined
  /** The claims that were requested one by one and to which the person has agreed. */
  readonly claims: readonly string[]
  /** The organization of the sign-in; null for none. */
  readonly organizationId: string | null
  /** Set if the grant was given while an administrator impersonated the user. */
  readonly impersonation: Impersonation | undefined
  readonly authentication: GrantAuthentication
  readonly consent: CodeConsent
}

/** The administrator who impersonates the user of a grant, and the end of the impersonation in epoch milliseconds. */
export interface Impersonation {
  readonly by: string
  readonly until: number
}

/** The parts of the original token that an exchanged token keeps. It ends with the original. */
export interface Exchange {
  /** The id of the row of the original token. */
  readonly from: string
  readonly sessionId: string | null
  /** The actor and the authentication of the person, for the claims of the new token. */
  readonly claims: { readonly act: Actor; readonly [claim: string]: unknown }
  /** The client id of the application to which the person has signed in. */
  readonly through: string
  /** The administrator who impersonates the person; undefined if the client acts for the person. */
  readonly impersonator?: UserPrincipal
  /** The scopes of earlier tokens in the chain, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/** The reads and the pending writes of one request of the library. The object lasts as long as the request. */
export interface ProviderRequest {
  readonly source: RequestContext
  /** The network of the caller, for throttling. */
  readonly networkKey: string
  readonly signedIn: SignedIn | undefined
  /** True for a test sign-in of this session. Its redirect address is the console. */
  readonly isTestSignIn: boolean
  /** The id of the device code that the person of this request has confirmed. */
  readonly confirmedDevice: string | undefined
  /** The codes and tokens that were read, by the hash of their value. */
  readonly found: Map<string, Promise<StoredArtifact | undefined>>
  /** The users of these codes and tokens, by id. */
  readonly accounts: Map<string, ArtifactUser>
  /** The grants of these codes and tokens. A grant has no row of its own, because its codes and tokens contain it. */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ArtifactRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** The change that this request makes to a device code. */
  device: DeviceChange | undefined
  /** The hash of the refresh token that this request uses without rotating it. */
  keeps: string | undefined
  /** The hash of the code with which this request has failed. The code must not be used again. */
  invalidatedCode: string | undefined
  /** The organization of this sign-in. It is null for none, and undefined until it is decided. */
  organizationId: string | null | undefined
  /** True if that organization requires two factors of its members. */
  organizationNeedsTwoFactors: boolean
  /**
   * The organizations that the person's consent to the application covers, and null for all of them. Undefined if there is no consent or
   * none is needed.
   */
  agreedOrganizations: readonly string[] | null | undefined
  /** The authentication class that this sign-in needs and the session does not have. */
  wantedAcr: string | undefined
  /** True if the sign-in continues without `wantedAcr` when the person declines the further proof. */
  isProofVoluntary: boolean
  /** True if the client has sent a correct credential that is no longer valid. Throttling must not count it as a guess. */
  isRightCredential: boolean
  /** Set during a token exchange (RFC 8693). */
  exchange: Exchange | undefined
  /** The resource of the request's code or token (RFC 8707); undefined if it has none. */
  audience: string | undefined
  /** The secret with which the client has authenticated. It is set only if the secret signs ID tokens (HS256). */
  signingSecret: string | undefined
  /** An error that the caller has not caused; undefined if there was none. */
  failure: unknown
}

/** The requests that are handled now. Code that the library calls finds its request here. */
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
