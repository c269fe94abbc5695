import * as client from 'openid-client'
import type { ProviderTokens } from '../../accounts/index.ts'
import { coreErrors } from '../../core/errors.ts'
import { OutboundError } from '../../core/fetch.ts'
import { invalidToken, socialErrors } from '../errors.ts'
import { profileOf } from '../rules/definition.ts'
import { flag, type Json, text } from '../rules/reading.ts'
import { createIdTokenVerifier, type IdTokenVerifier } from './id-token.ts'
import { createRefusals } from './refusal.ts'
import { readTokens } from './tokens.ts'
import type { Person, Upstream, UpstreamSettings } from './types.ts'

/** What discovery found, and how long it is believed. */
interface Discovered {
  readonly configuration: client.Configuration
  readonly verify: IdTokenVerifier | undefined
  readonly until: Date
}

const believedSeconds = 600
const usualScopes = ['openid', 'profile', 'email']

/** Any OpenID provider: its addresses are discovered, the ID token and its nonce verified (OpenID Connect Core, section 3.1). */
export const createOpenidProvider = (settings: UpstreamSettings): Upstream => {
  const { id, section, clientId, clientSecret, redirectUri, outbound, clock, log, allowHttp } = settings
  const refusal = createRefusals(log, id)
  const asked = section.scopes ?? usualScopes
  const usesPkce = section.pkce !== false
  let known: Promise<Discovered> | undefined

  const discover = async (): Promise<Discovered> => {
    const server = new URL(section.discoveryUrl ?? section.issuer ?? '')
    const auth =
      clientSecret === undefined
        ? client.None()
        : section.clientAuth === 'post'
          ? client.ClientSecretPost(clientSecret)
          : client.ClientSecretBasic(clientSecret)
    const configuration = await client.discovery(server, clientId, { [client.clockTolerance]: 15 }, auth, {
      [client.customFetch]: (url, { method, headers, body }) =>
        outbound.fetch(url, { method, headers, body: body instanceof URLSearchParams || typeof body === 'string' ? body : null }),
      execute: allowHttp ? [client.allowInsecureRequests] : [],
    })
    // The signature too, although the ID token comes from the token endpoint itself: a proxy in between must not write one.
    client.enableNonRepudiationChecks(configuration)
    const { issuer, jwks_uri: jwksUrl } = configuration.serverMetadata()
    if (section.issuer !== undefined && section.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new Error('the discovery document names another issuer')
    const verify = jwksUrl === undefined ? undefined : createIdTokenVerifier({ issuers: [issuer], jwksUrl }, { outbound, clock })
    return { configuration, verify, until: clock.after(believedSeconds) }
  }

  /** One discovery at a time; a failed one is tried again by the next request, an old one is renewed. */
  const discovered = async (): Promise<Discovered> => {
    const current = known
    const found = await current?.catch(() => undefined)
    if (found !== undefined && found.until > clock.now()) return found
    if (known === current) known = undefined
    known ??= discover()
    return known
  }

  const toPerson = (data: Json): Person => {
    const { claims } = section
    const profile = profileOf(
      text(data, claims.id),
      text(data, claims.name) ?? text(data, 'preferred_username'),
      text(data, claims.email),
      flag(data, claims.emailVerified),
      text(data, claims.image),
    )
    if (profile === undefined) throw socialErrors.refuse('UNABLE_TO_GET_USER_INFO')
    return { profile, data }
  }

  /** Claims of the ID token, with those of the userinfo endpoint when there is one; it must speak of the same subject. */
  const gather = async (configuration: client.Configuration, accessToken: string, claims: Json): Promise<Person> => {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return toPerson(claims)
    const info = await client.fetchUserInfo(configuration, accessToken, text(claims, 'sub') ?? client.skipSubjectCheck)
    return toPerson({ ...(claims as object), ...info })
  }

  const read = (answer: client.TokenEndpointResponse, scopes: readonly string[]): ProviderTokens =>
    readTokens(answer, clock, scopes, undefined)

  return {
    id,
    name: section.name ?? id,
    section,
    canRefresh: true,
    trustsEmail: settings.trustsEmail,
    authorizationUrl: async ({ state, codeVerifier, nonce, scopes, loginHint }) => {
      const { configuration } = await discovered().catch((error: unknown) => {
        log.error({ provider: id, reason: (error as Error).message }, 'OpenID provider not discovered')
        throw coreErrors.refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
      })
      const challenge = usesPkce
        ? { code_challenge: await client.calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' }
        : {}
      return client.buildAuthorizationUrl(configuration, {
        ...section.authorizationParams,
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...challenge,
        ...{ redirect_uri: redirectUri, scope: [...new Set([...asked, ...scopes])].join(' '), state, nonce },
      }).href
    },
    arrive: async ({ code, state, iss }, { codeVerifier, nonce }) => {
      const url = new URL(redirectUri)
      for (const [name, value] of Object.entries({ code, state, iss })) if (value !== undefined) url.searchParams.set(name, value)
      try {
        const { configuration } = await discovered()
        const answer = await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
          ...(usesPkce ? { pkceCodeVerifier: codeVerifier } : {}),
        })
        try {
          return { ...(await gather(configuration, answer.access_token, answer.claims())), tokens: read(answer, asked) }
        } catch (error) {
          throw refusal('UNABLE_TO_GET_USER_INFO', error)
        }
      } catch (error) {
        // A token endpoint that refuses or is away says nothing about the person; an ID token that does not verify does.
        const { cause } = error as Error
        const isRefused = [error, cause].some((one) => one instanceof client.ResponseBodyError || one instanceof OutboundError)
        throw refusal(isRefused ? 'INVALID_CODE' : 'UNABLE_TO_GET_USER_INFO', error)
      }
    },
    refresh: async ({ refreshToken = '' }) => {
      const { configuration } = await discovered()
      return read(await client.refreshTokenGrant(configuration, refreshToken), [])
    },
    person: async ({ accessToken = '' }) => {
      try {
        const { configuration } = await discovered()
        return await gather(configuration, accessToken, {})
      } catch (error) {
        throw refusal('UNABLE_TO_GET_USER_INFO', error)
      }
    },
    fromIdToken: async (token, nonce) => {
      try {
        const { verify } = await discovered()
        if (verify === undefined) throw new Error('the provider publishes no keys')
        return toPerson(await verify(token, { audiences: [clientId, ...section.audiences], nonce }))
      } catch (error) {
        log.warn({ provider: id, reason: (error as Error).message }, 'ID token refused')
        throw invalidToken()
      }
    },
  }
}
