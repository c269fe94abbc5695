import { bind, documented } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import { signInContract } from './contract.ts'
import { signInDocumentation } from './documentation.ts'
import type { SignIn } from './sign-in.ts'
import type { SignUp } from './sign-up.ts'

export const signInRoutes = (signIn: SignIn, { signUp }: Pick<SignUp, 'signUp'>) => {
  const answer = (
    { user, outcome }: Awaited<ReturnType<SignIn['withEmail']>>,
    { callbackURL }: { readonly callbackURL?: string | undefined },
    cookies: Parameters<typeof setOutcome>[0],
  ) => {
    setOutcome(cookies, outcome)
    if (outcome.kind === 'pending') return twoFactorAnswer(outcome.pending)
    return {
      redirect: callbackURL !== undefined,
      token: outcome.started.token,
      ...(callbackURL === undefined ? {} : { url: callbackURL }),
      user,
    }
  }
  return bind(documented(signInContract, signInDocumentation), {
    signUpEmail: async (principal, { body, cookies }) => {
      const { user, started } = await signUp(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      cookies.rememberDevice()
      return { token: started?.token ?? null, user }
    },
    signInEmail: async (principal, { body, cookies }) => answer(await signIn.withEmail(principal, body), body, cookies),
    signInUsername: async (principal, { body, cookies }) => answer(await signIn.withUsername(principal, body), body, cookies),
  })
}
