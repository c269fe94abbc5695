import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { Redirect } from '../../../http/contract.ts'
import type { Cookies } from '../../../http/cookies.ts'
import { createSocialCookie, type SignedCookie } from '../../../http/cookies.ts'
import { bind } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import type { AccountChoice } from '../../../identity/identities/index.ts'
import type { Authorization, StartedAuthorization } from './authorization.ts'
import { type CallbackResult, type HandleCallback, shortened } from './callback.ts'
import type { ClientTokens } from './client-tokens.ts'
import { socialContract } from './contract.ts'
import type { ProviderTokensService } from './provider-tokens.ts'

/** The largest length in characters of a callback's query. No provider sends a longer query, and browsers and this server accept that length. */
const maxQueryLength = 12_000

const withoutUndefined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]: NonNullable<T[K]> }

/** The cookie that binds a federated sign-in to the browser. */
export const stateCookieOf = ({ url, secrets }: Pick<Core, 'url' | 'secrets'>, ttlSeconds: number): SignedCookie =>
  createSocialCookie(url, secrets, ttlSeconds)

/** Starts an authorization request and binds it to the browser with a cookie. Returns the provider's URL, to which the browser is sent. */
export const createSocialStart = (authorization: Authorization, cookie: SignedCookie, ttlSeconds: number) => {
  const bindingOf = (cookies: Cookies) => cookie.decode(cookies.get(cookie.name))
  const bindTo = (cookies: Cookies, { url, binding }: StartedAuthorization) => {
    cookies.set(cookie.name, cookie.encode(binding), { maxAge: ttlSeconds })
    return url
  }
  return {
    bindingOf,
    signIn: async (principal: Principal, input: Parameters<Authorization['startSignIn']>[1], cookies: Cookies) =>
      bindTo(cookies, await authorization.startSignIn(principal, input, bindingOf(cookies))),
    linking: async (principal: UserPrincipal, input: Parameters<Authorization['startLinking']>[1], cookies: Cookies) =>
      bindTo(cookies, await authorization.startLinking(principal, input, bindingOf(cookies))),
  }
}

interface Deps {
  readonly callback: HandleCallback
  readonly clientTokens: ClientTokens
  readonly tokens: ProviderTokensService
  readonly begin: ReturnType<typeof createSocialStart>
}

export const socialRoutes = ({ begin, callback, clientTokens, tokens }: Deps) => {
  const { bindingOf } = begin
  const respond = (cookies: Cookies, { url, outcome }: CallbackResult) => {
    // Linking may have verified the user's mail address. The session in the cookie cache would still show the old state.
    cookies.clearCache()
    if (outcome !== undefined) setOutcome(cookies, outcome)
    return new Redirect(url)
  }

  const accountInfo = async (principal: UserPrincipal, choice: AccountChoice) => {
    const { profile, data, account } = await tokens.profile(principal, choice)
    const { id, name, email, image, emailVerified } = profile
    return { user: { id, email: email ?? null, emailVerified, ...withoutUndefined({ name, image }) }, data, account }
  }

  return bind(socialContract, {
    signInSocial: async (principal, { body, cookies }) => {
      if (body.idToken !== undefined) {
        const { user, outcome } = await clientTokens.signIn(principal, body, body.idToken)
        setOutcome(cookies, outcome)
        if (outcome.kind === 'pending') return twoFactorAnswer(outcome.pending)
        return { redirect: false, token: outcome.started.token, user }
      }
      const url = await begin.signIn(principal, body, cookies)
      return { url, redirect: body.disableRedirect !== true }
    },
    callback: async (principal, { params, query, cookies }) =>
      respond(cookies, await callback(principal, params.id, query, bindingOf(cookies))),
    callbackForm: async (principal, { params, body, cookies }) => {
      const binding = bindingOf(cookies)
      const query = new URLSearchParams(withoutUndefined(shortened(body)) as Record<string, string>).toString()
      // If a form on another site posts to this callback, the browser leaves out the Lax cookie. It sends the cookie with the GET request
      // after this redirect.
      if (binding === undefined && query.length <= maxQueryLength)
        return new Redirect(`/callback/${encodeURIComponent(params.id)}?${query}`)
      return respond(cookies, await callback(principal, params.id, body, binding))
    },
    linkSocial: async (principal, { body, cookies }) => {
      if (body.idToken !== undefined) {
        await clientTokens.link(principal, body, body.idToken)
        return { url: '', redirect: false, status: true }
      }
      const url = await begin.linking(principal, body, cookies)
      return { url, redirect: body.disableRedirect !== true, status: true }
    },
    getAccessToken: async (principal, { body }) => {
      const { accessToken, accessTokenExpiresAt, scopes, idToken } = await tokens.accessToken(principal, body)
      return { accessToken, scopes: [...scopes], ...withoutUndefined({ accessTokenExpiresAt, idToken }) }
    },
    refreshToken: async (principal, { body }) => {
      const { accessToken, scopes, ...rest } = await tokens.refresh(principal, body)
      const { refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt, idToken, account } = rest
      return {
        accessToken,
        scopes: [...scopes],
        providerId: account.providerId,
        accountId: account.id,
        ...withoutUndefined({ refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt, idToken }),
      }
    },
    accountInfo: (principal, { body }) => accountInfo(principal, body),
    accountInfoByGet: (principal, { query }) => accountInfo(principal, query),
  })
}
