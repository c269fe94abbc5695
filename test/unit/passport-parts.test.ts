import { createRequire } from 'node:module'
import OAuth2Strategy from 'passport-oauth2'
import { describe, expect, test } from 'vitest'

const require = createRequire(import.meta.url)
const versionOf = (name: string) => (require(`${name}/package.json`) as { readonly version: string }).version

/**
 * The undocumented parts below were checked with these versions. Look at `src/authentication/methods/federated/providers/github.ts`
 * before a change.
 */
const seenWith = { passport: '0.7.0', 'passport-github2': '0.1.12', 'passport-oauth2': '1.8.0' }

type Params = Readonly<Record<string, string>>
type Done = (error: unknown, accessToken?: string, refreshToken?: string, rest?: object) => void

class Probe extends OAuth2Strategy {
  readonly redeemed: (readonly [string, Params])[] = []

  constructor() {
    const options = {
      authorizationURL: 'https://provider.example/authorize',
      tokenURL: 'https://provider.example/token',
      clientID: 'client-1',
      clientSecret: 'secret-1',
      callbackURL: 'https://app.example/callback',
    }
    super(options, (_access: string, _refresh: string, tokens: object, _profile: unknown, done: OAuth2Strategy.VerifyCallback) =>
      done(null, tokens),
    )
    Object.assign(this._oauth2, {
      getOAuthAccessToken: (code: string, params: Params, done: Done) => {
        this.redeemed.push([code, params])
        done(null, 'access-1', 'refresh-1', { scope: 'read' })
      },
    })
  }

  /** The user at the end of a callback with this query. */
  user(query: Params): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const run = Object.assign(Object.create(this) as Probe, { success: resolve, fail: reject, error: reject })
      run.authenticate({ query } as unknown as Parameters<Probe['authenticate']>[0], {})
    })
  }
}

describe('the undocumented part of passport-oauth2 that gatehouse relies on', () => {
  test('the installed versions of passport are the versions with which its undocumented part was checked', () => {
    expect(Object.fromEntries(Object.keys(seenWith).map((name) => [name, versionOf(name)]))).toEqual(seenWith)
  })

  test('a code is redeemed by getOAuthAccessToken of the protected client and by no other request', async () => {
    const strategy = new Probe()
    expect(await strategy.user({ code: 'code-1', state: 'state-1' })).toEqual({ scope: 'read' })
    expect(strategy.redeemed).toEqual([
      ['code-1', { grant_type: 'authorization_code', redirect_uri: 'https://app.example/callback' }],
    ])
  })
})
