import { z } from 'zod'
import { blamingFlag, parseFlags } from '../../core/terminal.ts'
import { daySeconds } from '../../core/time.ts'
import type { Commands } from '../../feature.ts'
import { clientTypes, splitScope } from '../rules.ts'
import { CreateInitialAccessToken, type InitialAccessToken } from './contract.ts'
import type { InitialAccessTokens } from './service.ts'

interface Needs {
  readonly oidc: { readonly initialAccessTokens: InitialAccessTokens }
}

const { shape } = CreateInitialAccessToken
const Create = z.object({
  name: shape.name,
  type: shape.types,
  scope: z.array(z.string()).optional(),
  redirectHost: shape.redirectHosts,
  maxClients: z.coerce.number().pipe(shape.maxClients.unwrap()),
  expiresInDays: z.coerce.number().pipe(z.int().min(1).max(366)),
})
const List = z.object({
  limit: z.coerce.number().pipe(z.int().min(1).max(100)),
  after: z.string().max(2048).optional(),
})

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

const wireOf = ({ createdAt, expiresAt, revokedAt, lastUsedAt, ...token }: z.output<typeof InitialAccessToken>) => ({
  ...token,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  revokedAt: revokedAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

const create: Commands<Needs> = (program, cli) => {
  program
    .command('create-initial-access-token')
    .inGroup('Applications')
    .description(
      'Make a token with which a program registers applications at /oauth2/register (docs/how-to/registration.md). It is shown once.',
    )
    .requiredOption('--name <name>', 'purpose of the token')
    .option(
      '--type <type>',
      `allowed types of applications: ${clientTypes.join(', ')}; may be repeated (default: all but machine)`,
      collect,
    )
    .option('--scope <scope>', 'scope that they may request; may be repeated (default: any)', collect)
    .option(
      '--redirect-host <host>',
      'host of their redirect addresses, or the scheme of an application on a device; may be repeated (default: any)',
      collect,
    )
    .option('--max-clients <number>', 'how many may be registered with it', '1')
    .option('--expires-in-days <days>', 'its life', '7')
    .examples(
      'create-initial-access-token --name "Build server" --redirect-host shop.example.com --max-clients 5',
      'create-initial-access-token --name "Mobile team" --type native --scope openid --scope email',
    )
    .action(async (flags: unknown) => {
      const { name, type, scope, redirectHost, maxClients, expiresInDays } = parseFlags(Create, flags)
      const input = {
        ...{ name, types: type, scopes: scope?.flatMap(splitScope) ?? null, redirectHosts: redirectHost, maxClients },
        expiresInSeconds: expiresInDays * daySeconds,
      }
      await cli.run(async ({ oidc }, principal) => {
        const make = () => oidc.initialAccessTokens.create(principal, input)
        const { token, value } = await blamingFlag('--scope', 'INVALID_SCOPE', make)
        return { json: { ...wireOf(token), token: value } }
      })
    })
}

const list: Commands<Needs> = (program, cli) => {
  program
    .command('list-initial-access-tokens')
    .inGroup('Applications')
    .description('List the tokens with which programs register applications, newest first; never the tokens themselves.')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .watchable()
    .examples('list-initial-access-tokens', 'list-initial-access-tokens -o json')
    .action(async (flags: unknown) => {
      const { limit, after } = parseFlags(List, flags)
      await cli.run(async ({ oidc }, principal) => {
        const query = { sort: 'createdAt', order: 'desc', limit, after } as const
        const { tokens, next } = await oidc.initialAccessTokens.list(principal, query)
        const rows = tokens.map(({ id, name, state, types, usedClients, maxClients, expiresAt }) => ({
          ...{
            id,
            name,
            state,
            types: types.join(' '),
            used: `${usedClients} of ${maxClients}`,
            expiresAt: expiresAt.toISOString(),
          },
        }))
        return { json: tokens.map(wireOf), rows, next }
      })
    })
}

const revoke: Commands<Needs> = (program, cli) => {
  program
    .command('revoke-initial-access-token')
    .inGroup('Applications')
    .description('Take such a token back: nothing is registered with it from now on. Applications that were stay.')
    .argument('<id>', 'as list-initial-access-tokens shows it')
    .examples(
      'revoke-initial-access-token h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi',
      'revoke-initial-access-token h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi --json',
    )
    .action(async (id: string) => {
      await cli.run(async ({ oidc }, principal) => ({
        json: wireOf(await oidc.initialAccessTokens.revoke(principal, id)),
        text: `Revoked: ${id}`,
      }))
    })
}

export const initialAccessTokenCommands: Commands<Needs> = (program, cli) => {
  for (const add of [create, list, revoke]) add(program, cli)
}
