/** The engine: node-oidc-provider alone, with its memory store. It has the addresses, lifetimes and key size of gatehouse, and no pages. */
import { createServer } from 'node:http'
import { type Configuration, Provider } from 'oidc-provider'

const [issuer = '', redirectUri = ''] = process.argv.slice(2)

const configuration: Configuration = {
  jwks: { keys: [JSON.parse(process.env['BENCH_KEY'] ?? '')] },
  clients: [
    {
      client_id: 'bench-web',
      client_secret: 'a secret of the benchmark, not of anybody',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    {
      client_id: 'bench-machine',
      client_secret: 'a secret of the benchmark, not of anybody',
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    },
  ],
  routes: {
    authorization: '/oauth2/authorize',
    token: '/oauth2/token',
    userinfo: '/oauth2/userinfo',
    introspection: '/oauth2/introspect',
    jwks: '/jwks',
  },
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
  conformIdTokenClaims: false,
  responseTypes: ['code'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  cookies: { keys: ['only for the benchmark'], short: { signed: true }, long: { signed: true } },
  ttl: {
    AuthorizationCode: 600,
    AccessToken: 3600,
    IdToken: 3600,
    RefreshToken: 604_800,
    Grant: 1_209_600,
    Interaction: 600,
    Session: 1_209_600,
    ClientCredentials: 3600,
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
  },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: 'Bench User', email: id, email_verified: true }) }),
}

const provider = new Provider(issuer, configuration)
const answer = provider.callback()

/** Signs in the person of `login_hint` without a proof and grants all scopes, because only the flow itself is measured. */
const agree = async (req: Parameters<typeof answer>[0], res: Parameters<typeof answer>[1]) => {
  const { params } = await provider.interactionDetails(req, res)
  const accountId = String(params['login_hint'])
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  await provider.interactionFinished(req, res, { login: { accountId }, consent: { grantId: await grant.save() } })
}

createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  if (req.url?.startsWith('/interaction/') !== true) return answer(req, res)
  return agree(req, res).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    res.writeHead(500).end()
  })
}).listen(Number(new URL(issuer).port), '127.0.0.1')
