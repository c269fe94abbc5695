import type OAuth2Strategy from 'passport-oauth2'
import { sha256 } from '../../core/crypto.ts'
import type { ProviderDefinition } from '../rules/definition.ts'
import { fullName, type Json } from '../rules/reading.ts'
import { createRefusals } from './refusal.ts'
import { innerClient, knownState, runStrategy } from './run-strategy.ts'
import { type ClientProof, readTokens, requestTokens } from './tokens.ts'
import type { FlowSecrets, Person, Upstream, UpstreamSettings } from './types.ts'

/** One run of a strategy: it belongs to one request, and what it learns with it. */
export interface StrategyRun {
  readonly options: OAuth2Strategy.StrategyOptions
  readonly verify: OAuth2Strategy.VerifyFunction
  readonly flow: FlowSecrets
  /** What the token endpoint answered in this run. */
  readonly answer: () => Json
}

/** What differs between strategies over passport-oauth2. */
export interface StrategyKind {
  readonly create: (run: StrategyRun) => OAuth2Strategy
  /** The person in what the strategy hands out as profile. Throws UNABLE_TO_GET_USER_INFO. */
  readonly toPerson: (profile: unknown) => Person
  /** How the client proves itself; signing takes time. */
  readonly proof: () => Promise<ClientProof>
  readonly person: Upstream['person']
  readonly fromIdToken: Upstream['fromIdToken']
  /** Sends a nonce, because ID tokens come back. */
  readonly sendsNonce: boolean
}

/** `code_challenge` of a verifier (RFC 7636, section 4.2). */
const challengeOf = (codeVerifier: string) => ({
  code_challenge: Buffer.from(sha256(codeVerifier), 'hex').toString('base64url'),
  code_challenge_method: 'S256',
})

/** A provider driven by a passport strategy. */
export const createStrategyUpstream = (
  settings: UpstreamSettings,
  definition: ProviderDefinition,
  kind: StrategyKind,
): Upstream => {
  const { id, section, clientId, clientSecret = '', redirectUri, outbound, clock, log } = settings
  const refusal = createRefusals(log, id)
  const usesPkce = section.pkce ?? definition.pkce === true

  /** The strategy, and what the token endpoint answered it once it has. */
  const prepare = (flow: FlowSecrets) => {
    let answer: Json
    const strategy = kind.create({
      flow,
      answer: () => answer,
      options: {
        clientID: clientId,
        clientSecret,
        callbackURL: redirectUri,
        authorizationURL: definition.authorizationUrl,
        tokenURL: definition.tokenUrl,
        ...(definition.scopes.length === 0 ? {} : { scope: [...definition.scopes] }),
        scopeSeparator: definition.scopeSeparator ?? ' ',
        store: knownState(usesPkce ? flow.codeVerifier : true) as unknown as OAuth2Strategy.StateStore,
      },
      // Five parameters: passport-oauth2 counts them.
      verify: (_access: string, _refresh: string, _answer: object, profile: unknown, done: OAuth2Strategy.VerifyCallback) =>
        done(null, { profile }),
    })
    const client = innerClient(strategy)
    const redeem = client.getOAuthAccessToken.bind(client)
    client.getOAuthAccessToken = (code, params, done) =>
      redeem(code, params, (error, access, refresh, rest) => {
        if (!error && typeof access === 'string') answer = { ...(rest as object), access_token: access, refresh_token: refresh }
        done(error, access, refresh, rest)
      })
    return { strategy, answer: () => answer }
  }

  return {
    id,
    name: section.name ?? definition.name,
    section,
    canRefresh: definition.noRefresh !== true,
    trustsEmail: settings.trustsEmail,
    person: kind.person,
    fromIdToken: kind.fromIdToken,
    authorizationUrl: async ({ state, scopes, loginHint, ...flow }) => {
      const { strategy } = prepare(flow)
      strategy.authorizationParams = () => ({
        ...definition.authorizationParams,
        ...section.authorizationParams,
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(usesPkce ? challengeOf(flow.codeVerifier) : {}),
        ...(kind.sendsNonce ? { nonce: flow.nonce } : {}),
      })
      const scope = [...new Set([...definition.scopes, ...scopes])]
      const result = await runStrategy(strategy, { query: {} }, scope.length === 0 ? { state } : { state, scope })
      if (result.kind !== 'redirect') throw new Error('the strategy did not redirect')
      if (definition.clientIdParam === undefined) return result.url
      const url = new URL(result.url)
      url.searchParams.delete('client_id')
      url.searchParams.set(definition.clientIdParam, clientId)
      return url.href
    },
    arrive: async ({ code, state, deviceId, user }, flow) => {
      const { strategy, answer } = prepare(flow)
      try {
        const tokenParams = definition.deviceBound && deviceId !== undefined ? { device_id: deviceId, state } : {}
        strategy.tokenParams = () => ({ ...tokenParams })
        const result = await runStrategy<{ profile: unknown }>(strategy, { query: { code, state } }, {})
        if (result.kind !== 'user') throw new Error('the strategy redirected')
        const person = kind.toPerson(result.user.profile)
        const name = person.profile.name ?? fullName(user, 'name.firstName', 'name.lastName')
        return {
          ...person,
          profile: { ...person.profile, name },
          tokens: readTokens(answer(), clock, definition.scopes, definition.deviceBound ? deviceId : undefined),
        }
      } catch (error) {
        throw refusal(answer() === undefined ? 'INVALID_CODE' : 'UNABLE_TO_GET_USER_INFO', error)
      }
    },
    refresh: async ({ refreshToken = '', deviceId }) => {
      const params = {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        ...(definition.deviceBound && deviceId !== undefined ? { device_id: deviceId } : {}),
      }
      return readTokens(await requestTokens(outbound, definition.tokenUrl, await kind.proof(), params), clock, [], undefined)
    },
  }
}
