import { z } from 'zod'
import { blamingFlag, parseFlags } from '../../../core/terminal.ts'
import { colorInput, nameInput } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import {
  clientTypes,
  idTokenAlgs,
  pkceModes,
  redirectUriProblem,
  requiredAcrs,
  splitScope,
  standardScopes,
  unknownScopesModes,
  webOriginProblem,
} from '../../rules.ts'
import type { Application } from '../application.ts'
import type { ClientLogos } from '../logos.ts'
import { clientIdProblem } from '../rules.ts'
import type { Clients } from '../service.ts'
import { readLogo, withLogo } from './logo.ts'
import { rowOf } from './rows.ts'

interface Needs {
  readonly oidc: { readonly clients: Clients; readonly clientLogos: ClientLogos }
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
    unknownScopes: z.enum(unknownScopesModes).optional(),
    requireAcr: z.enum(['none', ...requiredAcrs]),
    icon: z.string().optional(),
    logo: z.string().min(1).optional(),
    color: colorInput.optional(),
    uri: z.string().optional(),
    skipConsent: z.boolean(),
    understandsAct: z.boolean(),
    permission: z.array(z.string()),
    clientId: z.string().optional(),
    secretStdin: z.boolean(),
  })
  .superRefine(({ clientId }, context) => {
    const problem = clientId === undefined ? undefined : clientIdProblem(clientId)
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['clientId'], message: problem })
  })
  .refine(({ icon, logo }) => icon === undefined || logo === undefined, {
    path: ['logo'],
    message: 'the logo is a file or comes from an address (--icon): keep one of them',
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

/** What an application sends for a refresh token. */
const refreshTokensOf = ({ type, scopes, skipConsent }: Application) => {
  if (type === 'machine') return {}
  const isRegistered = scopes.includes('offline_access')
  const needed = skipConsent
    ? 'send scope offline_access'
    : 'send scope offline_access with prompt=consent (see oidc.offlineAccess)'
  return { refresh_tokens: isRegistered ? needed : 'none: not registered for scope offline_access' }
}

export const registerClient: Commands<Needs> = (program, cli) => {
  program
    .command('register-client')
    .inGroup('Applications')
    .description('Register an application that signs people in here. Its secret is shown once.')
    .requiredOption('--name <name>', 'name that people see when they are asked to agree')
    .option(
      '--redirect-uri <uri>',
      'address the browser returns to, exactly as the application sends it; may be repeated',
      collect,
      [],
    )
    .choice('--type <type>', 'web and machine keep a secret, spa and native use PKCE alone', clientTypes, 'web')
    .option(
      '--scope <scope>',
      `scope it may ask for: ${standardScopes.join(', ')}, or another of scopes_supported in the discovery document; may be repeated (default: all)`,
      collect,
    )
    .choice('--id-token-alg <alg>', 'algorithm of its ID tokens (default: oidc.idTokenAlg)', idTokenAlgs)
    .choice(
      '--pkce <mode>',
      'required refuses sign-ins that an application with a secret begins without PKCE; optional does not (default: as oidc.requirePkce says)',
      pkceModes,
    )
    .choice(
      '--unknown-scopes <mode>',
      'what becomes of scopes that it asks for and cannot have: refuse answers invalid_scope, ignore leaves them out (default: as oidc.unknownScopes says)',
      unknownScopesModes,
    )
    .choice(
      '--require-acr <class>',
      'what everybody has to prove who signs in to it, whatever it asks for: two factors, or one that no false page can get',
      ['none', ...requiredAcrs],
      'none',
    )
    .option('--post-logout-redirect-uri <uri>', 'address the browser may return to after sign-out; may be repeated', collect, [])
    .option(
      '--web-origin <origin>',
      'origin whose pages may call the token and userinfo endpoints, such as https://app.example.com; may be repeated (a public client: those of its redirect addresses anyway)',
      collect,
      [],
    )
    .option('--uri <uri>', 'web page of the application, shown when people sign in and are asked to agree')
    .option('--icon <uri>', 'address of its logo, which is fetched once and served here')
    .option('--logo <file>', 'file of its logo: PNG, JPEG, WebP, GIF, AVIF or SVG')
    .option('--color <color>', 'colour of the pages of its sign-ins, such as #0b1f4d (default: that of the brand)')
    .option(
      '--permission <permission>',
      'what a machine may do on the instance with a token of its own, such as users:read or users:*; may be repeated',
      collect,
      [],
    )
    .option('--skip-consent', "do not ask people to agree: for the operator's own applications", false)
    .option('--understands-act', 'it understands the claim act: administrators who impersonate somebody sign in to it', false)
    .option('--client-id <id>', 'client_id that the application has already (default: a new one)')
    .option(
      '--secret-stdin',
      'read the secret that the application has already from standard input: at least 32 random characters (default: a new one)',
      false,
    )
    .examples(
      'register-client --name Shop --redirect-uri https://shop.example/callback --json',
      'register-client --name Shop --redirect-uri https://shop.example/callback --logo shop.png --color "#0b1f4d"',
      'register-client --name Phone --type native --redirect-uri com.example.app:/callback',
      'register-client --name Nightly --type machine --permission customers:read',
    )
    .action(async (flags: unknown) => {
      const {
        redirectUri,
        postLogoutRedirectUri,
        webOrigin,
        scope,
        idTokenAlg,
        pkce,
        requireAcr,
        icon,
        logo,
        uri,
        permission,
        clientId,
        secretStdin,
        ...rest
      } = parseFlags(RegisterClient, flags)
      const file = logo === undefined ? undefined : readLogo(logo)
      const given = secretStdin ? await cli.readSecret('Client secret', true) : undefined
      await cli.run(async ({ oidc }, principal) => {
        const application = {
          ...rest,
          redirectUris: redirectUri,
          postLogoutRedirectUris: postLogoutRedirectUri,
          webOrigins: webOrigin,
          permissions: permission,
          requireAcr: requireAcr === 'none' ? null : requireAcr,
          ...(scope === undefined ? {} : { scope: scope.flatMap(splitScope) }),
          ...(idTokenAlg === undefined ? {} : { idTokenAlg }),
          ...(pkce === undefined ? {} : { pkce }),
          ...(icon === undefined ? {} : { icon }),
          ...(uri === undefined ? {} : { uri }),
          ...(clientId === undefined ? {} : { clientId }),
          ...(given === undefined ? {} : { secret: given }),
        }
        const register = () => oidc.clients.register(principal, application)
        const { client: registered, secret } = await blamingFlag('--scope', 'INVALID_SCOPE', () =>
          blamingFlag('--secret-stdin', 'CLIENT_SECRET_IS_TOO_WEAK', register),
        )
        const client = await withLogo(oidc.clientLogos, principal, registered, file)
        const { client_id, ...details } = rowOf(client)
        // A secret that was brought along is known already.
        const shown = secret === undefined || given !== undefined ? {} : { client_secret: secret }
        const another =
          Object.keys(shown).length === 0
            ? ''
            : ` For another secret run: ${cli.remedies().rotateClientSecret(client_id, '--now', '--yes')}`
        return {
          json: { client_id, ...shown, ...details, ...refreshTokensOf(client) },
          done: `The client ${client_id} is registered.${another}`,
        }
      })
    })
}
