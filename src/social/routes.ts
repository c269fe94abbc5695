import type { AccountChoice } from '../accounts/index.ts'
import type { UserCaller } from '../core/caller.ts'
import type { SessionCookie } from '../http/cookies.ts'
import { bind, Redirect, type Reply } from '../http/handlers.ts'
import type { Arrived } from './callback.ts'
import { socialContract } from './contract.ts'
import type { Social } from './service.ts'

/** Longer than any honest answer of a provider, shorter than what browsers and this server take in a request line. */
const longestQuery = 12_000

const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]: NonNullable<T[K]> }

export const socialRoutes = (social: Social, cookie: SessionCookie, stateTtlSeconds: number) => {
  const bindingOf = (reply: Reply) => cookie.decode(reply.cookie(cookie.name))
  const bindTo = (reply: Reply, binding: string) =>
    reply.setCookie(cookie.name, cookie.encode(binding), { maxAge: stateTtlSeconds })
  const follow = (reply: Reply, { url, started }: Arrived) => {
    // A link may have proven the address of the user who is cached.
    reply.forgetCache()
    if (started !== undefined) reply.startSession(started.token, started.cookieSeconds)
    return new Redirect(url)
  }

  const accountInfo = async (caller: UserCaller, choice: AccountChoice) => {
    const { profile, data, account } = await social.tokens.person(caller, choice)
    const { id, name, email, image, emailVerified } = profile
    return { user: { id, email: email ?? null, emailVerified, ...given({ name, image }) }, data, account }
  }

  return bind(socialContract, {
    signInSocial: async (caller, { body, reply }) => {
      if (body.idToken !== undefined) {
        const { user, started } = await social.signInWithToken(caller, body, body.idToken)
        reply.startSession(started.token, started.cookieSeconds)
        return { redirect: false, token: started.token, user }
      }
      const { url, binding } = await social.depart(body, bindingOf(reply))
      bindTo(reply, binding)
      return { url, redirect: body.disableRedirect !== true }
    },
    callback: async (caller, { params, query, reply }) =>
      follow(reply, await social.arrive(caller, params.id, query, bindingOf(reply))),
    callbackForm: async (caller, { params, body, reply }) => {
      const binding = bindingOf(reply)
      const query = new URLSearchParams(given(body) as Record<string, string>).toString()
      // Browsers keep Lax cookies back when another site posts: come again by GET, with them.
      if (binding === undefined && query.length <= longestQuery)
        return new Redirect(`/callback/${encodeURIComponent(params.id)}?${query}`)
      return follow(reply, await social.arrive(caller, params.id, body, binding))
    },
    linkSocial: async (caller, { body, reply }) => {
      if (body.idToken !== undefined) {
        await social.linkWithToken(caller, body, body.idToken)
        return { url: '', redirect: false, status: true }
      }
      const { url, binding } = await social.departToLink(caller, body, bindingOf(reply))
      bindTo(reply, binding)
      return { url, redirect: body.disableRedirect !== true, status: true }
    },
    getAccessToken: async (caller, { body }) => {
      const { accessToken, accessTokenExpiresAt, scopes, idToken } = await social.tokens.accessToken(caller, body)
      return { accessToken, scopes: [...scopes], ...given({ accessTokenExpiresAt, idToken }) }
    },
    refreshToken: async (caller, { body }) => {
      const { accessToken, scopes, ...rest } = await social.tokens.refresh(caller, body)
      const { refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt, idToken, account } = rest
      return {
        accessToken,
        scopes: [...scopes],
        providerId: account.providerId,
        accountId: account.id,
        ...given({ refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt, idToken }),
      }
    },
    accountInfo: (caller, { body }) => accountInfo(caller, body),
    accountInfoByGet: (caller, { query }) => accountInfo(caller, query),
  })
}
