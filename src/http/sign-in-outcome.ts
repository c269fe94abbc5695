import type { Cookies } from './cookies.ts'

/** The result of a step of a sign-in. `token` is the token of the new session, or of the sign-in if it needs a further step. */
type Outcome =
  | { readonly kind: 'session'; readonly started: { readonly token: string; readonly cookieSeconds: number | undefined } }
  | { readonly kind: 'pending'; readonly pending: { readonly token: string; readonly endsSession: boolean } }

/** Sets the cookie of the new session. If the sign-in needs a further step, sets the cookie of the sign-in instead. */
export const setOutcome = (cookies: Cookies, outcome: Outcome): void => {
  if (outcome.kind === 'session') cookies.startSession(outcome.started.token, outcome.started.cookieSeconds)
  else {
    cookies.pendSignIn(outcome.pending.token)
    if (outcome.pending.endsSession) cookies.endSession()
  }
}

/** Names of sign-in methods that clients of Better Auth know by another name. */
const wireNames: Readonly<Record<string, string>> = { 'mail-code': 'otp' }

/** The answer in JSON if a sign-in needs a further proof (wire behaviour, section 5). */
export const twoFactorAnswer = ({ methods }: { readonly methods: readonly string[] }) => ({
  twoFactorRedirect: true as const,
  twoFactorMethods: methods.map((name) => wireNames[name] ?? name),
})
