import { bind, documented } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import { signInContract } from './contract.ts'
import { signInDocumentation } from './documentation.ts'
import type { createSignIn } from './sign-in.ts'
import type { SignUp } from './sign-up.ts'

export const signInRoutes = (signIn: ReturnType<typeof createSignIn>, { signUp }: Pick<SignUp, 'signUp'>) => {
  return bind(documented(signInContract, signInDocumentation), {
    signUpEmail: async (principal, { body, cookies }) => {
      const { user, started } = await signUp(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      cookies.rememberDevice()
      return { token: started?.token ?? null, user }
    },
    signInEmail: async (principal, { body, cookies }) => {
      const { user, outcome } = await signIn(principal, body)
      setOutcome(cookies, outcome)
      if (outcome.kind === 'pending') return twoFactorAnswer(outcome.pending)
      const { callbackURL } = body
      return {
        redirect: callbackURL !== undefined,
        token: outcome.started.token,
        ...(callbackURL === undefined ? {} : { url: callbackURL }),
        user,
      }
    },
  })
}
