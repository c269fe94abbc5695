import type { Cookies } from '../../../http/cookies.ts'
import { bind, documented } from '../../../http/handlers.ts'
import type { StartedSession } from '../../sessions/index.ts'
import { signInContract } from './contract.ts'
import { signInDocumentation } from './documentation.ts'
import type { createSignIn } from './sign-in.ts'
import type { SignUp } from './sign-up.ts'

export const signInRoutes = (signIn: ReturnType<typeof createSignIn>, { signUp }: Pick<SignUp, 'signUp'>) => {
  const setCookie = (cookies: Cookies, started: StartedSession | undefined) => {
    if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
  }
  return bind(documented(signInContract, signInDocumentation), {
    signUpEmail: async (principal, { body, cookies }) => {
      const { user, started } = await signUp(principal, body)
      setCookie(cookies, started)
      cookies.rememberDevice()
      return { token: started?.token ?? null, user }
    },
    signInEmail: async (principal, { body, cookies }) => {
      const { user, started } = await signIn(principal, body)
      setCookie(cookies, started)
      const { callbackURL } = body
      return {
        redirect: callbackURL !== undefined,
        token: started.token,
        ...(callbackURL === undefined ? {} : { url: callbackURL }),
        user,
      }
    },
  })
}
