import * as client from 'openid-client'
import { coreErrors } from '../../../../core/errors.ts'
import { OutboundError } from '../../../../core/fetch.ts'
import type { ProviderTokens } from '../../../../identity/identities/index.ts'
import { socialErrors } from '../contract.ts'
import { profileOf } from '../rules/definition.ts'
import { at, flag, type Json, text } from '../rules/json.ts'
import { claimsIn, createIdTokenVerifier, type IdTokenVerifier } from './id-token.ts'
import {
  createProviderErrors,
  type IdentityProvider,
  type ProfileResponse,
  type ProviderSettings,
  readProfile,
  reasonOf,
} from './provider.ts'
import { readTokens } from './token-endpoint.ts'

/** A provider's discovery document in the form of the library, and the time until which it may be used. */
interface Discovered {
  readonly configuration: client.Configuration
  readonly verify: IdTokenVerifier | undefined
  readonly until: Date
}

const discoveryTtlSeconds = 600
/** The default scopes. */
export const usualScopes = ['openid', 'profile', 'email']

/** Removes members that are null from an answer. Some servers write null for a missing member, and the library would refuse the whole answer. */
const withoutNulls = async (answer: Response): Promise<Response> => {
  const body = await answer.text()
  try {
    const members = Object.entries(JSON.parse(body) as object).filter(([, value]) => value !== null)
    return new Response(JSON.stringify(Object.fromEntries(members)), answer)
  } catch {
    return new Response(body, answer)
  }
}

const discover = async ({
  section,
  clientId,
  clientSecret,
  outbound,
  clock,
  allowHttp,
}: ProviderSettings): Promise<Discovered> => {
  const server = new URL(section.discoveryUrl ?? section.issuer ?? '')
  const auth =
    clientSecret === undefined
      ? client.None()
      : section.clientAuth === 'post'
        ? client.ClientSecretPost(clientSecret)
        : client.ClientSecretBasic(clientSecret)
  const configuration = await client.discovery(server, clientId, { [client.clockTolerance]: 15 }, auth, {
    [client.customFetch]: async (url, { method, headers, body }) => {
      const isForm = body instanceof URLSearchParams || typeof body === 'string'
      const answer = await outbound.fetch(url, { method, headers, body: isForm ? body : null })
      return isForm && answer.ok ? withoutNulls(answer) : answer
    },
    execute: allowHttp ? [client.allowInsecureRequests] : [],
  })
  // The ID token comes directly from the token endpoint, but its signature is verified all the same, because a proxy in between could
  // have changed the token.
  client.enableNonRepudiationChecks(configuration)
  const { issuer, jwks_uri: jwksUrl, authorization_endpoint: page, token_endpoint: tokens } = configuration.serverMetadata()
  // A sign-in needs both endpoints, and sends the browser to the authorization endpoint. Their URLs are therefore checked.
  for (const [name, url] of Object.entries({ authorization_endpoint: page, token_endpoint: tokens }))
    if (!/^https?:$/.test(URL.parse(url ?? '')?.protocol ?? '')) throw new Error(`the discovery document has no usable ${name}`)
  if (section.issuer !== undefined && section.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
    throw new Error('the discovery document names another issuer')
  const verify = jwksUrl === undefined ? undefined : createIdTokenVerifier({ issuers: [issuer], jwksUrl }, { outbound, clock })
  return { configuration, verify, until: clock.after(discoveryTtlSeconds) }
}

/** Reads the profile from the claims in `data`. `addressIn` are the claims from which the mail address and its verification are read. */
const toResponse = ({ section }: ProviderSettings, data: Json, addressIn = data): ProfileResponse => {
  const { claims } = section
  return readProfile(data, () =>
    profileOf(
      text(data, claims.id),
      text(data, claims.name) ?? text(data, 'preferred_username'),
      text(addressIn, claims.email),
      flag(addressIn, claims.emailVerified),
      text(data, claims.image),
    ),
  )
}

/**
 * The claims of the ID token and of the userinfo endpoint together. One of the two may be missing. If both exist, they must have the same
 * `sub`.
 */
const loadClaims = async (
  settings: ProviderSettings,
  configuration: client.Configuration,
  accessToken: string,
  claims?: Json,
): Promise<ProfileResponse> => {
  const { section } = settings
  const subject = text(claims, 'sub')
  if (claims !== undefined && subject === undefined) throw new Error('the ID token has no subject')
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return toResponse(settings, claims)
  const info = await client.fetchUserInfo(configuration, accessToken, subject ?? client.skipSubjectCheck)
  const { email, emailVerified } = section.claims
  const address = text(info, email)
  // The ID token can say that a mail address is verified only if it contains that address.
  const isTokens = address === undefined || (address === text(claims, email) && at(info, emailVerified) === undefined)
  return toResponse(settings, { ...(claims as object), ...info }, isTokens ? claims : info)
}

/** Any OpenID provider. Its endpoints are discovered. The ID token and its nonce are verified (OpenID Connect Core, section 3.1). */
export const createOpenidProvider = (settings: ProviderSettings): IdentityProvider => {
  const { id, section, clientId, redirectUri, clock, log } = settings
  const failure = createProviderErrors(log, id)
  const ownScopes = section.scopes ?? usualScopes
  const usesPkce = section.pkce !== false
  let cached: Promise<Discovered> | undefined

  /**
   * Discovers the provider. Requests that wait for the discovery share it. After a failure the next request tries again, and an expired
   * document is read again.
   */
  const discovered = async (): Promise<Discovered> => {
    const current = cached
    const found = await current?.catch(() => undefined)
    if (found !== undefined && found.until > clock.now()) return found
    if (cached === current) cached = undefined
    cached ??= discover(settings)
    return cached
  }

  const read = (answer: client.TokenEndpointResponse, scopes: readonly string[]): ProviderTokens =>
    readTokens(answer, clock, scopes, undefined)

  return {
    id,
    name: section.name ?? id,
    section,
    canRefresh: true,
    trustsEmail: settings.trustsEmail,
    discover: async () => {
      const { jwks_uri: keys, token_endpoint: token } = (await discover(settings)).configuration.serverMetadata()
      return { keys, token }
    },
    authorizationUrl: async ({ state, codeVerifier, nonce, scopes, loginHint }) => {
      const { configuration } = await discovered().catch((error: unknown) => {
        log.error({ provider: id, reason: reasonOf(error) }, 'OpenID provider not discovered')
        throw coreErrors.error('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5 })
      })
      const challenge = usesPkce
        ? { code_challenge: await client.calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' }
        : {}
      return client.buildAuthorizationUrl(configuration, {
        ...section.authorizationParams,
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...challenge,
        ...{ redirect_uri: redirectUri, scope: [...new Set([...ownScopes, ...scopes])].join(' '), state, nonce },
      }).href
    },
    redeemCode: async ({ code, state, iss }, { codeVerifier, nonce }) => {
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
          return {
            ...(await loadClaims(settings, configuration, answer.access_token, claimsIn(answer.id_token ?? ''))),
            tokens: read(answer, ownScopes),
          }
        } catch (error) {
          throw failure('UNABLE_TO_GET_USER_INFO', error)
        }
      } catch (error) {
        // If the token endpoint answers with an error, or cannot be reached, the code counts as invalid. Every other error concerns the
        // ID token, and therefore the profile.
        const { cause } = error as Error
        const isCodeError = [error, cause].some((one) => one instanceof client.ResponseBodyError || one instanceof OutboundError)
        throw failure(isCodeError ? 'INVALID_CODE' : 'UNABLE_TO_GET_USER_INFO', error)
      }
    },
    refresh: async ({ refreshToken = '' }) => {
      const { configuration } = await discovered()
      return read(await client.refreshTokenGrant(configuration, refreshToken), [])
    },
    loadProfile: async ({ accessToken = '' }) => {
      try {
        const { configuration } = await discovered()
        return await loadClaims(settings, configuration, accessToken)
      } catch (error) {
        throw failure('UNABLE_TO_GET_USER_INFO', error)
      }
    },
    fromIdToken: async (token, nonce) => {
      try {
        const { verify } = await discovered()
        if (verify === undefined) throw new Error('the provider publishes no keys')
        return toResponse(settings, await verify(token, { audiences: [clientId, ...section.audiences], nonce }))
      } catch (error) {
        log.warn({ provider: id, reason: reasonOf(error) }, 'ID token refused')
        throw socialErrors.error('INVALID_TOKEN')
      }
    },
  }
}
