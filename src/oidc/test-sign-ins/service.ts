import { UnsecuredJWT } from 'jose'
import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { coreErrors } from '../../core/errors.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { isBroken } from '../../core/wire.ts'
import type { Claims } from '../../identity/claims/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import { type ArtifactRow, insertArtifacts, takeCode } from '../artifacts/store.ts'
import type { Clients } from '../clients/service.ts'
import { oidcErrors } from '../contract.ts'
import { endpoints } from '../engine/documents.ts'
import { oidcEvents } from '../events.ts'
import type { FurtherMetadata } from '../metadata/contract.ts'
import { splitScope } from '../rules.ts'
import type { TestedSignIn } from './contract.ts'
import * as store from './store.ts'

/** The path of the redirect URI of test sign-ins. It is a page of the console. Applications need not register it. */
export const testSignInPath = '/admin/test-sign-in/callback'

/** The prefix of the `request_uri` of pushed requests (RFC 9126, section 2.2). */
const pushedUrn = 'urn:ietf:params:oauth:request_uri:'

/** The lifetime of a test sign-in in seconds. It is long enough for a second factor and a consent. */
const lifeSeconds = 600

/** Sign-ins with which administrators test an application as themselves (docs/design/openid-provider.md#clients). */
export interface TestSignIns {
  /** Starts a test sign-in. Throws FORBIDDEN and APPLICATION_NOT_FOUND. Throws SIGN_IN_CANNOT_BE_TESTED for a machine. */
  start(principal: Principal, clientId: string): Promise<{ readonly id: string; readonly url: string; readonly expiresAt: Date }>
  /** True if `start` has made this query of an authorization request for this session and the query was not used before. */
  open(search: string, sessionId: string): Promise<boolean>
  /**
   * Ends a test with the code that the browser brings back. Throws FORBIDDEN. Throws TEST_SIGN_IN_NOT_FOUND if the test has expired or
   * belongs to another user, or if the code comes from another sign-in.
   */
  finish(principal: Principal, id: string, code: string): Promise<z.output<typeof TestedSignIn>>
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events' | 'url'> {
  readonly clients: Pick<Clients, 'find'>
  readonly claims: Pick<Claims, 'read'>
  /** Undefined if organizations are disabled. */
  readonly memberships: Pick<Memberships, 'claimsOf'> | undefined
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/**
 * True for an application that has to push or sign its requests. The console cannot do either, because it has neither the secret nor the
 * key of the application.
 */
const isPushed = ({ profile, requirePushedAuthorizationRequests, requireSignedRequestObject }: FurtherMetadata) =>
  profile !== null || requirePushedAuthorizationRequests || requireSignedRequestObject

type Request = Readonly<Record<string, string>> & { readonly client_id: string; readonly redirect_uri: string }

/**
 * The row of an authorization request, as if the application had pushed it. The server stores the row itself, so the client need not
 * authenticate.
 */
const pushedRequest = (id: string, request: Request, issuer: string, now: number, expiresAt: Date): ArtifactRow => {
  const { client_id: clientId } = request
  const exp = Math.floor(expiresAt.getTime() / 1000)
  const jwt = new UnsecuredJWT(request).setIssuer(clientId).setAudience(issuer).setIssuedAt(now).setNotBefore(now)
  return {
    ...{ id: sha256(id), kind: 'PushedAuthorizationRequest', accountId: null, clientId, sessionId: null, grantId: null },
    payload: { iat: now, exp, request: jwt.setExpirationTime(exp).encode(), trusted: true },
    ...{ consumedAt: null, rotatedFrom: null, siblingOf: null, exchangedFrom: null, impersonatorId: null, expiresAt },
  }
}

export const createTestSignIns = (deps: Deps): TestSignIns => {
  const { db, transact, clock, random, events, url, clients, claims, memberships } = deps
  const redirectUri = `${url}${testSignInPath}`
  const notFound = () => oidcErrors.error('TEST_SIGN_IN_NOT_FOUND')

  /** Returns a user in an own session. Throws for API keys, applications and impersonations. */
  const requirePerson = (principal: Principal): UserPrincipal => {
    if (principal.kind !== 'user' || principal.session.impersonatedBy !== null || !can(principal, 'clients:update'))
      throw coreErrors.error('FORBIDDEN')
    return principal
  }

  return {
    start: async (principal, clientId) => {
      const { user, session } = requirePerson(principal)
      const client = await clients.find(clientId)
      if (client === undefined) throw oidcErrors.error('APPLICATION_NOT_FOUND')
      if (client.type === 'machine' || client.disabled) throw oidcErrors.error('SIGN_IN_CANNOT_BE_TESTED')
      const id = random.token(32)
      const request = {
        client_id: client.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        // `offline_access` is left out, because a test needs no refresh token.
        scope: splitScope(client.scope)
          .filter((scope) => client.scopes.includes(scope) && scope !== 'offline_access')
          .join(' '),
        state: id,
        // The challenge is random, and nobody knows a verifier for it. The code of a test can therefore never be redeemed at the token
        // endpoint.
        code_challenge: Buffer.from(random.bytes(32)).toString('base64url'),
        code_challenge_method: 'S256',
      }
      const expiresAt = clock.after(lifeSeconds)
      const pushed = isPushed(client.metadata) ? random.token(32) : undefined
      const sent = { client_id: clientId, redirect_uri: redirectUri, state: id, request_uri: `${pushedUrn}${pushed}` }
      const search = new URLSearchParams(pushed === undefined ? request : sent).toString()
      const now = Math.floor(clock.now().getTime() / 1000)
      await transact(async (tx) => {
        await store.insertTestSignIn(tx, {
          ...{ id, clientId, sessionId: session.id, userId: user.id, queryHash: sha256(search), openedAt: null, expiresAt },
        })
        if (pushed !== undefined) await insertArtifacts(tx, [pushedRequest(pushed, request, url, now, expiresAt)])
        await events.record(tx, principal, oidcEvents['client.sign_in_tested'], { subject: clientId, data: {} })
      })
      return { id, url: `${url}${endpoints.authorization}?${search}`, expiresAt }
    },

    open: async (search, sessionId) => {
      const id = new URLSearchParams(search).get('state') ?? ''
      if (isBroken(id)) return false
      return transact((tx) => store.openTestSignIn(tx, { id, sessionId, queryHash: sha256(search) }, clock.now()))
    },

    finish: async (principal, id, code) => {
      const { user } = requirePerson(principal)
      const now = clock.now()
      const taken = await transact(async (tx) => {
        const test = await store.takeTestSignIn(tx, { id, userId: user.id }, now)
        if (test === undefined) throw notFound()
        const { clientId } = test
        const artifact = await takeCode(tx, { id: sha256(code), accountId: user.id, clientId }, now)
        // If the code was issued for a redirect URI of the application, it does not belong to the test. The error rolls back the
        // transaction, so the application can still redeem the code.
        if (artifact?.payload['redirectUri'] !== redirectUri || artifact.payload['impersonation'] !== undefined) throw notFound()
        await events.record(tx, principal, oidcEvents['client.sign_in_test_passed'], { subject: clientId, data: {} })
        return { clientId, payload: artifact.payload }
      })
      const { clientId, payload } = taken
      const scopes = splitScope(textOf(payload['scope']) ?? '')
      const organizationId = textOf(payload['organizationId'])
      const found = await claims.read(db, { user, organizationId, clientId }, scopes)
      const own = organizationId === null ? undefined : await memberships?.claimsOf(db, user.id, organizationId)
      const { amr, authTime } = payload
      return {
        clientId,
        user: { id: user.id, name: user.name, email: user.email },
        organization: own === undefined ? null : { id: own.id, name: own.name, slug: own.slug },
        scopes,
        requested: splitScope((await clients.find(clientId))?.scope ?? ''),
        claims: found.map(({ origins, ...claim }) => ({ ...claim, origins: [...origins] })),
        isPartial: false,
        amr: Array.isArray(amr) ? amr.map(String) : [],
        acr: textOf(payload['acr']),
        authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1000) : null,
      }
    },

    retention: retentionOfRows(deps, 'tests of sign-ins', 'that are over', () => store.testSignInsBefore(clock.now())),
  }
}
