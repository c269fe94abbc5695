/**
 * How to connect an application to gatehouse, or to any OpenID Provider: authorization code flow with PKCE, state and nonce. This file
 * does everything that the protocol requires. `page.ts` only draws pages, and `sessions.ts` only stores sessions.
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
  /** Public address of this application. The registered redirect URI is `<url>/callback`. */
  readonly url: string
}

/**
 * The scopes that the application requests. With `lasting` it also gets a refresh token, for an application that works while the person
 * is not there.
 */
const scopeOf = (lasting: boolean, forOrganization: boolean) =>
  ['openid profile email', ...(lasting ? ['offline_access'] : []), ...(forOrganization ? ['organizations'] : [])].join(' ')

/** The questions that gatehouse asks beyond the sign-in. */
const promptOf = (lasting: boolean, chooses: boolean) => {
  // A person has to agree each time to access that outlives the visit (OpenID Connect Core, section 11).
  const prompts = [...(chooses ? ['select_organization'] : []), ...(lasting ? ['consent'] : [])]
  return prompts.length === 0 ? {} : { prompt: prompts.join(' ') }
}

/** Finds the addresses and keys of gatehouse by its well-known document, so the application only has to know the issuer. */
const discover = ({ issuer, clientId, clientSecret }: Settings) =>
  oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute: [
      // By default the library trusts an ID token that came from the issuer over TLS. This makes it check the signature as well.
      oidc.enableNonRepudiationChecks,
      // Plain http is only for trying the example out on one's own machine.
      ...(issuer.startsWith('http://') ? [oidc.allowInsecureRequests] : []),
    ],
  })

/**
 * The parts of a token response that the application keeps. The library has already checked signature, issuer, audience, times and nonce.
 * Name and address come from the userinfo endpoint (OpenID Connect Core, section 5.4); the library compares its subject with that of the
 * ID token.
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

/** The example application. It first asks gatehouse for its addresses, so gatehouse has to be running. */
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

  // 1. Send the browser to gatehouse. The values that have to match when it comes back are stored in this browser's session.
  app.get('/login', async (req, res) => {
    const lasting = req.query['lasting'] !== undefined
    // If it is empty, the person chooses an organization at gatehouse. Otherwise it is the id of the organization for the tokens
    // (docs/reference/claims.md).
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

  // 2. The browser comes back with a code. Exchange the code for tokens, from server to server, and start a session of the application.
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

  // 3. Ask the userinfo endpoint with the access token. Its answer shows the present state.
  app.get('/userinfo', async (req, res) => {
    const { signedIn } = sessions.find(req)
    if (signedIn === undefined) return res.redirect('/')
    return show(req, res, await oidc.fetchUserInfo(provider, signedIn.accessToken, signedIn.claims.sub))
  })

  // 4. Renew the tokens. Each time, gatehouse issues a new refresh token and the old one becomes invalid, so store the new one.
  app.post('/refresh', async (req, res) => {
    const { signedIn } = sessions.find(req)
    if (signedIn?.refreshToken === undefined) return res.redirect('/')
    const tokens = await oidc.refreshTokenGrant(provider, signedIn.refreshToken)
    sessions.save(req, res, { signedIn: await keep(provider, tokens, signedIn) })
    return res.redirect('/?renewed')
  })

  // 5. Sign out, either of this application or also of gatehouse, which ends single sign-on (OpenID Connect RP-Initiated Logout).
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
    // `invalid_grant` means that the tokens were revoked, or that the person has signed out of gatehouse.
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') {
      sessions.end(req, res)
      return res.status(401).send(errorPage('The sign-in has ended at gatehouse. Please sign in again.'))
    }
    process.stderr.write(`${String(error)}\n`)
    return res.status(502).send(errorPage('The sign-in did not work out. The reason is in the log of this application.'))
  })
  return app
}
