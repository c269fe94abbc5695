import type { Cookies } from './cookies.ts'

/** The result of an attempt to sign in. `token` belongs to the session, or to the sign-in that waits for its next step. */
type Outcome =
  | { readonly kind: 'session'; readonly started: { readonly token: string; readonly cookieSeconds: number | undefined } }
  | { readonly kind: 'pending'; readonly pending: { readonly token: string; readonly endsSession: boolean } }

/** Sets the cookie of the session or pending sign-in that an attempt has led to. */
export const setOutcome = (cookies: Cookies, outcome: Outcome): void => {
  if (outcome.kind === 'session') cookies.startSession(outcome.started.token, outcome.started.cookieSeconds)
  else {
    cookies.pendSignIn(outcome.pending.token)
    if (outcome.pending.endsSession) cookies.endSession()
  }
}

/** Names of methods as clients of Better Auth know them. */
const wireNames: Readonly<Record<string, string>> = { 'mail-code': 'otp' }

/** The JSON answer of a sign-in that needs another proof (wire behaviour, section 5). */
export const twoFactorAnswer = ({ methods }: { readonly methods: readonly string[] }) => ({
  twoFactorRedirect: true as const,
  twoFactorMethods: methods.map((name) => wireNames[name] ?? name),
})
