import type { IncomingMessage } from 'node:http'
import type { CurrentSession, CurrentUser, UserPrincipal } from '../../access/principal.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { ArtifactRow, ArtifactUser, CodeConsent, StoredArtifact } from '../artifacts/store.ts'
import type { DeviceChange } from '../device/codes.ts'
import type { AuthenticationFacts } from '../step-up/rules.ts'
import type { Actor } from '../token-exchange/rules.ts'

/** The gatehouse session of the browser that sends the request, with its user. */
export interface SignedIn {
  readonly session: CurrentSession
  readonly user: CurrentUser
  readonly authentication: AuthenticationFacts
}

/** How the user of a grant was authenticated when it was given. */
export interface GrantAuthentication {
  /** The class that the tokens name. */
  readonly acr: string | undefined
  readonly amr: readonly string[] | undefined
  /** Time of the authentication in epoch seconds. */
  readonly authTime: number | undefined
  /** The class of the session when the grant was given; undefined for grants of versions that did not store it. */
  readonly sessionAcr: string | undefined
}

/** A grant as the library sees it: what one code and its tokens allow. */
export interface GrantFacts {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  /** The resources that the authorization names (RFC 8707). */
  readonly resources: readonly string[]
  /** When the person gave it, in epoch seconds; undefined for tokens of versions that did not store it. */
  readonly grantedAt: number | undefined
  /** Claims that were asked for one by one, and agreed to. */
  readonly claims: readonly string[]
  /** The organization that was chosen at sign-in; null for none. */
  readonly organizationId: string | null
  /** Set when the user of the grant was impersonated while the grant was given. */
  readonly impersonation: Impersonation | undefined
  readonly authentication: GrantAuthentication
  readonly consent: CodeConsent
}

/** The administrator who impersonates the user of a grant, and the end of the impersonation in epoch milliseconds. */
export interface Impersonation {
  readonly by: string
  readonly until: number
}

/** What an exchanged token has of the one that it is exchanged for, and ends with. */
export interface Exchange {
  /** Id of the row of that token. */
  readonly from: string
  readonly sessionId: string | null
  /** Who acts, and how the person was authenticated, as the new token says it. */
  readonly claims: { readonly act: Actor; readonly [claim: string]: unknown }
  /** The application that the person signed in to. */
  readonly through: string
  /** Who acts as the person; undefined where the client acts for them. */
  readonly impersonator?: UserPrincipal
  /** The scopes that the tokens of the chain had, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/** The reads and pending writes of one request of the library; it lives as long as the request. */
export interface ProviderRequest {
  readonly source: RequestContext
  /** Network of the caller, which throttling counts by. */
  readonly networkKey: string
  readonly signedIn: SignedIn | undefined
  /** True for a test sign-in that this session began: its redirect address is the console. */
  readonly isTestSignIn: boolean
  /** Id of the code of the device that the person of this request has confirmed. */
  readonly confirmedDevice: string | undefined
  /** Codes and tokens read, by the hash of their value. */
  readonly found: Map<string, Promise<StoredArtifact | undefined>>
  /** The users that were read together with these codes and tokens, by id. */
  readonly accounts: Map<string, ArtifactUser>
  /** The grants of these codes and tokens. A grant has no row of its own: its codes and tokens hold all of it. */
  readonly grants: Map<string, GrantFacts>
  readonly inserts: ArtifactRow[]
  readonly consumes: { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: string[]
  /** The code of a device that this request makes or decides about. */
  device: DeviceChange | undefined
  /** Hash of the refresh token that this request uses and leaves as it is. */
  keeps: string | undefined
  /** Hash of the code with which this request failed; the code must not work again. */
  invalidatedCode: string | undefined
  /** The organization this sign-in is for: null for none, undefined until it is decided. */
  organizationId: string | null | undefined
  /** True when that organization requires two factors of its members. */
  organizationNeedsTwoFactors: boolean
  /** The organizations that the person agreed to have the application act for, null for all; undefined where nothing is agreed to, or nobody asked. */
  agreedOrganizations: readonly string[] | null | undefined
  /** The authentication class that this sign-in needs and the session does not have. */
  wantedAcr: string | undefined
  /** True when the sign-in continues without `wantedAcr` if the person declines the further proof. */
  isProofVoluntary: boolean
  /** True when the client sent a credential that was right but no longer counts: throttling does not count it as a guess. */
  isRightCredential: boolean
  /** Set while a token is exchanged (RFC 8693). */
  exchange: Exchange | undefined
  /** The resource that the code or token of the request is for (RFC 8707); undefined when it is for none. */
  audience: string | undefined
  /** The secret with which the client authenticated; set only where the secret signs ID tokens (HS256). */
  signingSecret: string | undefined
  /** An error that the caller did not cause; undefined for none. */
  failure: unknown
}

/** The requests under way, which our code finds again when the library calls it. */
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
