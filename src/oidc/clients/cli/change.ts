import { z } from 'zod'
import { blamingFlag, parseFlags, UsageError } from '../../../core/terminal.ts'
import { colorInput } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import {
  claimsPlaces,
  idTokenAlgs,
  pkceModes,
  profiles,
  requiredAcrs,
  reviews,
  splitScope,
  unknownScopesModes,
} from '../../rules.ts'
import type { Applications, Dependents } from '../applications.ts'
import { UpdateApplication } from '../contract.ts'
import type { ClientLogos } from '../logos.ts'
import { definedOf } from '../rules.ts'
import { changeLogo, readLogo } from './logo.ts'
import { blamingMetadata, readChanges } from './metadata-file.ts'
import { protocolFlags, readProtocol, withProtocolOptions } from './protocol.ts'
import { rowOf } from './rows.ts'

interface Needs {
  readonly oidc: { readonly applications: Applications; readonly clientLogos: ClientLogos }
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** The flags as text. The schema of the contract checks their values. */
const UpdateClient = z.object({
  metadata: z.string().min(1).optional(),
  ...{ name: UpdateApplication.shape.name, idTokenAlg: UpdateApplication.shape.idTokenAlg },
  redirectUri: UpdateApplication.shape.redirectUris,
  postLogoutRedirectUri: UpdateApplication.shape.postLogoutRedirectUris,
  webOrigin: UpdateApplication.shape.webOrigins,
  scope: UpdateApplication.shape.scopes,
  pkce: z.enum([...pkceModes, 'default']).optional(),
  unknownScopes: z.enum([...unknownScopesModes, 'default']).optional(),
  requireAcr: z.enum(['none', ...requiredAcrs]).optional(),
  claimsIn: z.enum(claimsPlaces).optional(),
  profile: z.enum(['none', ...profiles]).optional(),
  skipConsent: z.boolean().optional(),
  review: z.enum(['none', ...reviews]).optional(),
  understandsAct: z.boolean().optional(),
  deviceFlow: z.boolean().optional(),
  permission: UpdateApplication.shape.permissions,
  ...protocolFlags,
  ...{ organization: UpdateApplication.shape.organizations, mayAct: UpdateApplication.shape.mayAct },
  ...{ logo: z.string().optional(), color: z.union([z.literal(''), colorInput]).optional() },
  ...{ icon: z.string().optional(), uri: z.string().optional(), policyUri: z.string().optional(), tosUri: z.string().optional() },
})

/** An empty value of a flag removes the URL. */
const address = (value: string | undefined) => (value === '' ? null : value)
/** A flag that is given once with an empty value empties the list. */
const list = (values: readonly string[] | undefined) =>
  values === undefined ? undefined : values.filter((value) => value !== '')

const updateClient: Commands<Needs> = (program, cli) => {
  withProtocolOptions(
    program
      .command('update-client')
      .inGroup('Applications')
      .description(
        'Change an application. Properties that are not named stay; a list is replaced as a whole. Every node follows within about a second.',
      )
      .argument('<client id>', 'as list-clients shows it')
      .option('--name <name>', 'name that people see when they are asked to agree')
      .option(
        '--metadata <file>',
        'JSON with the changes, by the names of docs/reference/client-metadata.md; options take precedence',
      )
      .option('--redirect-uri <uri>', 'address the browser returns to; repeat it for each that stays', collect)
      .option('--post-logout-redirect-uri <uri>', 'address the browser may return to after sign-out; "" for none', collect)
      .option('--web-origin <origin>', 'origin whose pages may call for it; "" for none', collect)
      .option('--scope <scope>', 'scope it may ask for; repeat it for each that stays', collect)
      .choice('--id-token-alg <alg>', 'algorithm of its ID tokens; none becomes HS256', idTokenAlgs)
      .choice('--pkce <mode>', 'whether it must use PKCE; default: oidc.requirePkce', [...pkceModes, 'default'])
      .choice('--unknown-scopes <mode>', 'the answer to scopes that it cannot have; default: oidc.unknownScopes', [
        ...unknownScopesModes,
        'default',
      ])
      .choice('--require-acr <class>', 'the required strength of every sign-in to it', ['none', ...requiredAcrs])
      .choice('--profile <profile>', 'profile that it keeps to', ['none', ...profiles])
      .choice('--claims-in <place>', 'where the claims of the scopes profile and email arrive', claimsPlaces)
      .option('--uri <uri>', 'web page of the application; "" for none')
      .option('--icon <uri>', 'address of its logo, which is fetched once and served here; "" for none')
      .option('--logo <file>', 'file of its logo: PNG, JPEG, WebP, GIF, AVIF or SVG; "" for none')
      .option('--color <color>', 'colour of the pages of its sign-ins, such as #0b1f4d; "" for that of the brand')
      .option('--policy-uri <uri>', 'its privacy policy; "" for none')
      .option('--tos-uri <uri>', 'its terms of service; "" for none')
      .option(
        '--permission <permission>',
        'permission of a machine on the instance; repeat it for each that stays; "" for none',
        collect,
      )
      .choice(
        '--review <review>',
        'review of an application that registered itself: approved ends the warning on pages, restricted leaves only the identity of the user and no way to change itself; none resets the review',
        ['none', ...reviews],
      )
      .option(
        '--organization <id>',
        'organization that a machine may ask about; repeat it for each that stays; "" for none',
        collect,
      )
      .option('--may-act <client id>', 'the only application that may exchange its tokens; "" for all that the APIs allow')
      .option('--skip-consent', 'do not ask people to agree')
      .option('--no-skip-consent', 'ask people to agree')
      .option('--understands-act', 'it understands the act claim: administrators can impersonate users in it')
      .option('--device-flow', 'programs on devices sign people in with a code that they show')
      .option('--no-device-flow', 'no codes for devices')
      .option('--no-understands-act', 'administrators cannot impersonate users in it'),
  )
    .examples(
      'update-client shop --name "Shop & more"',
      'update-client shop --metadata shop.json',
      'update-client shop --logo shop.png --color "#0b1f4d"',
      'update-client shop --redirect-uri https://shop.example.com/callback --redirect-uri https://new.shop.example.com/callback',
    )
    .action(async (clientId: string, flags: unknown) => {
      const {
        redirectUri,
        postLogoutRedirectUri,
        webOrigin,
        scope,
        permission,
        organization,
        mayAct,
        pkce,
        unknownScopes,
        requireAcr,
        profile,
        review,
        icon,
        logo,
        color,
        uri,
        policyUri,
        tosUri,
        metadata,
        ...flagged
      } = parseFlags(UpdateClient, flags)
      const { protocol, rest } = readProtocol(flagged)
      const named = {
        ...rest,
        ...{ redirectUris: list(redirectUri), postLogoutRedirectUris: list(postLogoutRedirectUri), webOrigins: list(webOrigin) },
        permissions: list(permission),
        ...{ organizations: list(organization), mayAct: address(mayAct ?? undefined) },
        ...{ scopes: list(scope)?.flatMap(splitScope), pkce: pkce === 'default' ? null : pkce },
        unknownScopes: unknownScopes === 'default' ? null : unknownScopes,
        requireAcr: requireAcr === 'none' ? null : requireAcr,
        profile: profile === 'none' ? null : profile,
        review: review === 'none' ? null : review,
        color: address(color),
        ...{ icon: address(icon), uri: address(uri), policyUri: address(policyUri), tosUri: address(tosUri) },
      }
      const said = metadata === undefined ? {} : await readChanges(metadata)
      const changes = { ...said, ...definedOf(named), ...protocol } as z.output<typeof UpdateApplication>
      if (logo !== undefined && icon !== undefined)
        throw new UsageError('--logo: the logo is a file or comes from an address (--icon): keep one of them')
      const file = logo === undefined || logo === '' ? undefined : readLogo(logo)
      if (logo === undefined && Object.values(changes).every((value) => value === undefined))
        throw new UsageError('nothing to change: name what changes, such as --name; see update-client --help')
      await cli.run(async ({ oidc }, principal) => {
        const asSaid = () => oidc.applications.update(principal, clientId, changes)
        const update = () => (metadata === undefined ? asSaid() : blamingMetadata(asSaid))
        const client = await blamingFlag('--scope', 'INVALID_SCOPE', () =>
          blamingFlag('--redirect-uri', 'INVALID_REDIRECT_URI', () =>
            blamingFlag('--redirect-uri', 'REDIRECT_URI_IS_REQUIRED', update),
          ),
        )
        const isApproved = review === 'approved' && client.icon !== null && client.logo === null
        const address = isApproved ? client.icon : (icon ?? said.icon)
        return { json: rowOf(await changeLogo(oidc.clientLogos, principal, client, { icon: address ?? undefined, logo, file })) }
      })
    })
}

/** A count with its noun in singular or plural. If counting stopped at `upTo`, the text says that there may be more. */
const counted = (count: number, upTo: number, one: string, many: string) =>
  count >= upTo ? `${upTo} or more ${many}` : `${count} ${count === 1 ? one : many}`

const lost = ({ tokens, consents, countedUpTo }: Dependents) =>
  `${counted(tokens, countedUpTo, 'code or token', 'codes and tokens')} and the consents of ${counted(consents, countedUpTo, 'person', 'people')}`

const disableClient: Commands<Needs> = (program, cli) => {
  program
    .command('disable-client')
    .inGroup('Applications')
    .description(
      'Disable an application: it signs nobody in, gets no tokens, and its existing tokens stop working. Nothing is deleted: enable-client restores everything. Every node follows within about a second.',
    )
    .argument('<client id>', 'as list-clients shows it')
    .examples('disable-client shop', 'disable-client shop --json')
    .action(async (clientId: string) => {
      await cli.run(async ({ oidc }, principal) => {
        await oidc.applications.update(principal, clientId, { disabled: true })
        return { json: { client_id: clientId, disabled: true }, text: `Disabled: ${clientId}` }
      })
    })
}

const enableClient: Commands<Needs> = (program, cli) => {
  program
    .command('enable-client')
    .inGroup('Applications')
    .description('Switch an application on again, with the tokens it had that have not expired.')
    .argument('<client id>', 'as list-clients shows it')
    .examples('enable-client shop', 'enable-client shop --json')
    .action(async (clientId: string) => {
      await cli.run(async ({ oidc }, principal) => {
        await oidc.applications.update(principal, clientId, { disabled: false })
        return { json: { client_id: clientId, disabled: false }, text: `Enabled: ${clientId}` }
      })
    })
}

const deleteClient: Commands<Needs> = (program, cli) => {
  program
    .command('delete-client')
    .inGroup('Applications')
    .description('Delete an application permanently, with its secrets, tokens and consents. disable-client can be undone.')
    .argument('<client id>', 'as list-clients shows it')
    .option('--yes', 'do not ask', false)
    .examples('delete-client shop', 'delete-client shop --yes')
    .action(async (clientId: string, { yes }: { readonly yes: boolean }) => {
      await cli.run(async ({ oidc }, principal) => {
        const { name } = await oidc.applications.get(principal, clientId)
        const ends = lost(await oidc.applications.dependentsOf(principal, clientId))
        await cli.confirm(yes, `This deletes the application ${name} (${clientId}) for good. With it end ${ends}.`, clientId)
        await oidc.applications.remove(principal, clientId)
        return { json: { client_id: clientId, name }, text: `Deleted: ${clientId}. With it ended ${ends}.` }
      })
    })
}

export const changeClients: Commands<Needs> = (program, cli) => {
  for (const add of [updateClient, disableClient, enableClient, deleteClient]) add(program, cli)
}
