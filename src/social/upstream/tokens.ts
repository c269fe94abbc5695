import type { ProviderTokens } from '../../accounts/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { Outbound } from '../../core/fetch.ts'
import { at, firstText, type Json, text } from '../rules/reading.ts'

/** How a client shows at the token endpoint who it is. */
export interface ClientProof {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** Name of the client id in the body. */
  readonly idParam: string
  /** The secret goes into the Authorization header (RFC 6749, section 2.3.1). */
  readonly basic: boolean
}

/** A token endpoint's refusal; `error` is its word for it. */
export class TokenRefusal extends Error {
  constructor(status: number, error: string | undefined) {
    super(`the token endpoint answered ${status}${error === undefined ? '' : ` ${error}`}`)
    this.name = 'TokenRefusal'
  }
}

const parse = (body: string): Json => {
  try {
    return JSON.parse(body)
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

const basicOf = ({ clientId, clientSecret = '' }: ClientProof) =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`

/** One form POST to a token endpoint. Throws `TokenRefusal` when there is no access token in the answer, whatever its status. */
export const requestTokens = async (
  outbound: Outbound,
  url: string,
  proof: ClientProof,
  params: Readonly<Record<string, string>>,
): Promise<Json> => {
  const form = new URLSearchParams(params)
  if (!proof.basic) {
    form.set(proof.idParam, proof.clientId)
    if (proof.clientSecret !== undefined) form.set('client_secret', proof.clientSecret)
  }
  const answer = await outbound.send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(proof.basic ? { authorization: basicOf(proof) } : {}),
    },
    body: form.toString(),
  })
  const json = parse(answer.text)
  if (answer.status < 200 || answer.status > 299 || text(json, 'access_token') === undefined)
    throw new TokenRefusal(answer.status, text(json, 'error'))
  return json
}

const scopesOf = (json: Json): readonly string[] => {
  const scope = at(json, 'scope')
  if (Array.isArray(scope)) return scope.filter((one): one is string => typeof one === 'string')
  return typeof scope === 'string' ? scope.split(/[\s,]+/).filter((one) => one !== '') : []
}

/** Tokens of an answer; seconds of life may be numbers or text. Scopes that are not named are those asked for (RFC 6749, section 5.1). */
export const readTokens = (json: Json, clock: Clock, asked: readonly string[], deviceId: string | undefined): ProviderTokens => {
  const endOf = (...paths: readonly string[]) => {
    const seconds = Number(firstText(json, ...paths))
    return Number.isFinite(seconds) && seconds > 0 ? clock.after(seconds) : undefined
  }
  const scopes = scopesOf(json)
  return {
    accessToken: text(json, 'access_token'),
    refreshToken: text(json, 'refresh_token'),
    idToken: text(json, 'id_token'),
    accessTokenExpiresAt: endOf('expires_in'),
    refreshTokenExpiresAt: endOf('refresh_token_expires_in', 'refresh_expires_in'),
    scopes: scopes.length === 0 ? asked : scopes,
    deviceId,
  }
}
