/**
 * The undocumented parts of oidc-provider that this server uses, as of version 9.13.3. After an upgrade `test/unit/oidc-library.test.ts`
 * reports what has changed.
 */
import type { IncomingMessage } from 'node:http'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type AdapterPayload, type Client, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Secrets } from '../../core/crypto.ts'
import { systemRandom } from '../../core/random.ts'
import { deviceConfirmation } from '../device/library.ts'
import { deviceGrant } from '../rules.ts'
import { assertionProblems } from './assertions.ts'

export const libraryVersion = '9.13.3'

/** The request that the library handles now; undefined outside of a request. The library does not pass it to the storage adapter. */
export const currentContext = (): KoaContextWithOIDC | undefined => Provider.ctx

/** The signed-in session, with the fields that the library expects. */
interface SessionFields {
  readonly id: string
  readonly accountId: string
  /** The time, the methods and the authentication class of the user's sign-in. */
  readonly at: Date
  readonly amr: readonly string[]
  readonly acr: string
}

/** Makes the library take its session from `find`. The session is never stored, and answers to prompts do not change it. */
export const replaceSessions = (
  provider: Provider,
  find: (ctx: { readonly req: IncomingMessage }) => SessionFields | undefined,
): void => {
  const inState = { secret: deviceConfirmation.xsrf }
  provider.Session.get = async (ctx) => {
    const fields = find(ctx)
    const session = new provider.Session()
    if (fields !== undefined)
      Object.assign(session, {
        jti: fields.id,
        uid: fields.id,
        accountId: fields.accountId,
        loginTs: Math.floor(fields.at.getTime() / 1000),
        acr: fields.acr,
        ...(fields.amr.length === 0 ? {} : { amr: fields.amr }),
      })
    // The library expects a token of its own form here. The person has confirmed on a page of this server, so the token is supplied.
    if (ctx['oidc'].route === 'code_verification') Object.assign(session, { state: inState })
    ctx['oidc'].entity('Session', session)
    return session
  }
  provider.Session.prototype.save = async function save() {
    Object.assign(this, { touched: false })
    return this.jti
  }
  Object.assign(provider.Session.prototype, { loginAccount: () => {}, persist: async () => {} })
}

/** The name of a client metadata field that only this server knows. It has all valid secrets. The library knows only the first of them. */
export const secretsProperty = 'gatehouse_secrets'

interface SymmetricKey {
  readonly alg: string
  readonly use: string
  readonly kty: string
  readonly k: string
}
interface SymmetricKeys {
  add(key: SymmetricKey): void
  selectForSign(options: object): readonly SymmetricKey[]
}

/** The library knows one secret of a client. Here every valid secret verifies ID tokens, and the secret of the request signs new ID tokens. */
const addSecrets = (client: Client, signingSecret: () => string | undefined): void => {
  const keys = (client as Client & { readonly symmetricKeyStore: SymmetricKeys }).symmetricKeyStore
  const keyOf = (secret: string): SymmetricKey => ({
    ...{ alg: 'HS256', use: 'sig', kty: 'oct' },
    k: Buffer.from(secret).toString('base64url'),
  })
  const [, ...others] = (client[secretsProperty] ?? []) as readonly string[]
  for (const secret of others) keys.add(keyOf(secret))
  const select = keys.selectForSign.bind(keys)
  keys.selectForSign = (options) => {
    const secret = signingSecret()
    return secret === undefined ? select(options) : [keyOf(secret)]
  }
}

interface ClientSource {
  /** Returns an object that stands for the client, and is replaced when the client changes. Undefined if the library has to find the client. */
  readonly find: (id: unknown) => Promise<object | undefined>
  readonly isSecret: (clientId: string, secret: string) => Promise<boolean>
  /** The secret with which the client authenticated in this request. Undefined if there is none, or if it signs no ID tokens. */
  readonly signingSecret: () => string | undefined
  /** The keys at the client's `jwks_uri` that may verify a token with this `kid`. A thrown error becomes the answer to the request. */
  readonly keysFor: (client: Client, kid: string | undefined) => Promise<readonly object[]>
}

interface AsymmetricKeys {
  clear(): void
  add(key: object): void
  fresh(): boolean
}

const kidOf = (token: string): string | undefined => {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    return undefined
  }
}

/** Gives the library the keys of a client, before the library would fetch them by its own rules. */
const giveKeys = async (client: Client, keysFor: ClientSource['keysFor']): Promise<void> => {
  const { client_assertion: assertion, request } = currentContext()?.oidc?.params ?? {}
  const token = assertion ?? request
  if (client.jwksUri === undefined || typeof token !== 'string') return
  const store = (client as Client & { readonly asymmetricKeyStore: AsymmetricKeys }).asymmetricKeyStore
  const keys = await keysFor(client, kidOf(token))
  store.fresh = () => true
  store.clear()
  for (const key of keys) store.add({ ...key })
}

/** The library validates and hashes a client at each look-up. With this cache, it does both once for each object that `find` returns. */
export const cacheClients = (provider: Provider, { find, isSecret, signingSecret, keysFor }: ClientSource): void => {
  const findInLibrary = provider.Client.find.bind(provider.Client)
  const described = new WeakMap<object, Client>()
  const prepared = new WeakSet<Client>()
  const findClient = async (id: string): Promise<Client | undefined> => {
    const key = await find(id)
    const known = key === undefined ? undefined : described.get(key)
    if (known !== undefined) return known
    const fresh = await findInLibrary(id)
    // The library may return an equal object to two simultaneous requests. Its secrets are added once.
    if (fresh?.[secretsProperty] !== undefined && !prepared.has(fresh)) {
      prepared.add(fresh)
      addSecrets(fresh, signingSecret)
    }
    if (key !== undefined && fresh !== undefined) described.set(key, fresh)
    return fresh
  }
  provider.Client.find = async (id) => {
    const client = await findClient(id)
    if (client !== undefined) await giveKeys(client, keysFor)
    return client
  }
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: Client, secret: string) {
      return isSecret(this.clientId, secret)
    },
  })
}

/** Makes the library accept one more redirect URI of every client, if `isAccepted` allows the URI in the current request. */
export const acceptRedirects = (provider: Provider, isAccepted: (ctx: KoaContextWithOIDC, address: string) => boolean): void => {
  const ofClient = provider.Client.prototype.redirectUriAllowed
  Object.assign(provider.Client.prototype, {
    redirectUriAllowed(this: Client, address: string) {
      const ctx = currentContext()
      return ofClient.call(this, address) || (ctx !== undefined && isAccepted(ctx, address))
    },
  })
}

/**
 * A prefix for access tokens that are JWTs. The library refuses to look up a JWT, and the prefix hides from it that the token is one.
 * Only this process knows the prefix. A client therefore cannot send a token with the prefix, and each token has only one hash.
 */
export const structuredMark = `.${systemRandom.token(32)}`

/** Removes the prefix `structuredMark` from a token. */
export const unmarked = (token: string): string => (token.startsWith(structuredMark) ? token.slice(structuredMark.length) : token)

/** True for a token that the library would read as a JWT. */
export const isStructured = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/** Makes the library store access tokens that are JWTs, so that they can be introspected and revoked, and end with their grant. */
export const storeStructuredTokens = (provider: Provider): void => {
  for (const Model of [provider.AccessToken, provider.ClientCredentials]) {
    const { save } = Model.prototype
    const fields = Model.IN_PAYLOAD
    Object.assign(Model.prototype, {
      async save(this: InstanceType<typeof Model>) {
        const value = await save.call(this)
        if (this.format !== 'jwt') return value
        const { iat, exp } = decodeJwt(value)
        const token: Readonly<Record<string, unknown>> = { ...this, ...{ iat, exp } }
        const payload = Object.fromEntries(fields.map((name) => [name, token[name]]).filter(([, field]) => field !== undefined))
        await this.adapter.upsert(structuredMark + value, payload as AdapterPayload, this.expiration)
        return value
      },
    })
  }
}

interface ClientHooks {
  /** Called at the authorization endpoint and for pushed requests, before the library checks the scopes. */
  readonly onAuthorization: (ctx: KoaContextWithOIDC, client: Client) => void
  /** Called at the token endpoint and for device authorization, after the client is authenticated and before the library checks the scopes. */
  readonly onGrant: (ctx: KoaContextWithOIDC, client: Client, isAllowed: boolean) => void
}

/** Runs a check as soon as the client of a request is known. If the check throws, its error is the answer to the request. */
export const hookClients = (provider: Provider, { onAuthorization, onGrant }: ClientHooks): void => {
  const { responseTypeAllowed, grantTypeAllowed } = provider.Client.prototype
  Object.assign(provider.Client.prototype, {
    responseTypeAllowed(this: Client, type: Parameters<typeof responseTypeAllowed>[0]) {
      const ctx = currentContext()
      const isAllowed = responseTypeAllowed.call(this, type)
      if (isAllowed && ctx !== undefined) onAuthorization(ctx, this)
      return isAllowed
    },
    grantTypeAllowed(this: Client, type: string) {
      const ctx = currentContext()
      const isAllowed = grantTypeAllowed.call(this, type)
      // The library also calls this function for other grant types, to find out whether a refresh token may be issued.
      const isAsked = ctx?.oidc.route === 'token' && ctx.oidc.params?.['grant_type'] === type
      if (ctx !== undefined && (isAsked || (ctx.oidc.route === 'device_authorization' && type === deviceGrant)))
        onGrant(ctx, this, isAllowed)
      return isAllowed
    },
  })
}

/** Signs and verifies the library's own cookies. It has the interface of the package `keygrip`, which the library accepts as keys. */
export interface CookieKeys {
  sign(data: string): string
  verify(data: string, signature: string): boolean
  /** Returns the index of the key that made the signature: 0 if it is valid, -1 if not. */
  index(data: string, signature: string): number
}

/** The library would read a list of keys only when it starts. These functions decide at each use whether a retired secret still counts. */
export const createCookieKeys = (secrets: Secrets, lifeSeconds: number): CookieKeys => {
  const labelled = (data: string) => `library:${data}`
  const verify = (data: string, signature: string) =>
    secrets.isSigned('provider-cookies', labelled(data), Buffer.from(signature, 'base64url').toString('base64'), lifeSeconds)
  return {
    sign: (data) => Buffer.from(secrets.sign('provider-cookies', labelled(data)), 'base64').toString('base64url'),
    verify,
    index: (data, signature) => (verify(data, signature) ? 0 : -1),
  }
}

/** True for a Set-Cookie line of the library's own session. Nothing reads that cookie, because the session of this server is used. */
export const isUnusedCookie = (line: string): boolean => /^_(session|interaction)(\.sig)?=/.test(line)

/** Gives the library a request body that is parsed already. The library reads a body through `iterator` while `readable` is true. */
export const replaceBody = (req: IncomingMessage, form: URLSearchParams): void => {
  const bytes = Buffer.from(form.toString())
  req.headers['content-type'] = 'application/x-www-form-urlencoded'
  req.headers['content-length'] = String(bytes.length)
  delete req.headers['transfer-encoding']
  Object.defineProperties(req, {
    readable: { value: true },
    iterator: {
      value: async function* () {
        yield bytes
      },
    },
  })
}

/** The names of the library's checks that this server replaces. */
export const policyChecks = {
  idTokenHint: 'id_token_hint',
  nativeClient: 'native_client_prompt',
  essentialAcr: ['essential_acr', 'essential_acrs'],
  /** The library's default check for a prompt with this name. The check asks for the prompt if the application has requested it. */
  requested: (prompt: string) => `${prompt}_prompt`,
} as const

/**
 * Error descriptions for the developer of an application, by the cause `error_detail`. No description tells an attacker what was wrong
 * with a credential (wire behaviour, section 12).
 */
export const errorDescriptions: Readonly<Record<string, string>> = {
  'authorization code not found': 'invalid code',
  'authorization code already consumed': 'invalid code',
  'authorization code is expired': 'code expired',
  'authorization code redirect_uri mismatch': 'invalid redirect_uri',
  'code_verifier does not match code_challenge': 'code verification failed',
  'code_verifier must be provided': 'code verifier is missing',
  // The request has a `code_verifier` although its code has no challenge, so the library finds no method to compare them.
  'unsupported code_challenge_method': 'code verification failed',
  'refresh token not found': 'invalid refresh token',
  'refresh token already used': 'invalid refresh token',
  'refresh token is expired': 'refresh token expired',
  'grant not found': 'the authorization has ended',
  'client mismatch': 'invalid client_id',
  'client not found': 'invalid client_id',
  'invalid secret provided': 'invalid client_secret',
  'the provided authentication mechanism does not match the registered client authentication method':
    'the client is registered for another way of authenticating',
  'access token not found': 'invalid access token',
  'device code not found': 'invalid device code',
  'device code already consumed': 'invalid device code',
  'failed jkt verification': 'the token is bound to a key: send the DPoP proof of that key, and the token by the scheme DPoP',
  'DPoP proof JWT not provided': 'a DPoP proof is required',
  'missing DPoP proof JWT': 'the code is bound to a key: send a DPoP proof of that key',
  'DPoP proof key thumbprint does not match dpop_jkt': 'the DPoP proof is of another key than dpop_jkt',
  'alg mismatch': 'the algorithm of the client_assertion is not accepted',
  'expiration must be specified in the client_assertion JWT': 'client_assertion has no exp',
  'unique jti (JWT ID) must be provided in the client_assertion JWT': 'client_assertion has no jti',
  'iss (JWT issuer) must be the client_id': 'iss of the client_assertion must be the client_id',
  'audience (aud) must equal the endpoint url, issuer identifier or token endpoint url':
    'aud of the client_assertion must be the issuer or the token endpoint',
  'list of audience (aud) must include the endpoint url, issuer identifier or token endpoint url':
    'aud of the client_assertion must be the issuer or the token endpoint',
  'client assertion tokens must only be used once': 'client_assertion was used before',
}

/** Error descriptions for requests that name no client. The library answers such requests with invalid_request. */
export const unauthenticatedDescriptions: Readonly<Record<string, string>> = {
  'no client authentication mechanism provided': 'client_id and client_secret are required',
  'invalid authorization header value format': 'invalid authorization header format',
  'client_id and client_secret in the authorization header are not properly encoded': 'invalid authorization header format',
  'client_secret must be provided in the Authorization header': 'client_secret is missing in the authorization header',
}

/** Causes which mean that the client has sent its own valid code with a wrong verifier or redirect URI. */
export const codeMisuses: readonly string[] = [
  'code_verifier does not match code_challenge',
  'code_verifier must be provided',
  'unsupported code_challenge_method',
  'authorization code redirect_uri mismatch',
  'DPoP proof key thumbprint does not match dpop_jkt',
]

/** Descriptions of errors that the library does not describe. */
export const codeDescriptions: Readonly<Record<string, string>> = {
  request_uri_not_supported: 'request_uri takes only what /oauth2/par has answered',
  registration_not_supported: 'the parameter registration is not supported: the application has to be registered before',
}

const disabled = 'client is disabled'

/** The cause of invalid_grant after a sign-in below the authentication class that the application now requires. */
export const belowRequiredAcr = 'authentication class too low'
/** The cause of an error if the client's keys cannot be fetched from its `jwks_uri`. */
export const unreadableKeys = 'the keys at jwks_uri cannot be read'
/** The cause of an error if the consent ended while the code was issued. */
export const endedConsent = 'consent has ended'

/** Descriptions of this server's own errors by their cause. */
const ownDescriptions: Readonly<Record<string, string>> = {
  [disabled]: disabled,
  [unreadableKeys]: unreadableKeys,
  ...Object.fromEntries(Object.values(assertionProblems).map((text) => [text, text])),
  [endedConsent]: 'the person has ended the access of the application: send them again',
  [belowRequiredAcr]: 'the application needs a stronger authentication than this authorization was given: send the person again',
}

/** The error for a disabled client. The authorization endpoint shows a page. All other endpoints treat it as a failed authentication. */
export const disabledClient = (): Error =>
  ['authorization', 'resume'].includes(currentContext()?.oidc.route ?? '')
    ? new errors.CustomOIDCProviderError('client_disabled', disabled)
    : new errors.InvalidClientAuth(disabled)

/** Fields that the library adds to its errors and that OAuth does not define. */
export interface LibraryError {
  /** The cause, for the log. */
  readonly detail: string | undefined
  /** The description for the client, if the library's own description is not sent; otherwise undefined. */
  readonly description: string | undefined
  /** The description to send if the client did not authenticate, so that the error is `invalid_client` (RFC 6749, section 5.2). */
  readonly unauthenticated: string | undefined
  /** True if the code must not be used again. It may have been stolen, because the request had a wrong verifier or redirect URI. */
  readonly invalidatesCode: boolean
}

export const readError = (error: Error): LibraryError => {
  const {
    error: code = '',
    error_detail: detail,
    error_description: text = '',
  } = error as {
    readonly error?: string
    readonly error_detail?: string
    readonly error_description?: string
  }
  return {
    detail,
    description: ownDescriptions[detail ?? ''] ?? errorDescriptions[detail ?? ''] ?? codeDescriptions[code],
    unauthenticated: unauthenticatedDescriptions[text],
    invalidatesCode: codeMisuses.includes(detail ?? '') || /^code_verifier (must be a|contains)/.test(text),
  }
}
