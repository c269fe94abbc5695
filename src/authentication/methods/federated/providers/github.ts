import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import passport from 'passport'
import { Strategy, type StrategyOptions } from 'passport-github2'
import OAuth2Strategy from 'passport-oauth2'
import { parseExactJson } from '../../../../core/exact-json.ts'
import type { ProviderDefinition } from '../rules/definition.ts'
import type { Json } from '../rules/json.ts'
import { createOAuth2Provider, usesPkce } from './oauth2.ts'
import {
  createProviderErrors,
  type IdentityProvider,
  type ProfileResponse,
  type ProviderSettings,
  readProfile,
} from './provider.ts'
import { readTokens, requestTokens } from './token-endpoint.ts'

export type GitHubDefinition = ProviderDefinition & { readonly emailsUrl: string; readonly userinfoUrl: string }

/** The values that one run of the strategy needs. `passport.authenticate` passes its options on to the strategy. */
interface RunOptions extends passport.AuthenticateOptions {
  readonly tokenParams?: Readonly<Record<string, string>>
}

type Done<Result extends readonly unknown[]> = (error: unknown, ...result: Result | []) => void
type TokenParams = Readonly<Record<string, string>>

interface Calls {
  /** Exchanges the code for tokens at the token endpoint. */
  readonly requestTokens: (params: TokenParams) => Promise<Json>
  readonly loadProfile: (accessToken: string) => Promise<ProfileResponse>
}

/** The strategy of passport-github2. The overridden methods are those that passport-oauth2 lets subclasses override. */
class GitHub extends Strategy {
  private readonly calls: Calls

  constructor(options: StrategyOptions, verify: OAuth2Strategy.VerifyFunction, calls: Calls) {
    super(options, verify)
    this.calls = calls
    // Replaces an undocumented part of the library: its own HTTP client has no timeout, no limit of size and no check of URLs (decision
    // 0130).
    Object.assign(this._oauth2, {
      getOAuthAccessToken: (code: string, params: TokenParams, done: Done<[unknown, unknown, object]>) => {
        calls.requestTokens({ ...params, code }).then((tokens) => {
          const { access_token: access, refresh_token: refresh, ...rest } = tokens as Record<string, unknown>
          done(null, access, refresh, rest)
        }, done)
      },
    })
  }

  override tokenParams({ tokenParams }: RunOptions): object {
    return { ...tokenParams }
  }

  override userProfile(accessToken: string, done: (error?: Error | null, profile?: ProfileResponse) => void): void {
    this.calls.loadProfile(accessToken).then((profile) => done(null, profile), done)
  }
}

/**
 * The parts of a callback request that the strategy reads. The state was checked before: `authorization.ts` makes it, binds it to the
 * browser and reads it from the database, for every provider.
 */
interface Run {
  readonly query: { readonly code?: string; readonly state?: string }
  readonly state: string
}

/** passport-oauth2 counts the parameters of `verify`. It calls a function of three parameters as `verify(request, state, done)`. */
const stateStore: OAuth2Strategy.StateStore = {
  store: () => {
    throw new Error('states are stored by authorization.ts')
  },
  verify: (
    request: { readonly query: unknown; readonly state?: string },
    state: string,
    done: OAuth2Strategy.StateStoreVerifyCallback | OAuth2Strategy.Metadata,
  ) => {
    if (typeof done === 'function') done(null, state === request.state, state)
  },
}

/**
 * Signs in with GitHub. passport-github2 handles only the callback. The authorization request is made as for every other provider,
 * because the library would parse URLs with `url.parse`, which Node deprecates (DEP0169). GitHub refuses a code with status 200 and an
 * answer without an access token. It lists verified mail addresses at a separate endpoint.
 */
export const createGitHubProvider = (settings: ProviderSettings, definition: GitHubDefinition): IdentityProvider => {
  const { id, clientId, clientSecret = '', redirectUri, outbound, clock, log } = settings
  const { emailsUrl, userinfoUrl } = definition
  const failure = createProviderErrors(log, id)
  const canReadEmails = definition.scopes.some((scope) => scope === 'user' || scope === 'user:email')

  const get = (url: string, accessToken: string) => outbound.send(url, { headers: { authorization: `Bearer ${accessToken}` } })

  const loadProfile = async (accessToken: string): Promise<ProfileResponse> => {
    const user = await get(userinfoUrl, accessToken)
    if (user.status !== 200) throw new Error(`the profile endpoint answered ${user.status}`)
    const data = parseExactJson(user.text) as object
    if (!canReadEmails) return readProfile(data, definition.profile)
    const { status, text: list } = await get(emailsUrl, accessToken)
    // GitHub answers 404 if the person has not granted the scope for mail addresses.
    if (status !== 200 && status !== 404) throw new Error(`the list of addresses answered ${status}`)
    const emails = status === 404 ? [] : (JSON.parse(list) as readonly { readonly email: string }[])
    // passport-github2 expects the mail address in the member `value`.
    return readProfile({ ...data, emails: emails.map(({ email, ...rest }) => ({ ...rest, value: email })) }, definition.profile)
  }

  const authenticator = new passport.Passport()
  const options = {
    clientID: clientId,
    clientSecret,
    // `tokenParams` contains the callback URL. Without this empty value, the library would derive a callback URL itself.
    callbackURL: '',
    sessionKey: 'oauth2:github',
    authorizationURL: definition.authorizationUrl,
    tokenURL: definition.tokenUrl,
    scopeSeparator: definition.scopeSeparator ?? ' ',
    store: stateStore,
  }
  authenticator.use(
    'github',
    new GitHub(
      options,
      // passport-oauth2 counts the parameters of this function too. It passes the answer of the token endpoint only to a function of five
      // parameters.
      (access: string, refresh: string | undefined, tokens: object, profile: unknown, done: OAuth2Strategy.VerifyCallback) =>
        done(null, { profile, tokens: { ...tokens, access_token: access, refresh_token: refresh } }),
      {
        loadProfile: (accessToken) =>
          loadProfile(accessToken).catch((error: unknown) => {
            throw failure('UNABLE_TO_GET_USER_INFO', error)
          }),
        requestTokens: (params) =>
          requestTokens(
            outbound,
            definition.tokenUrl,
            { clientId, clientSecret, idParam: 'client_id', basic: settings.section.clientAuth === 'basic' },
            params,
          ),
      },
    ),
  )

  /** Runs the strategy, and returns the profile and tokens that it finds. */
  const run = (about: Run, runOptions: RunOptions) =>
    new Promise<unknown>((resolve, reject) => {
      const request = Object.assign(new IncomingMessage(new Socket()), about)
      const done = (error: unknown, user?: unknown) => {
        if (error) reject(error)
        else if (user) resolve(user)
        else reject(new Error('the strategy refused'))
      }
      authenticator.authenticate('github', { ...runOptions, session: false }, done)(request, new ServerResponse(request), reject)
    })

  return {
    ...createOAuth2Provider(settings, definition),
    redeemCode: async ({ code, state }, { codeVerifier }) => {
      try {
        const verifier = usesPkce(settings, definition) ? { code_verifier: codeVerifier } : {}
        const user = await run({ query: { code, state }, state }, { tokenParams: { redirect_uri: redirectUri, ...verifier } })
        const { profile, tokens } = user as { readonly profile: ProfileResponse; readonly tokens: Json }
        return { ...profile, tokens: readTokens(tokens, clock, definition.scopes, undefined) }
      } catch (error) {
        throw failure('INVALID_CODE', error instanceof OAuth2Strategy.InternalOAuthError ? error.oauthError : error)
      }
    },
    loadProfile: async ({ accessToken = '' }) => {
      try {
        return await loadProfile(accessToken)
      } catch (error) {
        throw failure('UNABLE_TO_GET_USER_INFO', error)
      }
    },
  }
}
