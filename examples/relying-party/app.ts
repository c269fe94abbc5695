/**
 * How to connect an application to gatehouse, or to any OpenID Provider: authorization code flow with PKCE, state and nonce.
 * Everything the protocol asks for is in this file; `page.ts` only draws, `sessions.ts` only remembers.
 */
import { fileURLToPath } from 'node:url'
import express, { type Express, type Request, type Response } from 'express'
import * as oidc from 'openid-client'
import { errorPage, homePage, securityHeaders } from './page.ts'
import { createSessions, type SignedIn } from './sessions.ts'

export interface Settings {
  /** Public address of gatehouse. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Public address of this application; `<url>/callback` is the registered redirect URI. */
  readonly url: string
}

/** What the application asks for; the token that renews the others (`lasting`) is for those who also work while nobody watches. */
const scopeOf = (lasting: boolean, forOrganization: boolean) =>
  ['openid profile email', ...(lasting ? ['offline_access'] : []), ...(forOrganization ? ['organizations'] : [])].join(' ')

/** What a person is asked beyond the sign-in. */
const promptOf = (lasting: boolean, chooses: boolean) => {
  // OpenID Connect Core, section 11: access that outlives the visit has to be agreed to each time.
  const prompts = [...(chooses ? ['select_organization'] : []), ...(lasting ? ['consent'] : [])]
  return prompts.length === 0 ? {} : { prompt: prompts.join(' ') }
}

/** Finds the addresses and keys of gatehouse by its well-known document: nothing but the issuer is written into the application. */
const discover = ({ issuer, clientId, clientSecret }: Settings) =>
  oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute: [
      // By itself the library trusts an ID token that came over TLS from the issuer. This checks the signature as well.
      oidc.enableNonRepudiationChecks,
      // Plain http is for trying it out on one's own machine only.
      ...(issuer.startsWith('http://') ? [oidc.allowInsecureRequests] : []),
    ],
  })

/**
 * What stays of an answer of the token endpoint. The library has checked signature, issuer, audience, times and nonce by now. Name and address are
 * at the userinfo endpoint (OpenID Connect Core, section 5.4); the library compares its subject with that of the ID token.
 */
const keep = async (
  provider: oidc.Configuration,
  tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
  before?: SignedIn,
): Promise<SignedIn> => {
  const claims = tokens.claims() ?? before?.claims
  const idToken = tokens.id_token ?? before?.idToken
  if (claims === undefined || idToken === undefined) throw new Error('the answer holds no ID token')
  const expiresAt = new Date(Date.now() + (tokens.expiresIn() ?? 0) * 1000)
  const refreshToken = tokens.refresh_token ?? before?.refreshToken
  const person = await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)
  return {
    claims,
    person,
    idToken,
    accessToken: tokens.access_token,
    refreshToken,
    scope: tokens.scope ?? before?.scope,
    expiresAt,
  }
}

/** The example application. Asks gatehouse for its addresses first, so gatehouse has to run. */
export const createApp = async (settings: Settings): Promise<Express> => {
  const provider = await discover(settings)
  const redirectUri = `${settings.url}/callback`
  const sessions = createSessions(settings.url.startsWith('https:'))
  const { end_session_endpoint: endSession } = provider.serverMetadata()

  const app = express()
  app.disable('x-powered-by')
  app.use(securityHeaders(endSession))
  app.get('/style.css', (_, res) => res.sendFile(fileURLToPath(new URL('style.css', import.meta.url))))

  const show = (req: Request, res: Response, userinfo?: object) => {
    const { signedIn } = sessions.find(req)
    const renewed = req.query['renewed'] !== undefined
    res.send(homePage({ issuer: settings.issuer, signedIn, canEndSession: endSession !== undefined, renewed, userinfo }))
  }
  app.get('/', (req, res) => show(req, res))

  // 1. Send the browser to gatehouse. What must match when it comes back is kept here, in this browser's session.
  app.get('/login', async (req, res) => {
    const lasting = req.query['lasting'] !== undefined
    // Empty: the person chooses at gatehouse. Otherwise the id of the one the tokens shall be for (docs/reference/claims.md).
    const { organization } = req.query
    const attempt = { verifier: oidc.randomPKCECodeVerifier(), state: oidc.randomState(), nonce: oidc.randomNonce() }
    const address = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: scopeOf(lasting, organization !== undefined),
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      state: attempt.state,
      nonce: attempt.nonce,
      ...promptOf(lasting, organization === ''),
      ...(typeof organization === 'string' ? { organization } : {}),
    })
    sessions.save(req, res, { ...sessions.find(req), attempt })
    res.redirect(address.href)
  })

  // 2. The browser is back with a code. Trade it for tokens, server to server, and begin a session of our own.
  app.get('/callback', async (req, res) => {
    const { attempt } = sessions.find(req)
    if (attempt === undefined) return res.status(400).send(errorPage('This sign-in is over, or was begun in another browser.'))
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(req.originalUrl, settings.url), {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    })
    sessions.renew(req, res, { signedIn: await keep(provider, tokens) })
    return res.redirect('/')
  })

  // 3. Ask again with the access token: the answer is as of now.
  app.get('/userinfo', async (req, res) => {
    const { signedIn } = sessions.find(req)
    if (signedIn === undefined) return res.redirect('/')
    return show(req, res, await oidc.fetchUserInfo(provider, signedIn.accessToken, signedIn.claims.sub))
  })

  // 4. Renew the tokens. gatehouse gives a new refresh token each time and forgets the old one: keep the new one.
  app.post('/refresh', async (req, res) => {
    const { signedIn } = sessions.find(req)
    if (signedIn?.refreshToken === undefined) return res.redirect('/')
    const tokens = await oidc.refreshTokenGrant(provider, signedIn.refreshToken)
    sessions.save(req, res, { signedIn: await keep(provider, tokens, signedIn) })
    return res.redirect('/?renewed')
  })

  // 5. Sign out: of this application, or of gatehouse too, which ends single sign-on (OpenID Connect RP-Initiated Logout).
  app.post('/logout', (req, res) => {
    sessions.end(req, res)
    res.redirect('/')
  })
  app.post('/logout/everywhere', (req, res) => {
    const { signedIn } = sessions.find(req)
    sessions.end(req, res)
    if (signedIn === undefined || endSession === undefined) return res.redirect('/')
    const back = { id_token_hint: signedIn.idToken, post_logout_redirect_uri: `${settings.url}/` }
    return res.redirect(oidc.buildEndSessionUrl(provider, back).href)
  })

  app.use((error: unknown, req: Request, res: Response, _next: unknown) => {
    if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
      return res.send(errorPage('It was not allowed, so nobody is signed in.'))
    // `invalid_grant`: the tokens were revoked, or the person signed out of gatehouse.
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') {
      sessions.end(req, res)
      return res.status(401).send(errorPage('The sign-in has ended at gatehouse. Please sign in again.'))
    }
    process.stderr.write(`${String(error)}\n`)
    return res.status(502).send(errorPage('The sign-in did not work out. The reason is in the log of this application.'))
  })
  return app
}
