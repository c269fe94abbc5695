import { z } from 'zod'
import { blamingFlag, parseFlags, UsageError } from '../../../core/terminal.ts'
import { colorInput, nameInput } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import {
  claimsPlaces,
  clientTypes,
  idTokenAlgs,
  pkceModes,
  profiles,
  redirectUriProblem,
  requiredAcrs,
  splitScope,
  standardScopes,
  unknownScopesModes,
  webOriginProblem,
} from '../../rules.ts'
import type { Application } from '../application.ts'
import type { ClientLogos } from '../logos.ts'
import { clientIdProblem, definedOf } from '../rules.ts'
import type { Clients } from '../service.ts'
import { readLogo, withLogo } from './logo.ts'
import { blamingMetadata, readNewClient } from './metadata-file.ts'
import { protocolFlags, readProtocol, withProtocolOptions } from './protocol.ts'
import { rowOf } from './rows.ts'

interface Needs {
  readonly oidc: { readonly clients: Clients; readonly clientLogos: ClientLogos }
}

const RegisterClient = z
  .object({
    name: nameInput.optional(),
    metadata: z.string().min(1).optional(),
    redirectUri: z.array(z.string()),
    postLogoutRedirectUri: z.array(z.string()),
    type: z.enum(clientTypes).optional(),
    webOrigin: z.array(z.string()),
    scope: z.array(z.string()).optional(),
    idTokenAlg: z.enum(idTokenAlgs).optional(),
    pkce: z.enum(pkceModes).optional(),
    unknownScopes: z.enum(unknownScopesModes).optional(),
    requireAcr: z.enum(['none', ...requiredAcrs]).optional(),
    claimsIn: z.enum(claimsPlaces).optional(),
    profile: z.enum(profiles).optional(),
    icon: z.string().optional(),
    logo: z.string().min(1).optional(),
    color: colorInput.optional(),
    uri: z.string().optional(),
    skipConsent: z.boolean().optional(),
    understandsAct: z.boolean().optional(),
    deviceFlow: z.boolean().optional(),
    permission: z.array(z.string()),
    ...protocolFlags,
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
  .refine(({ name, metadata }) => name !== undefined || metadata !== undefined, {
    path: ['name'],
    message: 'people have to see a name: give one, or a file with client_name (--metadata)',
  })
  .superRefine(({ type, metadata, redirectUri, postLogoutRedirectUri, webOrigin, icon = [], uri = [] }, context) => {
    // If the type comes from the metadata file, the service checks the redirect URIs.
    const asRedirect = (value: string) => redirectUriProblem(value, type ?? (metadata === undefined ? 'web' : 'native'))
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

/** If the flag was not given, its list is empty and counts as absent. */
const list = (values: readonly string[]) => (values.length === 0 ? undefined : values)

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Explains with which scope and prompt the application gets refresh tokens. */
const refreshTokensOf = ({ type, scopes, skipConsent }: Application) => {
  if (type === 'machine') return {}
  const isRegistered = scopes.includes('offline_access')
  const needed = skipConsent
    ? 'send scope offline_access'
    : 'send scope offline_access with prompt=consent (see oidc.offlineAccess)'
  return { refresh_tokens: isRegistered ? needed : 'none: not registered for scope offline_access' }
}

export const registerClient: Commands<Needs> = (program, cli) => {
  withProtocolOptions(
    program
      .command('register-client')
      .inGroup('Applications')
      .description('Register an application that signs people in here. Its secret is shown once.')
      .option('--name <name>', 'name that people see when they are asked to agree')
      .option(
        '--metadata <file>',
        'JSON with all of its metadata, by the names of docs/reference/client-metadata.md; options beside it count more',
      )
      .option(
        '--redirect-uri <uri>',
        'address the browser returns to, exactly as the application sends it; may be repeated',
        collect,
        [],
      )
      .choice(
        '--type <type>',
        'web and machine have a secret, spa and native use PKCE alone (default: the type in --metadata, else web)',
        clientTypes,
      )
      .option(
        '--scope <scope>',
        `scope it may ask for: ${standardScopes.join(', ')}, or another of scopes_supported in the discovery document; may be repeated (default: all)`,
        collect,
      )
      .choice('--id-token-alg <alg>', 'algorithm of its ID tokens (default: oidc.idTokenAlg)', idTokenAlgs)
      .choice(
        '--pkce <mode>',
        'required refuses sign-ins without PKCE also of an application with a secret; optional does not (default: oidc.requirePkce)',
        pkceModes,
      )
      .choice(
        '--unknown-scopes <mode>',
        'the answer to scopes that it cannot have: refuse answers invalid_scope, ignore leaves them out (default: oidc.unknownScopes)',
        unknownScopesModes,
      )
      .choice('--require-acr <class>', 'the required strength of every sign-in to it: two factors, or a phishing-resistant one', [
        'none',
        ...requiredAcrs,
      ])
      .choice(
        '--profile <profile>',
        'profile that it keeps to: fapi2 is the FAPI 2.0 Security Profile, and needs --metadata with its keys',
        profiles,
      )
      .choice(
        '--claims-in <place>',
        'where the claims of the scopes profile and email arrive: userinfo, or id-token for an application that reads them there alone (default: userinfo)',
        claimsPlaces,
      )
      .option(
        '--post-logout-redirect-uri <uri>',
        'address the browser may return to after sign-out; may be repeated',
        collect,
        [],
      )
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
        'permission of a machine on the instance with a token of its own, such as users:read or users:*; may be repeated',
        collect,
        [],
      )
      .option(
        '--organization <id>',
        'organization that a machine may ask about (scopes organizations and billing); may be repeated',
        collect,
        [],
      )
      .option('--skip-consent', "do not ask people to agree: for the operator's own applications")
      .option('--understands-act', 'it understands the act claim: administrators can impersonate users in it')
      .option(
        '--device-flow',
        'programs on devices without a browser sign people in with a code that they show; needs no --redirect-uri',
      )
      .option('--client-id <id>', 'client_id that the application has already (default: a new one)')
      .option(
        '--secret-stdin',
        'read the secret that the application has already from standard input: at least 32 random characters (default: a new one)',
        false,
      ),
  )
    .examples(
      'register-client --name Shop --redirect-uri https://shop.example/callback --json',
      'register-client --name Shop --redirect-uri https://shop.example/callback --logo shop.png --color "#0b1f4d"',
      'register-client --metadata shop.json --skip-consent',
      'register-client --name Phone --type native --redirect-uri com.example.app:/callback',
      'register-client --name Television --type native --device-flow',
      'register-client --name Nightly --type machine --permission customers:read',
    )
    .action(async (flags: unknown) => {
      const flagged = parseFlags(RegisterClient, flags)
      const { redirectUri, postLogoutRedirectUri, webOrigin, scope, requireAcr, permission, metadata, ...options } = flagged
      const { protocol, rest: more } = readProtocol(options)
      const { logo, clientId, secretStdin, ...rest } = more
      const { scopes, grantTypes, ...said } =
        metadata === undefined ? {} : await readNewClient(metadata, redirectUri, rest.type !== undefined)
      const file = logo === undefined ? undefined : readLogo(logo)
      const secretOfFlag = secretStdin ? await cli.readSecret('Client secret', true) : undefined
      await cli.run(async ({ oidc }, principal) => {
        const given = definedOf({
          ...{ ...rest, clientId, secret: secretOfFlag, webOrigins: list(webOrigin), permissions: list(permission) },
          ...{ postLogoutRedirectUris: list(postLogoutRedirectUri), requireAcr: requireAcr === 'none' ? null : requireAcr },
        })
        const application = {
          ...{
            ...said,
            ...given,
            ...protocol,
            name: rest.name ?? said.name ?? '',
            type: rest.type ?? said.type ?? ('web' as const),
          },
          redirectUris: list(redirectUri) ?? said.redirectUris ?? [],
          scope: scope?.flatMap(splitScope) ?? scopes,
        }
        if (application.name === '') throw new UsageError('--metadata: the file has no client_name; give --name')
        const asSaid = () => oidc.clients.register(principal, application, { grantTypes })
        const register = () => (metadata === undefined ? asSaid() : blamingMetadata(asSaid))
        const { client: registered, secret } = await blamingFlag('--scope', 'INVALID_SCOPE', () =>
          blamingFlag('--secret-stdin', 'CLIENT_SECRET_IS_TOO_WEAK', register),
        )
        const client = await withLogo(oidc.clientLogos, principal, registered, file)
        const { client_id, ...details } = rowOf(client)
        // The secret is not printed if the operator has chosen it.
        const shown = secret === undefined || secretOfFlag !== undefined ? {} : { client_secret: secret }
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
