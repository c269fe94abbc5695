import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Transact } from '../../core/database.ts'
import type { Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import type { Reader } from '../models/reader.ts'
import * as store from '../models/store.ts'
import { isInGrace, splitScope } from '../rules.ts'
import { disabledClient } from './refusals.ts'
import type { EngineRequest, EngineRequests } from './request.ts'
import { describeClient } from './settings.ts'

interface Deps {
  readonly reader: Reader
  readonly transact: Transact
  readonly clock: Clock
  readonly clients: Clients
  readonly requests: EngineRequests
  readonly config: OidcConfig
  readonly sourceScopes: readonly string[]
}

/** What is kept beside the library's own. */
type Payload = AdapterPayload & { readonly organizationId?: string }

/**
 * Codes, and tokens that may not outlive the sign-in, end with the gatehouse session. What was authorized decides, not what a refresh asks
 * for: it may ask for less.
 */
const sessionOf = (kind: string, payload: AdapterPayload, { grants }: EngineRequest): string | null => {
  const scope = grants.get(payload.grantId ?? '')?.scope ?? payload.scope ?? ''
  const outlives = splitScope(scope).includes('offline_access') && kind !== 'AuthorizationCode'
  return payload.sessionUid === undefined || outlives ? null : payload.sessionUid
}

/** Which organization a code or token is for. What is given for another one has it from there: it lasts as long as the family. */
const organizationOf = (payload: AdapterPayload, { grants, organizationId }: EngineRequest) => {
  const id = grants.get(payload.grantId ?? '')?.organizationId ?? organizationId ?? null
  return id === null ? {} : { organizationId: id }
}

const pushed = 'PushedAuthorizationRequest'

const withoutId = ({ jti: _, kind: __, ...payload }: AdapterPayload): store.Payload => payload as store.Payload

/** What a person decided counts only while the same user is signed in: else the questions are asked again. */
const sameUserOnly = ({ result, ...rest }: AdapterPayload, { signedIn }: EngineRequest): AdapterPayload => {
  const decidedBy = result?.login?.accountId
  return result === undefined || (decidedBy !== undefined && decidedBy !== signedIn?.user.id) ? rest : { ...rest, result }
}

/**
 * A sign-in under way. One that is used up has been refused, which the library still has to tell the application, or the browser has gone
 * on with it elsewhere.
 */
const interactionOf = (model: store.ModelRow, uid: string, request: EngineRequest): AdapterPayload | undefined => {
  const payload = model.payload as AdapterPayload
  if (model.consumedAt !== null && payload.result?.['error'] === undefined) return undefined
  return { ...sameUserOnly(payload, request), jti: uid, kind: model.kind }
}

/**
 * The library lets a sign-in go on whose pushed request is gone. One that is gone has been used, or was kept too long: both give no code.
 */
const goneOf = (kind: string): AdapterPayload | undefined =>
  kind === pushed && Provider.ctx?.oidc.route === 'resume' ? { kind, consumed: true } : undefined

const isAtAuthorization = () => ['authorization', 'resume'].includes(Provider.ctx?.oidc.route ?? '')

const current = (requests: EngineRequests): EngineRequest => {
  const req = Provider.ctx?.req
  if (req === undefined) throw new Error('the library was asked outside of a request')
  return requests.of(req)
}

/**
 * The library's storage. Reads are remembered and writes collected while a request lasts; `writer` commits them in one transaction
 * before the answer leaves, so a code is consumed and its tokens exist, or neither.
 */
export const createAdapter =
  ({ reader, transact, clock, clients, requests, sourceScopes, config }: Deps) =>
  (kind: string): Adapter => {
    const read = (request: EngineRequest, id: string): Promise<store.FoundModel | undefined> => {
      const reading = request.found.get(id) ?? reader.find(id)
      request.found.set(id, reading)
      return reading
    }

    /** When it was used, null for not yet; undefined when the row that says so is gone. Within its grace a refresh token is not used yet. */
    const usedAt = async (request: EngineRequest, { siblingOf, ...own }: store.ModelRow): Promise<Date | null | undefined> => {
      const at = siblingOf === null ? own.consumedAt : (await read(request, siblingOf))?.model.consumedAt
      const counts = at && own.kind === 'RefreshToken' && Provider.ctx?.oidc.route === 'token'
      return counts && isInGrace(at, clock.now(), config.refreshTokenGraceSeconds) ? null : at
    }

    const findToken = async (request: EngineRequest, value: string): Promise<AdapterPayload | undefined> => {
      const found = await read(request, sha256(value))
      if (found === undefined || found.model.kind !== kind) return goneOf(kind)
      const { model, user } = found
      if (kind === 'Interaction') return interactionOf(model, value, request)
      const consumedAt = await usedAt(request, model)
      if (consumedAt === undefined) return undefined
      if (model.accountId !== null) {
        if (user === undefined) return undefined
        request.accounts.set(user.id, user)
      }
      if (model.clientId !== null && (await clients.find(model.clientId))?.disabled !== false) return undefined
      const payload = model.payload as Payload
      if (model.grantId !== null && model.accountId !== null && model.clientId !== null)
        request.grants.set(model.grantId, {
          accountId: model.accountId,
          clientId: model.clientId,
          scope: payload.scope ?? '',
          organizationId: payload.organizationId ?? null,
        })
      return {
        ...payload,
        jti: value,
        kind,
        ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
      }
    }

    /** The refresh token that this request uses up. A code is none: it has no grace. */
    const rotatedBy = async ({ consumes: [used], found }: EngineRequest): Promise<string | null> =>
      used !== undefined && (await found.get(used.id))?.model.kind === 'RefreshToken' ? used.id : null

    const findGrant = (request: EngineRequest, id: string): AdapterPayload | undefined => {
      const facts = request.grants.get(id)
      if (facts === undefined) return undefined
      const { accountId, clientId, scope } = facts
      return { jti: id, kind: 'Grant', accountId, clientId, openid: { scope } } as AdapterPayload
    }

    return {
      find: async (id) => {
        if (kind === 'Client') {
          const client = await clients.find(id)
          if (client?.disabled === true) throw disabledClient(isAtAuthorization())
          return client === undefined ? undefined : describeClient(client, sourceScopes, config.requirePkce)
        }
        const request = current(requests)
        return kind === 'Grant' ? findGrant(request, id) : findToken(request, id)
      },
      upsert: async (id, payload, expiresIn = 0) => {
        if (kind === 'Grant' || kind === 'Session') return
        const request = current(requests)
        const isInteraction = kind === 'Interaction'
        const { signedIn } = request
        const clientId = isInteraction ? payload.params?.['client_id'] : payload.clientId
        // The browser's session may change while somebody signs in; `interactions` decides about that, not the library.
        const { session: _, ...rest } = withoutId(payload)
        const began = { at: clock.now().getTime(), sessionId: signedIn?.session.id ?? null }
        request.inserts.push({
          id: sha256(id),
          kind,
          accountId: isInteraction ? null : (payload.accountId ?? null),
          clientId: typeof clientId === 'string' ? clientId : null,
          sessionId: isInteraction ? null : sessionOf(kind, payload, request),
          grantId: payload.grantId ?? null,
          payload: isInteraction
            ? { ...rest, accountId: signedIn?.user.id ?? null, began, organizationId: request.organizationId }
            : { ...rest, ...organizationOf(payload, request) },
          consumedAt: null,
          rotatedFrom: kind === 'RefreshToken' ? await rotatedBy(request) : null,
          siblingOf: null,
          // A pushed request says that it was used for as long as somebody may sign in and agree with it.
          expiresAt: clock.after(kind === pushed ? expiresIn + 2 * config.interactionTtlSeconds : expiresIn),
        })
      },
      consume: async (id) => {
        const request = current(requests)
        const model = (await request.found.get(sha256(id)))?.model
        request.consumes.push({ id: model?.siblingOf ?? sha256(id), grantId: model?.grantId ?? null })
      },
      destroy: async (id) => {
        if (kind === 'Grant' || kind === 'Session') return
        const request = current(requests)
        const hash = sha256(id)
        request.deletes.push(hash)
        // A browser goes on with a sign-in once, and only if nobody has refused it since it was read.
        const isFree = kind === 'Interaction' && (await request.found.get(hash))?.model.consumedAt === null
        if (isFree) request.consumes.push({ id: hash, grantId: null })
      },
      revokeByGrantId: async (grantId) => {
        await transact((tx) => store.deleteGrants(tx, [grantId]))
      },
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }
