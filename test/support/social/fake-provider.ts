import { createHash, randomBytes } from 'node:crypto'
import express, { type Request } from 'express'
import { CompactSign, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { listen } from './listen.ts'

/** A request that arrived at the token or profile endpoint. */
export interface Seen {
  readonly method: string
  readonly headers: Request['headers']
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, string>>
}

const hash = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** A provider of OAuth 2.0 with signed ID tokens. The test sets its answers, and it stores the requests. */
export const startProvider = async () => {
  const app = express()
  const keys = await generateKeyPair('RS256', { extractable: true })
  const otherKeys = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const state = {
    /** Further parameters in the redirect of the authorization endpoint, such as VK's `device_id`. */
    back: {} as Readonly<Record<string, string>>,
    /** Answer of the profile endpoint. A text is sent unchanged, for JSON with numbers that this process cannot represent. */
    profile: {} as unknown,
    profileStatus: 200,
    /** Claims of the ID token. The `nonce` of the request is added. */
    claims: undefined as JWTPayload | undefined,
    /** Further members of the ID token as JSON text, after its claims. */
    rawClaims: '',
    /** True if the discovery document names the profile endpoint. */
    hasUserinfo: false,
    /** Members that override those in the token response. */
    tokens: {} as Readonly<Record<string, unknown>>,
    tokenStatus: 200,
    /** Error code of the token endpoint, for a status other than 200. */
    tokenError: 'invalid_grant',
    /** The issuer in the discovery document. Undefined for the server's own address. */
    discoveredIssuer: undefined as string | undefined,
    /** Members that override those in the discovery document. Undefined removes a member. */
    discovery: {} as Readonly<Record<string, unknown>>,
    issuer: 'https://issuer.example',
    audience: 'client-1',
    keyAway: false,
    /** True to sign with a key that is not published. */
    forges: false,
    delayMs: 0,
  }
  const seen = { authorize: new URLSearchParams(), tokens: [] as Seen[], profiles: [] as Seen[] }
  let challenge: string | undefined

  const note = (req: Request): Seen => ({
    method: req.method,
    headers: req.headers,
    query: new URL(req.url, 'http://x').searchParams,
    body: req.body ?? {},
  })

  /** Signs an ID token as the provider does. It is valid for an hour. */
  const sign = (
    claims: JWTPayload,
    options: {
      readonly issuer?: string
      readonly audience?: string | string[]
      readonly issuedAt?: number
      readonly typ?: string
    } = {},
  ) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...(options.typ === undefined ? {} : { typ: options.typ }) })
      .setIssuer(options.issuer ?? state.issuer)
      .setAudience(options.audience ?? state.audience)
      .setIssuedAt(options.issuedAt)
      .setExpirationTime((options.issuedAt ?? Math.floor(Date.now() / 1000)) + 3600)
      .sign(state.forges ? otherKeys.privateKey : keys.privateKey)

  /** Signs an ID token with further members, given as JSON text. */
  const signRaw = async (claims: JWTPayload, raw: string) => {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: state.issuer, aud: state.audience, iat: now, exp: now + 3600, ...claims }
    return new CompactSign(Buffer.from(`${JSON.stringify(usual).slice(0, -1)},${raw}}`))
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(keys.privateKey)
  }

  app.use(express.urlencoded({ extended: false }))
  app.get('/authorize', (req, res) => {
    seen.authorize = new URL(req.url, 'http://x').searchParams
    challenge = seen.authorize.get('code_challenge') ?? undefined
    const back = new URL(seen.authorize.get('redirect_uri') ?? '')
    back.searchParams.set('code', randomBytes(8).toString('hex'))
    back.searchParams.set('state', seen.authorize.get('state') ?? '')
    for (const [name, value] of Object.entries(state.back)) back.searchParams.set(name, value)
    res.redirect(back.href)
  })
  app.post('/token', async (req, res) => {
    const request = note(req)
    seen.tokens.push(request)
    if (state.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, state.delayMs))
    const isCode = request.body['grant_type'] === 'authorization_code'
    const isProven = challenge === undefined || !isCode || hash(request.body['code_verifier'] ?? '') === challenge
    if (state.tokenStatus !== 200 || !isProven)
      return void res.status(state.tokenStatus === 200 ? 400 : state.tokenStatus).json({ error: state.tokenError })
    const nonce = seen.authorize.get('nonce')
    const claims = { ...(nonce === null ? {} : { nonce }), ...state.claims }
    const signed = async () => (state.rawClaims === '' ? sign(claims) : signRaw(claims, state.rawClaims))
    const idToken = state.claims === undefined ? {} : { id_token: await signed() }
    res.json({
      access_token: `access-${randomBytes(8).toString('hex')}`,
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: `refresh-${randomBytes(8).toString('hex')}`,
      ...idToken,
      ...state.tokens,
    })
  })
  const profile = (req: Request, res: express.Response) => {
    seen.profiles.push(note(req))
    res.status(state.profileStatus).type('json')
    res.send(typeof state.profile === 'string' ? state.profile : JSON.stringify(state.profile))
  }
  app.get('/profile', profile)
  app.post('/profile', profile)
  app.get('/keys', (_req, res) => void (state.keyAway ? res.status(500).end() : res.json({ keys: [jwk] })))

  // The discovery document, for configurations that use discovery.
  app.get('/.well-known/openid-configuration', (_req, res) => {
    res.json({
      issuer: state.discoveredIssuer ?? listening.url,
      authorization_endpoint: `${listening.url}/authorize`,
      token_endpoint: `${listening.url}/token`,
      jwks_uri: `${listening.url}/keys`,
      ...(state.hasUserinfo ? { userinfo_endpoint: `${listening.url}/profile` } : {}),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...state.discovery,
    })
  })

  const listening = await listen(app)
  return {
    ...listening,
    state,
    seen,
    sign,
    signRaw,
    /** The addresses for a section of the configuration. */
    endpoints: {
      authorizationUrl: `${listening.url}/authorize`,
      tokenUrl: `${listening.url}/token`,
      userinfoUrl: `${listening.url}/profile`,
    },
    jwksUrl: `${listening.url}/keys`,
  }
}

export type FakeProvider = Awaited<ReturnType<typeof startProvider>>
