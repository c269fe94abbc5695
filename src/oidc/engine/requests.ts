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

/** The authentication of the user at the time at which the user gave the grant. */
export interface GrantAuthentication {
  /** The authentication class that tokens report. */
  readonly acr: string | undefined
  readonly amr: readonly string[] | undefined
  /** The time of the authentication in seconds since the epoch. */
  readonly authTime: number | undefined
  /**
   * The authentication class of the session in which the grant was given. Undefined for a grant from an earlier version that did not
   * store the class.
   */
  readonly sessionAcr: string | undefined
}

/** The facts about a grant: what the user has authorized, for one code and the tokens that come from it. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** The resources that the user has authorized (RFC 8707). */
  readonly resources: readonly string[]
  /** The time at which the user gave the grant, in seconds since the epoch. Undefined for tokens of earlier versions that did not store it. */
  readonly grantedAt: number | undefined
  /** The claims that the request listed in its parameter `claims` and to which the person has agreed. */
  readonly claims: readonly string[]
  /** The organization of the sign-in; null for none. */
  readonly organizationId: string | null
  /** Set if an administrator impersonated the user when the grant was given. */
  readonly impersonation: Impersonation | undefined
  readonly authentication: GrantAuthentication
  readonly consent: CodeConsent
}

/** The administrator who impersonates the user of a grant, and the time at which the impersonation ends, in milliseconds since the epoch. */
export interface Impersonation {
  readonly by: string
  readonly until: number
}

/** The facts about a token exchange that are stored with the new token. The new token ends together with the exchanged token. */
export interface Exchange {
  /** The id of the row of the token that was exchanged. */
  readonly from: string
  readonly sessionId: string | null
  /** Claims for the new token: the party that acts, and the authentication of the person. */
  readonly claims: { readonly act: Actor; readonly [claim: string]: unknown }
  /** The client id of the application to which the person has signed in. */
  readonly through: string
  /** The administrator who impersonates the person; undefined if the client acts for the person. */
  readonly impersonator?: UserPrincipal
  /** The scopes of the earlier tokens in the chain of exchanges, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/** A request that the library handles, with the rows that it has read and the writes that it has collected. It is dropped after the answer. */
export interface ProviderRequest {
  readonly source: RequestContext
  /** The key of the caller's network, for throttling. */
  readonly networkKey: string
  readonly signedIn: SignedIn | undefined
  /** True if the request is a test sign-in of this session. A test sign-in has a page of the console as its redirect URI. */
  readonly isTestSignIn: boolean
  /** The id of the device code that the person of this request has confirmed. */
  readonly confirmedDevice: string | undefined
  /** The codes and tokens that were read in this request, by hash. */
  readonly found: Map<string, Promise<StoredArtifact | undefined>>
  /** The users of the codes and tokens in `found`, by id. */
  readonly accounts: Map<string, ArtifactUser>
  /**
   * The grants of the codes and tokens in `found`, by id. A grant has no row of its own, because each of its codes and tokens stores the
   * facts about it.
   */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ArtifactRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** The change that this request makes to a device code; undefined if it makes none. */
  device: DeviceChange | undefined
  /** The hash of a refresh token that this request uses and that stays valid. */
  keeps: string | undefined
  /** The hash of a code that was sent with a wrong verifier or redirect URI. The code must not be used again. */
  invalidatedCode: string | undefined
  /** The organization of this sign-in: null for none, undefined until it is decided. */
  organizationId: string | null | undefined
  /** True if the organization of this sign-in requires two factors of its members. */
  organizationNeedsTwoFactors: boolean
  /**
   * The organizations that the person's consent to the application covers; null for all of the person's organizations. Undefined if there
   * is no consent, or if the application needs no consent.
   */
  agreedOrganizations: readonly string[] | null | undefined
  /** The authentication class that this sign-in needs and the session does not have. */
  wantedAcr: string | undefined
  /** True if the sign-in may continue without `wantedAcr` when the person declines a further proof. */
  isProofVoluntary: boolean
  /** True if the client has sent a correct credential that is no longer valid. Throttling must not count that as a guess. */
  isRightCredential: boolean
  /** The token exchange of this request (RFC 8693); undefined for other requests. */
  exchange: Exchange | undefined
  /** The resource for which the request's code or token was issued (RFC 8707); undefined if there is none. */
  audience: string | undefined
  /** The secret with which the client has authenticated. It is set only if the secret signs ID tokens (HS256). */
  signingSecret: string | undefined
  /** An error of this server or its database; undefined if there was none. */
  failure: unknown
}

/** The requests that the library handles now. Code that the library calls finds its request here. */
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
