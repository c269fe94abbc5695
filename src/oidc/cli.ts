import { z } from 'zod'
import { blamingFlag, parseFlags } from '../core/terminal.ts'
import { nameInput } from '../core/wire.ts'
import type { Commands } from '../feature.ts'
import type { Client, Clients } from './clients/service.ts'
import type { Keys, ListedKey } from './keys/service.ts'
import { clientTypes, idTokenAlgs, pkceModes, redirectUriProblem, splitScope, standardScopes, webOriginProblem } from './rules.ts'

interface Needs {
  readonly oidc: { readonly clients: Clients; readonly keys: Keys }
}

const RegisterClient = z
  .object({
    name: nameInput,
    redirectUri: z.array(z.string()),
    postLogoutRedirectUri: z.array(z.string()),
    type: z.enum(clientTypes),
    webOrigin: z.array(z.string()),
    scope: z.array(z.string()).optional(),
    idTokenAlg: z.enum(idTokenAlgs).optional(),
    pkce: z.enum(pkceModes).optional(),
    icon: z.string().optional(),
    uri: z.string().optional(),
    skipConsent: z.boolean(),
  })
  .superRefine(({ type, redirectUri, postLogoutRedirectUri, webOrigin, icon = [], uri = [] }, context) => {
    const asRedirect = (value: string) => redirectUriProblem(value, type)
    const asPage = (value: string) => redirectUriProblem(value, 'web')
    for (const [flag, values, problemOf] of [
      ['redirectUri', redirectUri, asRedirect],
      ['postLogoutRedirectUri', postLogoutRedirectUri, asRedirect],
      ['webOrigin', webOrigin, webOriginProblem],
      ['icon', icon, asPage],
      ['uri', uri, asPage],
    ] as const)
      for (const value of [values].flat()) {
        const problem = problemOf(value)
        if (problem !== undefined) context.addIssue({ code: 'custom', path: [flag], message: `${value} ${problem}` })
      }
  })

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Client metadata as OAuth spells it (RFC 7591); everything else is camelCase. */
const rowOf = (client: Client) => ({
  client_id: client.clientId,
  name: client.name,
  type: client.type,
  redirect_uris: client.redirectUrls,
  post_logout_redirect_uris: client.postLogoutRedirectUrls,
  web_origins: client.webOrigins,
  scope: client.scope,
  id_token_signed_response_alg: client.idTokenAlg,
  pkce: client.pkce ?? 'default',
  skip_consent: client.skipConsent,
  disabled: client.disabled,
  created_at: client.createdAt.toISOString(),
})

/** What an application sends for a refresh token. */
const refreshTokensOf = ({ type, scope, skipConsent }: Client) => {
  if (type === 'machine') return {}
  const isRegistered = splitScope(scope).includes('offline_access')
  const needed = skipConsent
    ? 'send scope offline_access'
    : 'send scope offline_access with prompt=consent (see oidc.offlineAccess)'
  return { refresh_tokens: isRegistered ? needed : 'none: not registered for scope offline_access' }
}

const keyRow = (key: ListedKey) => ({
  kid: key.kid,
  alg: key.alg,
  state: key.state,
  createdAt: key.createdAt.toISOString(),
  signsFrom: key.signsFrom.toISOString(),
  retiresAt: key.retiresAt?.toISOString() ?? null,
})

const registerClient: Commands<Needs> = (program, cli) => {
  program
    .command('register-client')
    .description('Register an application that signs people in here. Its secret is shown once.')
    .requiredOption('--name <name>', 'name that people see when they are asked to agree')
    .option(
      '--redirect-uri <uri>',
      'address the browser returns to, exactly as the application sends it; may be repeated',
      collect,
      [],
    )
    .option('--type <type>', `${clientTypes.join(', ')}: web and machine keep a secret, spa and native use PKCE alone`, 'web')
    .option(
      '--scope <scope>',
      `scope it may ask for: ${standardScopes.join(', ')}, or another of scopes_supported in the discovery document; may be repeated (default: all)`,
      collect,
    )
    .option('--id-token-alg <alg>', `algorithm of its ID tokens: ${idTokenAlgs.join(', ')} (default: oidc.idTokenAlg)`)
    .option(
      '--pkce <mode>',
      `${pkceModes.join(' or ')}: optional lets an old application with a secret sign people in without it (default: oidc.requirePkce)`,
    )
    .option('--post-logout-redirect-uri <uri>', 'address the browser may return to after sign-out; may be repeated', collect, [])
    .option(
      '--web-origin <origin>',
      'origin whose pages may call the token and userinfo endpoints, such as https://app.example.com; may be repeated (a public client: those of its redirect addresses anyway)',
      collect,
      [],
    )
    .option('--uri <uri>', 'web page of the application, shown when people are asked to agree')
    .option('--icon <uri>', 'picture of the application')
    .option('--skip-consent', "do not ask people to agree: for the operator's own applications", false)
    .action(async (flags: unknown) => {
      const { redirectUri, postLogoutRedirectUri, webOrigin, scope, idTokenAlg, pkce, icon, uri, ...rest } = parseFlags(
        RegisterClient,
        flags,
      )
      await cli.run(async ({ oidc }, principal) => {
        const application = {
          ...rest,
          redirectUris: redirectUri,
          postLogoutRedirectUris: postLogoutRedirectUri,
          webOrigins: webOrigin,
          ...(scope === undefined ? {} : { scope: scope.flatMap(splitScope) }),
          ...(idTokenAlg === undefined ? {} : { idTokenAlg }),
          ...(pkce === undefined ? {} : { pkce }),
          ...(icon === undefined ? {} : { icon }),
          ...(uri === undefined ? {} : { uri }),
        }
        const { client, secret } = await blamingFlag('--scope', 'INVALID_SCOPE', () =>
          oidc.clients.register(principal, application),
        )
        const { client_id, ...details } = rowOf(client)
        return {
          json: { client_id, ...(secret === undefined ? {} : { client_secret: secret }), ...details, ...refreshTokensOf(client) },
        }
      })
    })
}

const listClients: Commands<Needs> = (program, cli) => {
  program
    .command('list-clients')
    .description('List the registered applications. Secrets are not shown: only their hashes are kept.')
    .action(async () => {
      await cli.run(async ({ oidc }) => {
        const rows = (await oidc.clients.list()).map(rowOf)
        return {
          json: rows,
          rows: rows.map(({ client_id, name, type, redirect_uris }) => ({
            client_id,
            name,
            type,
            redirect_uris: redirect_uris.join(' '),
          })),
        }
      })
    })
}

const rotateKeys: Commands<Needs> = (program, cli) => {
  program
    .command('rotate-jwks')
    .description(
      'Add the next signing keys. They are published at once, sign after oidc.keyOverlapSeconds, and the keys before them stay published until nothing they signed is valid.',
    )
    .action(async () => {
      await cli.run(async ({ oidc }, principal) => {
        const rows = (await oidc.keys.rotate(principal)).map(keyRow)
        return { json: rows, rows }
      })
    })
}

const listKeys: Commands<Needs> = (program, cli) => {
  program
    .command('list-keys')
    .description(
      'List the signing keys: next (published, not signing yet), signing, retiring (published until nothing it signed is valid).',
    )
    .action(async () => {
      await cli.run(async ({ oidc }) => {
        const rows = (await oidc.keys.list()).map(keyRow)
        return { json: rows, rows }
      })
    })
}

export const oidcCommands: Commands<Needs> = (program, cli) => {
  for (const add of [registerClient, listClients, rotateKeys, listKeys]) add(program, cli)
}
