import type { Strategy } from 'passport'

/** What a strategy reads of a request. */
export interface StrategyRequest {
  readonly query: Readonly<Record<string, string>>
}

/** A strategy sends the browser away, or knows who came back. */
export type StrategyResult<User> =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'user'; readonly user: User }

interface Outcome {
  redirect(url: string): void
  success(user: unknown): void
  fail(challenge: unknown): void
  error(error: unknown): void
}

/** Runs a passport strategy once, without sessions, middleware or a response: its outcome becomes a value. */
export const runStrategy = <User>(strategy: Strategy, request: StrategyRequest, options: object): Promise<StrategyResult<User>> =>
  new Promise((resolve, reject) => {
    const once = Object.create(strategy) as { authenticate(request: StrategyRequest, options: object): void } & Outcome
    once.redirect = (url) => resolve({ kind: 'redirect', url })
    once.success = (user) => resolve({ kind: 'user', user: user as User })
    once.fail = () => reject(new Error('the strategy refused'))
    once.error = reject
    once.authenticate(request, options)
  })

type Callback = (error: unknown, ...results: readonly unknown[]) => void

/** The HTTP client inside passport-oauth2, as far as it is replaced here. */
export interface InnerClient {
  _customHeaders: Readonly<Record<string, string>>
  _request(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    token: string | null,
    done: Callback,
  ): void
  getOAuthAccessToken(code: string, params: Readonly<Record<string, string>>, done: Callback): void
}

/** passport-oauth2 calls this field protected: strategies may use it. */
export const innerClient = (strategy: Strategy): InnerClient => (strategy as unknown as { _oauth2: InnerClient })._oauth2

/** A state store that knows one state: ours, which was taken from the database before the strategy runs. `true`: no PKCE. */
export const knownState = (codeVerifier: string | true) => ({
  store: (_request: unknown, done: (error: Error | null, state: string) => void) =>
    done(new Error('the state is made beforehand'), ''),
  // Four parameters: passport-oauth2 counts them. A text in the place of `ok` becomes the code verifier.
  verify: (_request: unknown, state: string, _meta: object, done: (error: null, ok: boolean, state: string) => void) =>
    done(null, codeVerifier as unknown as boolean, state),
})
