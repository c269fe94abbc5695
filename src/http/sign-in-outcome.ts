import type { Cookies } from './cookies.ts'

/** The result of an attempt to sign in. `token` belongs to the session, or to a sign-in that needs another step. */
type Outcome =
  | { readonly kind: 'session'; readonly started: { readonly token: string; readonly cookieSeconds: number | undefined } }
  | { readonly kind: 'pending'; readonly pending: { readonly token: string; readonly endsSession: boolean } }

/** Sets the cookie of the new session, or of the sign-in that needs another step. */
export const setOutcome = (cookies: Cookies, outcome: Outcome): void => {
  if (outcome.kind === 'session') cookies.startSession(outcome.started.token, outcome.started.cookieSeconds)
  else {
    cookies.pendSignIn(outcome.pending.token)
    if (outcome.pending.endsSession) cookies.endSession()
  }
}

/** Methods whose names differ for clients of Better Auth. */
const wireNames: Readonly<Record<string, string>> = { 'mail-code': 'otp' }

/** The JSON answer for a sign-in that needs another proof (wire behaviour, section 5). */
export const twoFactorAnswer = ({ methods }: { readonly methods: readonly string[] }) => ({
  twoFactorRedirect: true as const,
  twoFactorMethods: methods.map((name) => wireNames[name] ?? name),
})
