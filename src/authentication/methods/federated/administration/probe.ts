import { AnswerTooLongError, type Outbound, type OutboundAnswer, OutboundError } from '../../../../core/fetch.ts'
import { type ClientCredentials, requestTokens, TokenEndpointError } from '../providers/token-endpoint.ts'

/** The result of one step of a provider test. */
export interface Finding {
  readonly outcome: 'passed' | 'doubtful' | 'failed' | 'skipped'
  readonly message: string
  readonly remedy: string | null
}

export const passed = (message: string): Finding => ({ outcome: 'passed', message, remedy: null })
export const doubtful = (message: string, remedy: string): Finding => ({ outcome: 'doubtful', message, remedy })
export const failed = (message: string, remedy: string): Finding => ({ outcome: 'failed', message, remedy })
export const skipped: Finding = { outcome: 'skipped', message: 'Not tried: a sign-in stops before this', remedy: null }

const remedyOf = (url: string, { message }: Error): string => {
  const host = URL.parse(url)?.hostname ?? url
  if (message.includes('private address')) return `If it is yours, allow it: outbound.allow: [${host}]`
  if (message.includes('is not allowed')) return 'Use its https address, or set outbound.allowHttp'
  return `See whether this machine reaches ${host}: its name, the firewall, the certificate; outbound.timeoutMs bounds the wait`
}

/** The result for a request that got no answer. Throws all errors that have another cause. */
export const unreachable = (url: string, error: unknown): Finding => {
  if (!(error instanceof OutboundError)) throw error
  return failed(`${url}: ${error.message}`, remedyOf(url, error))
}

/** Reads JSON from a URL. Returns a failed result if that is not possible. */
export const readJson = async (outbound: Outbound, url: string): Promise<Readonly<Record<string, unknown>> | Finding> => {
  let answer: OutboundAnswer
  try {
    answer = await outbound.send(url)
  } catch (error) {
    return unreachable(url, error)
  }
  if (answer.status !== 200)
    return failed(`${url} answered ${answer.status}`, 'Compare the address with the documents of the provider')
  try {
    const json: unknown = JSON.parse(answer.text)
    if (typeof json === 'object' && json !== null) return json as Readonly<Record<string, unknown>>
  } catch {
    // The result that is returned below explains the problem.
  }
  return failed(`${url} answered with something that is no JSON object`, 'Compare the address with the documents of the provider')
}

export const isFinding = (value: object): value is Finding => 'outcome' in value && 'remedy' in value

/** The types of keys that can sign ID tokens. Shared secrets (`oct`) cannot. */
const keyTypes = ['RSA', 'EC', 'OKP']

/** Checks the keys that an identity provider publishes. */
export const probeKeys = async (outbound: Outbound, url: string): Promise<Finding> => {
  const json = await readJson(outbound, url)
  if (isFinding(json)) return json
  const keys = Array.isArray(json['keys']) ? json['keys'].filter((key) => keyTypes.includes(key?.kty)) : []
  if (keys.length === 0)
    return failed(`${url} names no key that can sign ID tokens`, 'Compare the address with the documents of the provider')
  return passed(`${keys.length === 1 ? '1 key' : `${keys.length} keys`} at ${url}`)
}

/** Sends the authorization request that a browser would send, without a person who signs in. `url` is the complete URL of the request. */
export const probeAuthorization = async (outbound: Outbound, url: string, redirectUri: string): Promise<Finding> => {
  const { origin, pathname } = new URL(url)
  const address = origin + pathname
  const registered = `Look there whether the client id is right and ${redirectUri} is registered as its callback address`
  try {
    const { status, headers } = await outbound.send(url, { headers: { accept: 'text/html' } })
    const error = URL.parse(headers.get('location') ?? '', url)?.searchParams.get('error')
    if (error) return failed(`${address} refuses the request: ${error}`, registered)
    if (status >= 500) return failed(`${address} answered ${status}`, 'Try again; then ask the provider')
    if (status >= 400)
      return doubtful(`${address} answered ${status} to the request of a browser that is not signed in`, registered)
    return passed(`${address} takes the request`)
  } catch (error) {
    // A too long answer is a sign-in page, so the provider has accepted the request.
    if (error instanceof AnswerTooLongError) return passed(`${address} takes the request`)
    return unreachable(address, error)
  }
}

/** Error codes for a wrong authorization code. A token endpoint answers with them only after it has accepted the client. */
const knowClient = ['invalid_grant', 'bad_verification_code']
const knowClientNot = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials']

/** Sends a random authorization code to the token endpoint. If the endpoint refuses only the code, it has accepted the client. */
export const probeToken = async (
  outbound: Outbound,
  url: string,
  {
    credentials,
    redirectUri,
    id,
  }: { readonly credentials: ClientCredentials; readonly redirectUri: string; readonly id: string },
  params: Readonly<Record<string, string>>,
): Promise<Finding> => {
  const check = `Compare social.${id}.clientId and social.${id}.clientSecret with the values at the provider; a secret may have expired`
  try {
    await requestTokens(outbound, url, credentials, { ...params, grant_type: 'authorization_code', redirect_uri: redirectUri })
    return failed(`${url} gives tokens for a code that it never issued`, 'This is no provider to trust: compare the address')
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) return unreachable(url, error)
    const { status, error: code } = error
    const said = `${url} answered ${status}${code === undefined ? '' : ` ${code}`}`
    if (code !== undefined && knowClient.includes(code))
      return passed('It accepts the client, and refuses a code that it never issued')
    if (code === 'redirect_uri_mismatch') return failed(said, `Register ${redirectUri} there as callback address`)
    if (status === 401 || (code !== undefined && knowClientNot.includes(code)))
      return failed(`It refuses the client: ${said}`, check)
    if (status === 404 || status >= 500) return failed(said, 'Compare the address with the documents of the provider')
    return doubtful(`${said}, which says neither that it knows the client nor that it does not`, check)
  }
}
