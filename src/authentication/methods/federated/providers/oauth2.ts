import { importPKCS8, SignJWT } from 'jose'
import { sha256 } from '../../../../core/crypto.ts'
import { parseExactJson } from '../../../../core/exact-json.ts'
import { socialErrors } from '../contract.ts'
import type { ProviderDefinition } from '../rules/definition.ts'
import { fullName, type Json, text } from '../rules/json.ts'
import { claimsIn, createIdTokenVerifier } from './id-token.ts'
import {
  type AuthorizationRequest,
  createProviderErrors,
  type IdentityProvider,
  type ProfileResponse,
  type ProviderSettings,
  readProfile,
  reasonOf,
} from './provider.ts'
import { type ClientCredentials, readTokens, requestTokens } from './token-endpoint.ts'

/** The tenant id that Microsoft uses for personal accounts. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const tenantOf = (tenantId: string): string | undefined =>
  tenantId === 'consumers' ? personalTenant : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenantId) ? tenantId : undefined

export const usesPkce = ({ section }: ProviderSettings, definition: ProviderDefinition): boolean =>
  section.pkce ?? definition.pkce === true

/** The scopes of an authorization request, without repetitions. */
const scopesOf = (definition: ProviderDefinition, { scopes }: AuthorizationRequest): string[] => [
  ...new Set([...definition.scopes, ...scopes]),
]

/**
 * The parameters of an authorization request in addition to those of RFC 6749, section 4.1.1. The code challenge follows RFC 7636,
 * section 4.2.
 */
const extraParams = (
  settings: ProviderSettings,
  definition: ProviderDefinition,
  { loginHint, codeVerifier }: AuthorizationRequest,
): Record<string, string> => ({
  ...definition.authorizationParams,
  ...settings.section.authorizationParams,
  ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  ...(usesPkce(settings, definition)
    ? { code_challenge: Buffer.from(sha256(codeVerifier), 'hex').toString('base64url'), code_challenge_method: 'S256' }
    : {}),
})

/** Makes the client secret for Apple. It is a signed token, made for each use and valid for five minutes. */
const signSecret = async ({ section, clientId, clock }: CredentialSettings): Promise<string> => {
  const { teamId = '', keyId = '', privateKey = '' } = section
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(clock.now())
    .setExpirationTime(clock.after(300))
    .sign(await importPKCS8(privateKey.replaceAll('\\n', '\n'), 'ES256'))
}

type CredentialSettings = Pick<ProviderSettings, 'section' | 'clientId' | 'clientSecret' | 'clock'>

/** The client's credentials for the token endpoint. Throws if the configured key cannot sign. */
export const credentialsOf = async (
  settings: CredentialSettings,
  { signedSecret, clientIdParam = 'client_id', clientAuth }: ProviderDefinition,
): Promise<ClientCredentials> => ({
  clientId: settings.clientId,
  clientSecret: signedSecret && settings.clientSecret === undefined ? await signSecret(settings) : settings.clientSecret,
  idParam: clientIdParam,
  basic: (settings.section.clientAuth ?? clientAuth) === 'basic',
})

/** An OAuth 2.0 provider. All differences between providers are in the definition. */
export const createOAuth2Provider = (settings: ProviderSettings, definition: ProviderDefinition): IdentityProvider => {
  const { id, section, clientId, redirectUri, outbound, clock, log } = settings
  const { userinfoUrl, userinfoMethod, clientIdParam = 'client_id' } = definition
  const failure = createProviderErrors(log, id)
  const verifyIdToken =
    definition.idToken === undefined
      ? undefined
      : createIdTokenVerifier(
          { ...definition.idToken, tenant: id === 'microsoft' ? tenantOf(section.tenantId) : undefined },
          { outbound, clock },
        )

  const toResponse = (data: Json) => readProfile(data, definition.profile)

  const request = async (params: Readonly<Record<string, string>>): Promise<Json> =>
    requestTokens(outbound, definition.tokenUrl, await credentialsOf(settings, definition), params)

  const fetchProfile = async (url: string, accessToken: string): Promise<ProfileResponse> => {
    const bearer = { authorization: `Bearer ${accessToken}` }
    const answer = await outbound.send(
      url,
      userinfoMethod === 'form'
        ? {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({ access_token: accessToken, client_id: clientId }).toString(),
          }
        : { method: userinfoMethod ?? 'GET', headers: bearer },
    )
    if (answer.status !== 200) throw new Error(`the profile endpoint answered ${answer.status}`)
    return toResponse(parseExactJson(answer.text))
  }

  /** Reads the account from the profile endpoint. If the provider has none, reads it from the verified ID token. */
  const profileOf = async (tokens: Json, nonce: string): Promise<ProfileResponse> => {
    if (userinfoUrl !== undefined) return fetchProfile(userinfoUrl, text(tokens, 'access_token') ?? '')
    const idToken = text(tokens, 'id_token')
    if (verifyIdToken === undefined || idToken === undefined) throw new Error('there is no ID token')
    return toResponse(await verifyIdToken(idToken, { audiences: [clientId], nonce }))
  }

  return {
    id,
    section,
    name: section.name ?? definition.name,
    discover: undefined,
    canRefresh: definition.noRefresh !== true,
    trustsEmail: settings.trustsEmail,
    authorizationUrl: async (authorization) => {
      const scopes = scopesOf(definition, authorization)
      const url = new URL(definition.authorizationUrl)
      const params = {
        ...extraParams(settings, definition, authorization),
        // A nonce is sent only if the profile comes from an ID token.
        ...(userinfoUrl === undefined ? { nonce: authorization.nonce } : {}),
        response_type: 'code',
        redirect_uri: redirectUri,
        ...(scopes.length === 0 ? {} : { scope: scopes.join(definition.scopeSeparator ?? ' ') }),
        state: authorization.state,
        [clientIdParam]: clientId,
      }
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
      // Some providers do not accept a plus sign in place of a blank.
      url.search = url.search.replaceAll('+', '%20')
      return url.href
    },
    redeemCode: async ({ code, state, deviceId, user }, { codeVerifier, nonce }) => {
      const tokens = await request({
        ...(definition.deviceBound && deviceId !== undefined ? { device_id: deviceId, state } : {}),
        ...(usesPkce(settings, definition) ? { code_verifier: codeVerifier } : {}),
        ...{ grant_type: 'authorization_code', redirect_uri: redirectUri, code },
      }).catch((error: unknown) => {
        throw failure('INVALID_CODE', error)
      })
      try {
        const { profile, data } = await profileOf(tokens, nonce)
        const name = profile.name ?? fullName(user, 'name.firstName', 'name.lastName')
        const kept = readTokens(tokens, clock, definition.scopes, definition.deviceBound ? deviceId : undefined)
        return { profile: { ...profile, name }, data, tokens: kept }
      } catch (error) {
        throw failure('UNABLE_TO_GET_USER_INFO', error)
      }
    },
    refresh: async ({ refreshToken = '', deviceId }) => {
      const device = definition.deviceBound && deviceId !== undefined ? { device_id: deviceId } : {}
      return readTokens(
        await request({ grant_type: 'refresh_token', refresh_token: refreshToken, ...device }),
        clock,
        [],
        undefined,
      )
    },
    loadProfile: async ({ accessToken, idToken }) => {
      try {
        if (userinfoUrl !== undefined && accessToken !== undefined) return await fetchProfile(userinfoUrl, accessToken)
        // The ID token was verified when it arrived. Its claims are as old as the sign-in.
        if (idToken !== undefined) return toResponse(claimsIn(idToken))
      } catch (error) {
        throw failure('UNABLE_TO_GET_USER_INFO', error)
      }
      throw socialErrors.error('UNABLE_TO_GET_USER_INFO')
    },
    fromIdToken:
      verifyIdToken &&
      (async (token, nonce) => {
        const claims = await verifyIdToken(token, { audiences: [clientId, ...section.audiences], nonce }).catch(
          (error: unknown) => {
            log.warn({ provider: id, reason: reasonOf(error) }, 'ID token refused')
            throw socialErrors.error('INVALID_TOKEN')
          },
        )
        return toResponse(claims)
      }),
  }
}
