import { shellWord } from '../../shared/curl.ts'
import type { SnippetId } from './frameworks.ts'

/** The values that are filled into the code examples. */
export interface Values {
  readonly issuer: string
  readonly clientId: string
  /** The client secret. Null for public applications, which have none. */
  readonly secret: string | null
  readonly redirectUri: string | undefined
  /** Scopes that the application may request. */
  readonly scopes: readonly string[]
}

const asked = (scopes: readonly string[]) => ['openid', 'profile', 'email'].filter((scope) => scopes.includes(scope))

/** The values as lines of an `.env` file. */
export const envOf = ({ issuer, clientId, secret, redirectUri }: Values): string =>
  [
    `OIDC_ISSUER=${issuer}`,
    `OIDC_CLIENT_ID=${clientId}`,
    ...(secret === null ? [] : [`OIDC_CLIENT_SECRET=${secret}`]),
    ...(redirectUri === undefined ? [] : [`OIDC_REDIRECT_URI=${redirectUri}`]),
  ].join('\n')

/**
 * A code example with openid-client, which runs on servers and in browsers. `discovery` lists the arguments of the library's `discovery`
 * function.
 */
const openidClient = ({ issuer, scopes }: Values, discovery: readonly string[], redirectUri: string) => {
  const insecure = issuer.startsWith('http:') ? ['  { execute: [client.allowInsecureRequests] },'] : []
  return `// npm install openid-client
import * as client from 'openid-client'

const config = await client.discovery(
${[...discovery.map((argument) => `  ${argument},`), ...insecure].join('\n')}
)

// Start of a sign-in: store verifier and state in the session, and send the browser to the address.
export const begin = async () => {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: ${redirectUri},
    scope: '${asked(scopes).join(' ')}',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  return { address, verifier, state }
}

// Call this at the redirect URI. It returns the claims about the person who has signed in.
export const finish = async (currentUrl, { verifier, state }) => {
  const tokens = await client.authorizationCodeGrant(config, currentUrl, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  return client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub)
}`
}

const node = (values: Values) =>
  openidClient(
    values,
    [
      'new URL(process.env.OIDC_ISSUER)',
      'process.env.OIDC_CLIENT_ID',
      'undefined',
      'client.ClientSecretBasic(process.env.OIDC_CLIENT_SECRET)',
    ],
    'process.env.OIDC_REDIRECT_URI',
  )

const browser = (values: Values) =>
  openidClient(
    values,
    [`new URL('${values.issuer}')`, `'${values.clientId}'`, 'undefined', 'client.None()'],
    `'${values.redirectUri ?? ''}'`,
  )

const betterAuth = ({ scopes }: Values) => `import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'

export const auth = betterAuth({
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'gatehouse',
          discoveryUrl: \`\${process.env.OIDC_ISSUER}/.well-known/openid-configuration\`,
          clientId: process.env.OIDC_CLIENT_ID,
          clientSecret: process.env.OIDC_CLIENT_SECRET,
          authentication: 'basic',
          pkce: true,
          scopes: [${asked(scopes)
            .map((scope) => `'${scope}'`)
            .join(', ')}],
        },
      ],
    }),
  ],
})

// In the browser: await authClient.signIn.social({ provider: 'gatehouse', callbackURL: '/' })`

const shell = ({ issuer, clientId, secret }: Values) => `curl -s -u ${shellWord(`${clientId}:${secret ?? ''}`)} \\
  -d grant_type=client_credentials \\
  ${shellWord(`${issuer}/oauth2/token`)}`

const generic = ({ issuer, clientId, secret, redirectUri, scopes }: Values) =>
  [
    `Discovery       ${issuer}/.well-known/openid-configuration`,
    `Issuer          ${issuer}`,
    `Client id       ${clientId}`,
    ...(secret === null ? [] : [`Client secret   ${secret}`, 'Authentication  client_secret_basic']),
    ...(redirectUri === undefined
      ? ['Grant type      client_credentials', `Token endpoint  ${issuer}/oauth2/token`]
      : [
          'Grant type      authorization_code, with PKCE (S256)',
          `Redirect        ${redirectUri}`,
          `Scopes          ${asked(scopes).join(' ')}`,
        ]),
  ].join('\n')

const makers: Readonly<Record<SnippetId, (values: Values) => string>> = { node, betterAuth, browser, shell, generic }

/** The code example for an application. It contains the values themselves, unless the application reads them from environment variables. */
export const snippetOf = (id: SnippetId, values: Values): string => makers[id](values)
