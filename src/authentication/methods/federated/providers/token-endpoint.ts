import type { Clock } from '../../../../core/clock.ts'
import { parseExactJson } from '../../../../core/exact-json.ts'
import type { Outbound } from '../../../../core/fetch.ts'
import { daySeconds } from '../../../../core/time.ts'
import type { ProviderTokens } from '../../../../identity/identities/index.ts'
import { at, firstText, type Json, text } from '../rules/json.ts'

/** The credentials with which a client authenticates at the token endpoint (RFC 6749, section 2.3.1). */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The parameter name of the client id in the body. */
  readonly idParam: string
  /** True if the secret is sent in the header `Authorization`, false if it is sent in the body. */
  readonly basic: boolean
}

/** An error answer of a token endpoint. `error` is its code (RFC 6749, section 5.2). */
export class TokenEndpointError extends Error {
  readonly status: number
  readonly error: string | undefined
  constructor(status: number, error: string | undefined) {
    super(`the token endpoint answered ${status}${error === undefined ? '' : ` ${error}`}`)
    this.name = 'TokenEndpointError'
    this.status = status
    this.error = error
  }
}

const parse = (body: string): Json => {
  try {
    return parseExactJson(body)
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

const basicOf = ({ clientId, clientSecret = '' }: ClientCredentials) =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`

/** Posts a form to a token endpoint. Throws `TokenEndpointError` for an answer without an access token, whatever its status. */
export const requestTokens = async (
  outbound: Outbound,
  url: string,
  credentials: ClientCredentials,
  params: Readonly<Record<string, string>>,
): Promise<Json> => {
  const form = new URLSearchParams(params)
  if (!credentials.basic) {
    form.set(credentials.idParam, credentials.clientId)
    if (credentials.clientSecret !== undefined) form.set('client_secret', credentials.clientSecret)
  }
  const answer = await outbound.send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(credentials.basic ? { authorization: basicOf(credentials) } : {}),
    },
    body: form.toString(),
  })
  const json = parse(answer.text)
  if (answer.status < 200 || answer.status > 299 || text(json, 'access_token') === undefined)
    throw new TokenEndpointError(answer.status, text(json, 'error'))
  return json
}

const scopesOf = (json: Json): readonly string[] => {
  const scope = at(json, 'scope')
  if (Array.isArray(scope)) return scope.filter((one): one is string => typeof one === 'string')
  return typeof scope === 'string' ? scope.split(/[\s,]+/).filter((one) => one !== '') : []
}

/** A thousand years. With a longer lifetime, the time of expiry could be too late for a JavaScript date. */
const longestLifeSeconds = 365_000 * daySeconds

/**
 * Reads the tokens in an answer. The lifetime in seconds may be a number or text. If the answer lists no scopes, the requested scopes
 * were granted (RFC 6749, section 5.1).
 */
export const readTokens = (
  json: Json,
  clock: Clock,
  requested: readonly string[],
  deviceId: string | undefined,
): ProviderTokens => {
  const endOf = (...paths: readonly string[]) => {
    const seconds = Number(firstText(json, ...paths))
    return seconds > 0 && seconds < longestLifeSeconds ? clock.after(seconds) : undefined
  }
  const scopes = scopesOf(json)
  return {
    accessToken: text(json, 'access_token'),
    refreshToken: text(json, 'refresh_token'),
    idToken: text(json, 'id_token'),
    accessTokenExpiresAt: endOf('expires_in'),
    refreshTokenExpiresAt: endOf('refresh_token_expires_in', 'refresh_expires_in'),
    scopes: scopes.length === 0 ? requested : scopes,
    deviceId,
  }
}
