import type { Adapter, AdapterPayload } from 'oidc-provider'
import { isBanned } from '../../access/ban.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Claims } from '../../identity/claims/index.ts'
import { isInGrace, type Reader } from '../artifacts/batches.ts'
import { partOf } from '../artifacts/parts.ts'
import * as store from '../artifacts/store.ts'
import type { Client, Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import type { ConsentUsage } from '../connected/service.ts'
import { oidcEvents } from '../events.ts'
import { consentedClaims, type RequestedClaims, scopeOfClaim } from '../requested-claims.ts'
import { apiIdPrefix, type ResourceServers } from '../resource-servers/service.ts'
import { missingScopes, splitScope } from '../rules.ts'
import { applicationsOf } from '../token-exchange/rules.ts'
import { describeApi, describeClient } from './describe.ts'
import { deviceChange, foundDevice, nameOf } from './devices.ts'
import { currentContext, disabledClient, unmarked } from './library.ts'
import { mayAskAbout } from './machine-organizations.ts'
import type { GrantFacts, Impersonation, ProviderRequest, ProviderRequests } from './requests.ts'
import { type Resources, resourcesIn, spelledAlike, type Target } from './resources.ts'

interface Deps extends Pick<Core, 'transact' | 'clock' | 'events' | 'random'> {
  readonly reader: Reader
  readonly clients: Clients
  readonly requests: ProviderRequests
  readonly config: OidcConfig
  readonly consentUsage: ConsentUsage
  readonly resources: Resources
  /** Seconds after the last sign-in to a client for which the client is notified when the session ends. */
  readonly partSeconds: number
  readonly apis: Pick<ResourceServers, 'findById'>
  readonly claims: Pick<Claims, 'byScope'>
}

/** The payload of the library, with additional fields of this server. */
type Payload = AdapterPayload & {
  readonly organizationId?: string
  readonly impersonation?: Impersonation
  readonly acr?: string
  readonly amr?: readonly string[]
  readonly authTime?: number
  /** The authentication class of the session in which the person gave the grant. */
  readonly sessionAcr?: string
  /** The resource for which the token was issued (RFC 8707). */
  readonly audience?: string
  /** The resources for which a code or refresh token was issued. Their spelling is normalized for comparisons. */
  readonly resource?: string | readonly string[]
  /** The time at which the person gave the grant, in seconds since the epoch. */
  readonly grantedAt?: number
  /** The time at which the first token of the family of refresh tokens was issued, in seconds since the epoch. */
  readonly iiat?: number
  /** For an exchanged token: the scopes of the earlier tokens in its chain of exchanges, by audience. */
  readonly before?: Readonly<Record<string, readonly string[]>>
}

/** True for kinds of codes. A code can be exchanged for tokens once. */
const isCode = (kind: string) => kind === 'AuthorizationCode' || kind === 'DeviceCode'

/**
 * The session whose end also ends a code or token; null for tokens of a grant with `offline_access`. The scope of the grant decides, not
 * the scope of a refresh, because a refresh may request fewer scopes. A grant from an impersonated session never outlives that session.
 */
const sessionOf = (kind: string, payload: AdapterPayload, { grants }: ProviderRequest): string | null => {
  const grant = grants.get(payload.grantId ?? '')
  const scope = grant?.scope ?? payload.scope ?? ''
  const outlives = splitScope(scope).includes('offline_access') && !isCode(kind) && grant?.impersonation === undefined
  return payload.sessionUid === undefined || outlives ? null : payload.sessionUid
}

/**
 * The organization of a code or token. It is copied from the code or token that this request uses. For a new code it is the organization
 * that was chosen in this sign-in.
 */
const organizationOf = (payload: AdapterPayload, { grants, organizationId }: ProviderRequest) => {
  const id = grants.get(payload.grantId ?? '')?.organizationId ?? organizationId ?? null
  return id === null ? {} : { organizationId: id }
}

/** The administrator who impersonates the person, copied from the code or token of the request. A new code gets it from the session. */
const impersonationOf = ({ grantId, accountId }: AdapterPayload, { grants, signedIn }: ProviderRequest) => {
  const grant = grants.get(grantId ?? '')
  if (grant !== undefined) return grant.impersonation === undefined ? {} : { impersonation: grant.impersonation }
  if (accountId === undefined || signedIn === undefined || signedIn.session.impersonatedBy === null) return {}
  const { impersonatedBy: by, expiresAt } = signedIn.session
  return { impersonation: { by, until: expiresAt.getTime() } }
}

/**
 * The authentication class of the session in which the person gave the grant. It is copied from the code or token that this request uses.
 * For a new code it comes from the session.
 */
const sessionAcrOf = ({ grantId }: AdapterPayload, { grants, signedIn }: ProviderRequest) => {
  const sessionAcr = grants.get(grantId ?? '')?.authentication.sessionAcr ?? signedIn?.authentication.acr
  return sessionAcr === undefined ? {} : { sessionAcr }
}

/** The audience of a token, as a field of the payload. */
const audienceOf = (payload: AdapterPayload) => (typeof payload['aud'] === 'string' ? { audience: payload['aud'] } : {})

/** The time at which the person gave the grant of an access token, as a field of the payload. */
const grantedAtOf = (kind: string, { grantId }: AdapterPayload, { grants }: ProviderRequest) => {
  const grantedAt = kind === 'AccessToken' ? grants.get(grantId ?? '')?.grantedAt : undefined
  return grantedAt === undefined ? {} : { grantedAt }
}

/** The id of the row in which a code or token is stored. */
const hashOf = (kind: string, value: string): string => nameOf(kind, value) ?? sha256(unmarked(value))

const pushed = 'PushedAuthorizationRequest'
/**
 * True for kinds whose row is kept for longer than the library demands. The row of a used pushed request stays while an interaction that
 * it started may last. The row of a device code stays after the code has expired.
 */
const isKept = (kind: string) => kind === pushed || kind === 'DeviceCode'

const withoutId = ({ jti: _, kind: __, ...payload }: AdapterPayload): store.Payload => payload as store.Payload

/** Leaves out scopes that the application may not request any more. They leave the grant too, so a refresh does not bring them back. */
const withScopesOf = (client: Client | undefined, payload: Payload, targets: readonly (Target | undefined)[]): Payload => {
  if (client === undefined || payload.scope === undefined) return payload
  const ofApis = targets.flatMap((target) => target?.scopes.map(({ name }) => name) ?? [])
  const registered = client.review === 'restricted' ? [] : splitScope(client.scope)
  const allowed = ['openid', ...client.scopes, ...registered, ...ofApis]
  const scopes = splitScope(payload.scope)
  return missingScopes(scopes, allowed).length === 0
    ? payload
    : { ...payload, scope: scopes.filter((scope) => allowed.includes(scope)).join(' ') }
}

/**
 * True for an exchanged token whose chain of exchanges is broken: an earlier application in the chain was disabled, or has lost access to
 * the audiences of its token. What it could do must not continue in tokens of other applications.
 */
const isChainOver = async (
  { clients, resources }: Pick<Deps, 'clients' | 'resources'>,
  { exchangedFrom, clientId, payload }: store.ArtifactRow,
): Promise<boolean> => {
  if (exchangedFrom === null) return false
  const audiences = Object.keys((payload as Payload).before ?? {})
  for (const id of applicationsOf(payload as Payload)) {
    const client = id === clientId ? undefined : await clients.find(id)
    if (client === undefined) continue
    const targets = await Promise.all(audiences.map((audience) => resources.find(audience, client)))
    const isLost = targets.length > 0 && targets.every((target) => target === undefined)
    if (client.disabled || isLost) return true
  }
  return false
}

/** The claims that the parameter `claims` requested, without claims of scopes that the application may not request any more. */
const claimsOf = ({ claims = {} }: Payload, client: Client | undefined, scopeOf: ReadonlyMap<string, string>) =>
  consentedClaims(claims as RequestedClaims).filter((name) => client?.scopes.includes(scopeOf.get(name) ?? '') === true)

/** The row that links the client to the session of its code. The list is empty if the client is not notified of the ends of sessions. */
const partsOf = async (
  { clients, clock, partSeconds }: Deps,
  code: store.ArtifactRow | undefined,
): Promise<store.ArtifactRow[]> => {
  if (code?.kind !== 'AuthorizationCode' && code?.kind !== 'DeviceCode') return []
  const client = await clients.find(code.clientId ?? '')
  if (client === undefined || client.metadata.backchannelLogoutUri === null) return []
  return [partOf(code, clock.after(partSeconds))]
}

/** Leaves out the decision of a person if another user has signed in since. The library then shows the prompts again. */
const sameUserOnly = ({ result, ...rest }: AdapterPayload, { signedIn }: ProviderRequest): AdapterPayload => {
  const decidedBy = result?.login?.accountId
  return result === undefined || (decidedBy !== undefined && decidedBy !== signedIn?.user.id) ? rest : { ...rest, result }
}

/**
 * The payload of an interaction; undefined if the browser has resumed the interaction already. A consumed interaction that has an error
 * was denied by the person. It is returned all the same, because the library has to send the error to the application.
 */
const interactionOf = (artifact: store.ArtifactRow, uid: string, request: ProviderRequest): AdapterPayload | undefined => {
  const payload = artifact.payload as AdapterPayload
  if (artifact.consumedAt !== null && payload.result?.['error'] === undefined) return undefined
  return { ...sameUserOnly(payload, request), jti: uid, kind: artifact.kind }
}

/**
 * Stands in for a pushed request that was deleted because it was used or has expired. Without the stand-in, the library would resume an
 * interaction that no longer has its request, and issue a code.
 */
const consumedPushedRequest = (kind: string): AdapterPayload | undefined =>
  kind === pushed && currentContext()?.oidc.route === 'resume' ? { kind, consumed: true } : undefined

/** Notes facts about the grant of a code or token for the rest of the request. */
const noteGrant = (
  request: ProviderRequest,
  { artifact: { grantId, accountId, clientId }, consent }: store.StoredArtifact,
  payload: Payload,
  of: Pick<GrantFacts, 'resources' | 'claims'>,
): void => {
  if (grantId === null || accountId === null || clientId === null) return
  request.grants.set(grantId, {
    ...{ accountId, clientId, scope: payload.scope ?? '', ...of, consent },
    grantedAt: payload.grantedAt ?? payload.iiat ?? payload.iat,
    organizationId: payload.organizationId ?? null,
    impersonation: payload.impersonation,
    authentication: {
      ...{ acr: payload.acr, amr: payload.amr, authTime: payload.authTime },
      sessionAcr: payload.sessionAcr,
    },
  })
}

/** True for a token that has expired, or whose consent the person has withdrawn. */
const isOver = (payload: Payload, { artifact, consent }: store.StoredArtifact, now: Date): boolean => {
  // The library accepts expired tokens for some seconds, because the clocks of clients may differ. Tokens of this server come from its
  // own clock and need no tolerance.
  if (artifact.kind === 'AccessToken' && Number(payload.exp) * 1000 <= now.getTime()) return true
  if (payload.impersonation !== undefined && payload.impersonation.until <= now.getTime()) return true
  const { notBefore } = artifact.exchangedFrom === null ? { notBefore: null } : consent
  return notBefore !== null && (payload.grantedAt ?? 0) * 1000 <= notBefore.getTime()
}

/** The audience of a token, or the resources of a code, in the fields that the library reads. */
const targetFields = (isToken: boolean, { audience }: Payload, named: readonly string[], resources: Resources) => {
  if (isToken) return { aud: resources.isOwn(audience) ? undefined : audience }
  return named.length === 0 ? {} : { resource: named.length > 1 ? [...named] : named[0] }
}

const findGrant = (request: ProviderRequest, id: string): AdapterPayload | undefined => {
  const facts = request.grants.get(id)
  if (facts === undefined) return undefined
  const { accountId, clientId, scope, claims } = facts
  const ofResources = facts.resources.map((resource) => [resource, scope])
  return {
    ...{ jti: id, kind: 'Grant', accountId, clientId, openid: { scope, claims } },
    ...(ofResources.length === 0 ? {} : { resources: Object.fromEntries(ofResources) }),
  } as AdapterPayload
}

const current = (requests: ProviderRequests): ProviderRequest => {
  const req = currentContext()?.req
  if (req === undefined) throw new Error('the library reads or writes outside of a request')
  return requests.of(req)
}

/**
 * The storage of the library. During a request, reads are cached and writes are collected. `writer` commits the writes in one transaction
 * before the answer leaves. A code is therefore consumed and its tokens are stored, or neither happens.
 */
export const createAdapter = (deps: Deps) => {
  const { reader, transact, clock, events, random, clients, requests, config, consentUsage, resources, apis, claims } = deps
  const withoutSecret = random.token(32)
  const scopeOf = scopeOfClaim(claims.byScope)
  return (kind: string): Adapter => {
    const read = (request: ProviderRequest, id: string): Promise<store.StoredArtifact | undefined> => {
      const reading = request.found.get(id) ?? reader.find(id)
      request.found.set(id, reading)
      return reading
    }

    /**
     * The time at which a code or token was used; null if it is unused. Undefined if the row that stores the use was deleted. A refresh
     * token within its grace period counts as unused.
     */
    const usedAt = async (request: ProviderRequest, { siblingOf, ...own }: store.ArtifactRow) => {
      const at = siblingOf === null ? own.consumedAt : (await read(request, siblingOf))?.artifact.consumedAt
      const counts = at && own.kind === 'RefreshToken' && currentContext()?.oidc.route === 'token'
      return counts && isInGrace(at, clock.now(), config.refreshTokenGraceSeconds) ? null : at
    }

    const findToken = async (request: ProviderRequest, value: string): Promise<AdapterPayload | undefined> => {
      const found = await read(request, hashOf(kind, value))
      if (found === undefined || found.artifact.kind !== kind) return consumedPushedRequest(kind)
      const { artifact, user } = found
      if (kind === 'Interaction') return interactionOf(artifact, value, request)
      const consumedAt = await usedAt(request, artifact)
      if (consumedAt === undefined) return undefined
      if (artifact.accountId !== null) {
        if (user === undefined || isBanned(user, clock.now())) return undefined
        request.accounts.set(user.id, user)
      }
      const client = artifact.clientId === null ? undefined : await clients.find(artifact.clientId)
      if (artifact.clientId !== null && client?.disabled !== false) return undefined
      const stored = artifact.payload as Payload
      if (await isChainOver(deps, artifact)) return undefined
      // Codes and refresh tokens have a list of resources. Rows of earlier versions have a single audience instead of the list.
      const named = resourcesIn(stored.resource ?? spelledAlike(stored.audience))
      const targets = await Promise.all(named.map((resource) => resources.find(resource, client)))
      const isToken = artifact.kind === 'AccessToken' || artifact.kind === 'ClientCredentials'
      // The target is undefined if the API was deleted, or if the application may not request it any more.
      if (isToken && targets.includes(undefined)) return undefined
      const payload = withScopesOf(client, stored, targets)
      if (isOver(payload, found, clock.now())) return undefined
      request.audience = payload.audience
      if (kind === 'ClientCredentials' && mayAskAbout(client, payload.organizationId))
        request.organizationId = payload.organizationId
      noteGrant(request, found, payload, { resources: named, claims: claimsOf(payload, client, scopeOf) })
      return {
        ...payload,
        ...targetFields(isToken, payload, named, resources),
        jti: value,
        kind,
        ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
      }
    }

    /** The refresh token that this request consumes. It is null if the request consumes a code, because a code has no grace period. */
    const rotatedBy = async ({ consumes: [used], found }: ProviderRequest): Promise<string | null> =>
      used !== undefined && (await found.get(used.id))?.artifact.kind === 'RefreshToken' ? used.id : null

    return {
      find: async (id) => {
        if (kind === 'Client') {
          const api = id.startsWith(apiIdPrefix) ? await apis.findById(id) : undefined
          if (api !== undefined) return describeApi(api, withoutSecret)
          const client = await clients.find(id)
          // Outside of a request a disabled client is returned, because it is still notified when sessions end.
          if (client?.disabled === true && currentContext() !== undefined) throw disabledClient()
          return client === undefined ? undefined : describeClient(client, config, withoutSecret)
        }
        const request = current(requests)
        return kind === 'Grant' ? findGrant(request, id) : findToken(request, id)
      },
      upsert: async (id, payload, expiresIn = 0) => {
        if (kind === 'Grant' || kind === 'Session') return
        const request = current(requests)
        const isInteraction = kind === 'Interaction'
        const { signedIn, exchange } = request
        const clientId = isInteraction ? payload.params?.['client_id'] : payload.clientId
        // The session of the browser may change during a sign-in. `interactions` checks the session in place of the library, so the
        // payload has no session.
        const { session: _, ...rest } = withoutId(payload)
        if (kind === 'AccessToken' && payload.accountId !== undefined && payload.clientId !== undefined)
          consentUsage.note(payload.accountId, payload.clientId)
        if (kind === 'AuthorizationCode' && payload.codeChallenge === undefined && payload.clientId !== undefined)
          clients.noteWithoutPkce(payload.clientId)
        const started = { at: clock.now().getTime(), sessionId: signedIn?.session.id ?? null }
        const row: store.ArtifactRow = {
          id: hashOf(kind, id),
          kind,
          accountId: isInteraction ? null : (payload.accountId ?? null),
          clientId: typeof clientId === 'string' ? clientId : null,
          sessionId: isInteraction ? null : exchange === undefined ? sessionOf(kind, payload, request) : exchange.sessionId,
          grantId: payload.grantId ?? null,
          payload: isInteraction
            ? { ...rest, accountId: signedIn?.user.id ?? null, started, organizationId: request.organizationId }
            : {
                ...{ ...rest, ...organizationOf(payload, request), ...impersonationOf(payload, request) },
                ...sessionAcrOf(payload, request),
                ...{ ...audienceOf(payload), ...grantedAtOf(kind, payload, request) },
                ...(exchange === undefined ? {} : { through: exchange.through, before: exchange.before }),
              },
          ...{ consumedAt: null, siblingOf: null, exchangedFrom: exchange?.from ?? null, impersonatorId: null },
          rotatedFrom: kind === 'RefreshToken' ? await rotatedBy(request) : null,
          expiresAt: clock.after(expiresIn + (isKept(kind) ? 2 * config.interactionTtlSeconds : 0)),
        }
        if (kind === 'DeviceCode') request.device = deviceChange(id, payload, row, clock.now())
        else request.inserts.push(row)
      },
      consume: async (id) => {
        const request = current(requests)
        const artifact = (await request.found.get(hashOf(kind, id)))?.artifact
        request.consumes.push({ id: artifact?.siblingOf ?? hashOf(kind, id), grantId: artifact?.grantId ?? null })
        request.inserts.push(...(await partsOf(deps, artifact)))
      },
      destroy: async (id) => {
        if (kind === 'Grant' || kind === 'Session') return
        const request = current(requests)
        const hash = hashOf(kind, id)
        request.deletes.push(hash)
        // Only one request can resume an interaction, and only if the person has not denied it since this request read it.
        const isOpen = kind === 'Interaction' && (await request.found.get(hash))?.artifact.consumedAt === null
        if (isOpen) request.consumes.push({ id: hash, grantId: null })
      },
      revokeByGrantId: async (grantId) => {
        // The library calls this function once for each kind of token. The first call deletes the tokens of all kinds.
        const { grants, source, found } = current(requests)
        const isReused = currentContext()?.oidc.route === 'token'
        // A client that got its token by exchange can end only this token and the tokens that were exchanged for it. The grant belongs to
        // another client.
        const read = isReused ? [] : await Promise.all(found.values())
        if (read.some((one) => one?.artifact.grantId === grantId && one.artifact.exchangedFrom !== null)) return
        await transact(async (tx) => {
          const grant = (await store.deleteGrants(tx, [grantId])) > 0 ? grants.get(grantId) : undefined
          if (grant === undefined) return
          const { accountId: subject, clientId } = grant
          const actor = { ...source, kind: 'application', actorId: clientId }
          await events.record(tx, actor, oidcEvents['grant.revoked'], { subject, data: { clientId, isReused } })
        })
      },
      findByUid: async () => undefined,
      findByUserCode: async (userCode) => {
        const request = current(requests)
        const found = request.confirmedDevice && (await findToken(request, foundDevice + request.confirmedDevice))
        return found ? { ...found, userCode } : undefined
      },
    }
  }
}
