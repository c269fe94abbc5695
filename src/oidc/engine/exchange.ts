import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { meetsAcr } from '../../core/authentication-classes.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Client, Clients } from '../clients/service.ts'
import { findConsent } from '../interactions/store.ts'
import { exchangesFrom, identifierKeyOf, mayImpersonate } from '../resource-servers/rules.ts'
import { missingScopes, splitScope, standardScopes } from '../rules.ts'
import { classOf } from '../step-up/rules.ts'
import type { Subjects } from '../subjects/service.ts'
import {
  type Actor,
  accessTokenType,
  actorsOf,
  exchangedScopes,
  jwtType,
  requestProblem,
  userIdType,
} from '../token-exchange/rules.ts'
import { scopesOfPerson } from './api-tokens.ts'
import { type SentProof, takeProof } from './dpop.ts'
import { type ImpersonationDeps, startImpersonation } from './impersonation-exchange.ts'
import { isStructured, structuredMark, unmarked } from './library.ts'
import type { GrantFacts, ProviderRequests } from './requests.ts'
import { type Resources, resourcesIn } from './resources.ts'

interface Deps extends Pick<Core, 'db' | 'clock' | 'log'>, ImpersonationDeps {
  readonly issuer: string
  readonly clients: Pick<Clients, 'find'>
  readonly requests: ProviderRequests
  readonly resources: Resources
  readonly memberships: Memberships | undefined
  readonly subjects: Pick<Subjects, 'of'>
}

const invalid = (message: string) => new errors.InvalidRequest(message)

const unusable = (name: string) =>
  invalid(`${name} does not count: it is none of this server, has expired or ended, or is not for this client to exchange`)

/** The form in which the library looks up the token: a JWT gets the mark of structured tokens. */
const marked = (token: unknown) => (isStructured(String(token)) ? structuredMark + String(token) : String(token))

/** A token that is bound to a key can be exchanged only with a DPoP proof of that key. Throws invalid_request. */
const requireKeyOf = (name: string, { jkt }: { readonly jkt?: string | undefined }, proof: SentProof | undefined) => {
  if (jkt !== undefined && jkt !== proof?.thumbprint) throw invalid(`${name} is bound to a key: send the DPoP proof of that key`)
}

/** The API for which the new token is requested. Throws invalid_target. */
const requireTarget = async ({ resources, clients }: Deps, { oidc }: KoaContextWithOIDC) => {
  const client = await clients.find(oidc.client?.clientId ?? '')
  const { resource, audience } = oidc.params ?? {}
  const keys = new Set([...resourcesIn(resource), ...resourcesIn(audience)].map((one) => identifierKeyOf(one) ?? one))
  const [named] = keys
  if (named === undefined || keys.size > 1)
    throw new errors.InvalidTarget('name the one API that the token is for, in resource or audience')
  const target = await resources.require(named, client)
  if (target.api === undefined || client === undefined)
    throw new errors.InvalidTarget('tokens are exchanged for tokens of registered APIs alone (docs/how-to/apis.md)')
  const from = exchangesFrom(target.api, client)
  return { client, identifier: target.identifier, api: target.api, scopes: target.scopes, from }
}

type Target = Awaited<ReturnType<typeof requireTarget>>

/** The person's token that is to be exchanged (`subject_token`). Throws invalid_request if this client may not exchange it. */
const requireSubject = async (
  { requests, issuer }: Deps,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { client, from }: Target,
  proof: SentProof | undefined,
) => {
  const value = marked(ctx.oidc.params?.['subject_token'])
  const token = await provider.AccessToken.find(value)
  const request = requests.of(ctx.req)
  const row = (await request.found.get(sha256(unmarked(value))))?.artifact
  const facts = request.grants.get(token?.grantId ?? '')
  if (token === undefined || row === undefined || facts === undefined) throw unusable('subject_token')
  const audience = typeof row.payload['audience'] === 'string' ? row.payload['audience'] : issuer
  const isListed = from.some((one) => identifierKeyOf(one) === identifierKeyOf(audience))
  // Only the application to which a token was issued may exchange it, if the token is for no API.
  if (!isListed || (audience === issuer && row.clientId !== client.clientId)) throw unusable('subject_token')
  requireKeyOf('subject_token', token, proof)
  return { token, row, facts, audience }
}

/** The client that will act for the person. If the client sends a token of its own (`actor_token`), the new token does not outlive that token. */
const requireActor = async (
  provider: Provider,
  { oidc }: KoaContextWithOIDC,
  { client }: Target,
  proof: SentProof | undefined,
) => {
  const sent = oidc.params?.['actor_token']
  if (sent === undefined || sent === '') return { sub: client.clientId, exp: Number.POSITIVE_INFINITY }
  const token = await provider.ClientCredentials.find(marked(sent))
  if (token === undefined || token.clientId !== client.clientId) throw unusable('actor_token')
  requireKeyOf('actor_token', token, proof)
  return { sub: client.clientId, exp: token.exp ?? 0 }
}

/**
 * The claims of a token about the parties that act for the person (RFC 8693, section 4). `act` names the parties that act already.
 * `may_act` names the only party that may act next.
 */
interface Delegation {
  readonly act?: Actor
  readonly may_act?: { readonly sub?: string }
}

/**
 * The claim `may_act` for tokens of this client, if its metadata names the only party that may act. Tokens from a code and tokens from an
 * exchange get it alike.
 */
const reservedFor = ({ metadata: { mayAct } }: Client): Delegation => (mayAct === null ? {} : { may_act: { sub: mayAct } })

/** If the person has withdrawn the application's access, grants from before that time do not count any more. Throws invalid_request. */
const requireNotEnded = async ({ db }: Deps, { accountId, grantedAt = 0 }: GrantFacts, clientId: string) => {
  const consent = await findConsent(db, accountId, clientId)
  if (consent?.notBefore != null && grantedAt * 1000 <= consent.notBefore.getTime())
    throw invalid('the person has ended what this client does in their name: it may act again when they have signed in anew')
}

interface NewToken {
  readonly accountId: string
  readonly grantId: string
  readonly sessionUid: string | undefined
  readonly expiresIn: number
  readonly scope: string
  readonly proof: SentProof | undefined
}

/** Issues the new token and sends it in the answer. The token is bound to the key of the request's DPoP proof. */
const issue = async (
  { requests, log }: Deps,
  { AccessToken, ResourceServer }: Provider,
  ctx: KoaContextWithOIDC,
  { client, identifier, api }: Target,
  { scope, proof, ...fields }: NewToken,
) => {
  const { oidc } = ctx
  if (oidc.client === undefined) throw unusable('subject_token')
  const token = new AccessToken({ ...fields, client: oidc.client, gty: 'token_exchange' })
  if (scope !== '') token.scope = scope
  if (proof !== undefined) token.setThumbprint('jkt', proof.thumbprint)
  token.resourceServer = new ResourceServer(identifier, {
    ...{ scope, audience: identifier, accessTokenFormat: api.tokenFormat },
    ...(api.tokenFormat === 'jwt' ? { jwt: { sign: { alg: api.signingAlg } } } : {}),
  })
  oidc.entity('AccessToken', token)
  const value = await token.save()
  const { requestId } = requests.of(ctx.req).source
  log.info({ requestId, clientId: client.clientId, userId: fields.accountId, audience: identifier }, 'a token was exchanged')
  ctx.body = {
    ...{ access_token: value, issued_token_type: accessTokenType, token_type: token.tokenType },
    ...{ expires_in: token.expiration },
    ...(scope === '' ? {} : { scope }),
  }
}

/** Issues a token of a user to an administrator, who acts as that user at the API. The request names the user by id. */
const impersonate = async (
  deps: Deps,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  {
    target,
    proof,
    ownScopes,
  }: { readonly target: Target; readonly proof: SentProof | undefined; readonly ownScopes: readonly string[] },
) => {
  const { requests, clock, db, memberships, subjects } = deps
  const { params = {} } = ctx.oidc
  const { client, api, scopes } = target
  if (!mayImpersonate(api, client))
    throw new errors.InvalidTarget('by this client nobody acts as a user at this API: an operator allows it at the API')
  const asked = splitScope(typeof params['scope'] === 'string' ? params['scope'] : '')
  const own = ownScopes.filter((scope) => client.scopes.includes(scope) && !standardScopes.includes(scope))
  const refused = missingScopes(asked, [...own, ...scopes.map(({ name }) => name)])
  if (refused.length > 0) throw new errors.InvalidScope('the client may not ask for these scopes at the API', refused.join(' '))
  const { requireAcr } = client
  const actorToken = marked(params['actor_token'])
  const started = await startImpersonation(deps, provider, ctx, { actorToken, requireAcr, jkt: proof?.thumbprint })
  const { grantId, facts, until, sessionId, from, principal } = started
  const ofPerson = await scopesOfPerson(
    { db, memberships },
    scopes.filter(({ name }) => asked.includes(name)),
    facts,
  )
  const isOfPerson = (scope: string) => own.includes(scope) || ofPerson.some(({ name }) => name === scope)
  requests.of(ctx.req).exchange = {
    from,
    sessionId,
    through: client.clientId,
    impersonator: principal,
    claims: { ...reservedFor(client), act: { sub: await subjects.of(client, principal.user.id) } },
    before: {},
  }
  await issue(deps, provider, ctx, target, {
    ...{ accountId: facts.accountId, grantId, sessionUid: sessionId, scope: asked.filter(isOfPerson).join(' '), proof },
    expiresIn: Math.max(1, Math.min(api.tokenTtlSeconds, Math.floor((until - clock.now().getTime()) / 1000))),
  })
}

/**
 * The grant type of token exchange (RFC 8693). It exchanges a person's token for a token with another audience. The new token names the
 * party that acts.
 */
export const exchangeToken =
  (deps: Deps, provider: () => Provider, ownScopes: readonly string[]) => async (ctx: KoaContextWithOIDC) => {
    const { clock, requests, memberships, db } = deps
    const { oidc } = ctx
    const { params = {} } = oidc
    const problem = requestProblem(params)
    if (problem !== undefined) throw invalid(problem)
    const proof = await takeProof(provider(), ctx)
    const target = await requireTarget(deps, ctx)
    const { client, identifier, api } = target
    // The library's metadata of the client decide, because a security profile may also require tokens that are bound to a key.
    if (proof === undefined && oidc.client?.dpopBoundAccessTokens === true)
      throw new errors.InvalidGrant('a DPoP proof is required')
    if (params['requested_token_type'] === jwtType && api.tokenFormat !== 'jwt')
      throw invalid('requested_token_type: tokens for this API are opaque')
    if (params['subject_token_type'] === userIdType) return impersonate(deps, provider(), ctx, { target, proof, ownScopes })
    if (target.from.length === 0)
      throw new errors.InvalidTarget('this client may not exchange tokens for this API: an operator allows it at the API')
    const subject = await requireSubject(deps, provider(), ctx, target, proof)
    const actor = await requireActor(provider(), ctx, target, proof)
    const { extra = {} } = subject.token as { readonly extra?: Delegation }
    if (extra.may_act !== undefined && extra.may_act.sub !== actor.sub) throw unusable('subject_token')
    const { may_act: _, act: earlier, ...said } = extra
    const { by } = subject.facts.impersonation ?? {}
    const act = actorsOf(actor.sub, earlier, by && (await deps.subjects.of(client, by)))
    if (act === undefined) throw invalid('subject_token was exchanged too often')
    const { sessionAcr = '' } = subject.facts.authentication
    if (client.requireAcr !== null && !meetsAcr(sessionAcr, classOf(client.requireAcr))) throw unusable('subject_token')
    await requireNotEnded(deps, subject.facts, client.clientId)

    const { before = {}, through = subject.row.clientId ?? '' } = subject.row.payload as {
      readonly before?: Readonly<Record<string, readonly string[]>>
      readonly through?: string
    }
    const had = splitScope(subject.facts.scope)
    const asked = typeof params['scope'] === 'string' ? splitScope(params['scope']) : undefined
    const wanted = exchangedScopes(
      asked,
      { scopes: had, audience: subject.audience, before },
      {
        identifier,
        ofApi: target.scopes.map(({ name }) => name),
        own: ownScopes.filter((scope) => client.scopes.includes(scope)),
      },
    )
    if (wanted.refused.length > 0)
      throw new errors.InvalidScope('subject_token and client do not allow these scopes at the API', wanted.refused.join(' '))
    const ofPerson = await scopesOfPerson(
      { db, memberships },
      target.scopes.filter(({ name }) => wanted.scopes.includes(name)),
      subject.facts,
    )
    const isOfPerson = (scope: string) => ownScopes.includes(scope) || ofPerson.some(({ name }) => name === scope)

    const now = Math.floor(clock.now().getTime() / 1000)
    const expiresIn = Math.min(api.tokenTtlSeconds, (subject.token.exp ?? 0) - now, actor.exp - now)
    if (expiresIn < 1) throw unusable('subject_token')
    requests.of(ctx.req).exchange = {
      ...{ from: subject.row.id, sessionId: subject.row.sessionId, through },
      claims: { ...said, ...reservedFor(client), act },
      before: { ...before, [subject.audience]: had },
    }
    const { accountId, grantId, sessionUid } = subject.token
    await issue(deps, provider(), ctx, target, {
      ...{ accountId, grantId, sessionUid, expiresIn, proof },
      scope: wanted.scopes.filter(isOfPerson).join(' '),
    })
  }
