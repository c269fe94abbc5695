import { Strategy as GitHubStrategy } from 'passport-github2'
import type { Outbound } from '../../core/fetch.ts'
import { socialErrors } from '../errors.ts'
import type { ProviderDefinition } from '../rules/definition.ts'
import type { Json } from '../rules/reading.ts'
import { createRefusals } from './refusal.ts'
import { innerClient } from './run-strategy.ts'
import { createStrategyUpstream, type StrategyRun } from './strategy-upstream.ts'
import type { Person, Upstream, UpstreamSettings } from './types.ts'

/** passport-oauth2's own HTTP client has no time-out and no limit: everything goes through the one way out instead. */
const routeThrough = (strategy: GitHubStrategy, outbound: Outbound, emailsUrl: string) => {
  const client = innerClient(strategy)
  client._request = (method, url, headers, body, _token, done) => {
    const tell = (error: unknown, text?: string) => {
      try {
        done(error, text)
      } catch (failure) {
        // The library parses in here: what it cannot read it shall report.
        done(failure)
      }
    }
    outbound
      .send(url, { method, headers: { ...client._customHeaders, ...headers }, ...(body ? { body } : {}) })
      .then(({ status, text }) => {
        const isList = url.startsWith(emailsUrl)
        // The library takes an empty list for a failure. Not found means that the person did not grant the scope.
        if (isList && (status === 404 || text.trim() === '[]')) tell(null, '[{}]')
        else if (status >= 200 && status <= 299) tell(null, text)
        else tell({ statusCode: status, data: text })
      }, tell)
  }
}

interface GitHubUser {
  readonly _json: Record<string, unknown>
  readonly emails?: unknown
}

/** GitHub through passport-github2. A refused code comes with status 200: then there is no access token. */
export const createGitHub = (
  settings: UpstreamSettings,
  definition: ProviderDefinition & { readonly emailsUrl: string; readonly userinfoUrl: string },
): Upstream => {
  const { id, clientId, clientSecret, outbound, log } = settings
  const refusal = createRefusals(log, id)

  const toPerson = (user: unknown): Person => {
    const { _json, emails } = user as GitHubUser
    const data: Json = { ..._json, ...(emails === undefined ? {} : { emails }) }
    const profile = definition.profile(data)
    if (profile === undefined) throw socialErrors.refuse('UNABLE_TO_GET_USER_INFO')
    return { profile, data }
  }

  const create = ({ options, verify }: Pick<StrategyRun, 'options' | 'verify'>) => {
    const github = {
      ...options,
      callbackURL: options.callbackURL ?? '',
      scope: [...definition.scopes],
      userProfileURL: definition.userinfoUrl,
      userEmailURL: definition.emailsUrl,
      userAgent: 'gatehouse',
      allRawEmails: true,
    }
    const strategy = new GitHubStrategy(github, verify)
    routeThrough(strategy, outbound, definition.emailsUrl)
    return strategy
  }

  return createStrategyUpstream(settings, definition, {
    create,
    toPerson,
    proof: async () => ({ clientId, clientSecret, idParam: 'client_id', basic: false }),
    sendsNonce: false,
    fromIdToken: undefined,
    person: ({ accessToken = '' }) => {
      const { authorizationUrl: authorizationURL, tokenUrl: tokenURL } = definition
      const options = { clientID: clientId, clientSecret: clientSecret ?? '', authorizationURL, tokenURL }
      const strategy = create({ options, verify: () => undefined })
      return new Promise((resolve, reject) =>
        strategy.userProfile(accessToken, (error, profile) =>
          error ? reject(refusal('UNABLE_TO_GET_USER_INFO', error)) : resolve(toPerson(profile)),
        ),
      )
    },
  })
}
