import { z } from 'zod'
import { blamingFlag, parseFlags, UsageError } from '../../core/terminal.ts'
import { daySeconds, hourSeconds } from '../../core/time.ts'
import type { Commands } from '../../feature.ts'
import { secretRow } from '../clients/cli/rows.ts'
import { definedOf } from '../clients/rules.ts'
import { Api, accessModes, CreateApi, ScopeInput, tokenAlgs, tokenFormats, type UpdateApi } from './contract.ts'
import type { ListedApi, ResourceServers } from './service.ts'

interface Needs {
  readonly oidc: { readonly apis: ResourceServers }
}

const { shape } = CreateApi

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Reads a scope such as `orders:read=See your orders`. After the name, `@permission` and `%role` add a condition that the person has to meet. */
const scope = z.string().transform((text, context) => {
  const [head = '', ...said] = text.split('=')
  const [, name = '', permission, role] = /^([^@%]+)(?:@([^@%]+))?(?:%([^@%]+))?$/.exec(head) ?? []
  const read = ScopeInput.safeParse({
    ...{ name, description: said.join('=') || name, permission: permission ?? null, roles: role?.split(',') ?? [] },
  })
  if (read.success) return read.data
  const [issue] = read.error.issues
  context.addIssue({ code: 'custom', message: `${text}: ${issue?.path.join('.')} ${issue?.message}; write name=description` })
  return z.NEVER
})

/**
 * Reads an application such as `shop` or `shop=orders:read,orders:write`. A `!` at the end means that administrators may act as users
 * through the application. Each `<urn:from` names an audience whose tokens the application may exchange.
 */
const client = z.string().transform((text) => {
  const [head = '', ...exchangeFrom] = text.split('<')
  const mayImpersonate = head.endsWith('!')
  const [clientId = '', scopes] = head.replace(/!$/, '').split('=')
  return {
    mayImpersonate,
    clientId,
    scopes: scopes === undefined ? null : scopes.split(',').filter((name) => name !== ''),
    exchangeFrom,
  }
})

const flags = {
  name: shape.name.optional(),
  scope: z.array(scope).optional(),
  client: z.array(z.union([z.literal(''), client])).optional(),
  tokenFormat: z.enum(tokenFormats).optional(),
  signingAlg: z.enum(tokenAlgs).optional(),
  tokenTtl: z.coerce.number().pipe(Api.shape.tokenTtlSeconds).optional(),
  access: z.enum(accessModes).optional(),
}
const Create = z.object({ ...flags, name: shape.name })
const Update = z.object(flags)

const changesOf = ({ scope: scopes, client: clients, tokenTtl: tokenTtlSeconds, ...rest }: z.output<typeof Update>) =>
  definedOf({ ...rest, scopes, clients: clients?.filter((one) => one !== ''), tokenTtlSeconds }) as z.output<typeof UpdateApi>

const wireOf = ({ createdAt, updatedAt, ...api }: ListedApi) => ({
  ...api,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const create: Commands<Needs> = (program, cli) => {
  program
    .command('create-api')
    .inGroup('Applications')
    .description('Register an API that takes access tokens of this server, by the identifier that applications name as resource.')
    .argument('<identifier>', 'an absolute URI such as https://orders.example.com; nothing is fetched from it')
    .requiredOption('--name <name>', 'name that people see when they are asked to agree')
    .option(
      '--scope <scope>',
      'a scope with its description for people, "orders:read=See your orders"; name@permission or name%role gives it only to members with that permission or role; may be repeated',
      collect,
    )
    .option(
      '--client <client>',
      'application that may ask for tokens, with all scopes or some (shop=orders:read); "shop<https://cart.example.com" may also exchange tokens of that API; by "desk!" administrators act as users; may be repeated',
      collect,
    )
    .choice(
      '--token-format <format>',
      'jwt is checked with the public keys alone, opaque by asking here (default: jwt)',
      tokenFormats,
    )
    .choice('--signing-alg <alg>', 'algorithm that signs its tokens (default: RS256)', tokenAlgs)
    .option('--token-ttl <seconds>', 'life of its tokens (default: 600)')
    .choice(
      '--access <mode>',
      'all: every application that acts for people; listed: applications of --client (default: listed)',
      accessModes,
    )
    .examples(
      'create-api https://orders.example.com --name Orders --scope "orders:read=See your orders" --client shop',
      'create-api urn:example:reports --name Reports --scope "reports@organization:update=Make reports" --client nightly=reports --token-format opaque',
    )
    .action(async (identifier: string, given: unknown) => {
      const { name, ...rest } = parseFlags(Create, given)
      const input = CreateApi.parse({ identifier, name, ...changesOf(rest) })
      await cli.run(async ({ oidc }, principal) => {
        const make = () => oidc.apis.create(principal, input)
        return { json: wireOf(await blamingFlag('--client', 'APPLICATION_NOT_FOUND', make)) }
      })
    })
}

const update: Commands<Needs> = (program, cli) => {
  program
    .command('update-api')
    .inGroup('Applications')
    .description(
      'Change an API. Options that are not given change nothing; a list is replaced as a whole. Every node follows within about a second.',
    )
    .argument('<api>', 'its id or identifier, as list-apis shows it')
    .option('--name <name>', 'name that people see when they are asked to agree')
    .option('--scope <scope>', 'a scope with its description for people; repeat it for each that stays', collect)
    .option('--client <client>', 'application that may ask for tokens; repeat it for each that stays; "" for none', collect)
    .choice('--token-format <format>', 'jwt or opaque', tokenFormats)
    .choice('--signing-alg <alg>', 'algorithm that signs its tokens', tokenAlgs)
    .option('--token-ttl <seconds>', 'life of its tokens')
    .choice('--access <mode>', 'applications that may ask: all that act for people, or listed ones', accessModes)
    .examples(
      'update-api https://orders.example.com --client shop --client "agent<https://cart.example.com"',
      'update-api https://orders.example.com --token-format opaque --token-ttl 300',
    )
    .action(async (api: string, given: unknown) => {
      const changes = changesOf(parseFlags(Update, given))
      if (Object.keys(changes).length === 0)
        throw new UsageError('nothing to change: name what changes, such as --name; see update-api --help')
      await cli.run(async ({ oidc }, principal) => {
        const change = () => oidc.apis.update(principal, api, changes)
        return { json: wireOf(await blamingFlag('--client', 'APPLICATION_NOT_FOUND', change)) }
      })
    })
}

const list: Commands<Needs> = (program, cli) => {
  program
    .command('list-apis')
    .inGroup('Applications')
    .description('List the APIs that take tokens of this server, newest first.')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .watchable()
    .examples('list-apis', 'list-apis -o csv --columns identifier,name,tokenFormat')
    .action(async (given: unknown) => {
      const List = z.object({ limit: z.coerce.number().pipe(z.int().min(1).max(100)), after: z.string().max(2048).optional() })
      const { limit, after } = parseFlags(List, given)
      await cli.run(async ({ oidc }, principal) => {
        const query = { sort: 'createdAt', order: 'desc', limit, after } as const
        const { apis, next } = await oidc.apis.list(principal, query)
        const rows = apis.map(({ id, identifier, name, scopes, tokenFormat, access, clients, createdAt }) => ({
          ...{ identifier, name, scopes: scopes.map((one) => one.name).join(' '), tokenFormat },
          ...{ access: access === 'all' ? access : clients.map(({ clientId }) => clientId).join(' '), id },
          createdAt: createdAt.toISOString(),
        }))
        return { json: apis.map(wireOf), rows, next }
      })
    })
}

const get: Commands<Needs> = (program, cli) => {
  program
    .command('get-api')
    .inGroup('Applications')
    .description('Show an API with its scopes, allowed applications and secrets, without the values of secrets.')
    .argument('<api>', 'its id or identifier, as list-apis shows it')
    .examples('get-api https://orders.example.com', 'get-api https://orders.example.com --json')
    .action(async (idOrIdentifier: string) => {
      await cli.run(async ({ oidc }, principal) => {
        const api = wireOf(await oidc.apis.get(principal, idOrIdentifier))
        const secrets = (await oidc.apis.listSecrets(principal, idOrIdentifier)).map(secretRow)
        const { scopes, clients, ...rest } = api
        return {
          json: { ...api, secrets },
          rows: Object.entries(rest).map(([field, value]) => ({ field, value: String(value) })),
          sections: [
            {
              title: 'Scopes',
              rows: scopes.map(({ name, description, permission, roles }) => ({
                ...{ name, description, permission, roles: roles.join(' ') },
              })),
            },
            {
              title: 'Applications',
              rows: clients.map(({ clientId, scopes: given, exchangeFrom, mayImpersonate }) => ({
                ...{ clientId, scopes: given?.join(' ') ?? 'all', exchangeFrom: exchangeFrom.join(' '), mayImpersonate },
              })),
            },
            { title: 'Secrets', rows: secrets },
          ],
        }
      })
    })
}

const remove: Commands<Needs> = (program, cli) => {
  program
    .command('delete-api')
    .inGroup('Applications')
    .description('Delete an API permanently, with its secrets: no token is issued for it any more.')
    .argument('<api>', 'its id or identifier, as list-apis shows it')
    .option('--yes', 'do not ask', false)
    .examples('delete-api https://orders.example.com', 'delete-api https://orders.example.com --yes')
    .action(async (api: string, { yes }: { readonly yes: boolean }) => {
      await cli.run(async ({ oidc }, principal) => {
        const { id, identifier, name } = await oidc.apis.get(principal, api)
        await cli.confirm(
          yes,
          `This deletes the API ${name} (${identifier}) for good. No application gets a token for it any more.`,
          identifier,
        )
        await oidc.apis.remove(principal, id)
        return { json: { id, identifier, name }, text: `Deleted: ${identifier}` }
      })
    })
}

const rotate: Commands<Needs> = (program, cli) => {
  program
    .command('rotate-api-secret')
    .inGroup('Applications')
    .description(
      'Give an API a secret with which it asks about tokens at /oauth2/introspect. It is shown once; the one before counts for the time of --overlap.',
    )
    .argument('<api>', 'its id or identifier, as list-apis shows it')
    .option('--overlap <time>', 'how long the secret before goes on counting, such as 12h or 7d', '7d')
    .option('--now', 'end all secrets before at once: after a leak', false)
    .option('--revoke <secret id>', 'revoke this secret at once, and create none')
    .option('--yes', 'do not ask before a secret ends at once', false)
    .examples('rotate-api-secret https://orders.example.com', 'rotate-api-secret https://orders.example.com --now --yes --json')
    .action(
      async (
        api: string,
        { overlap, now, revoke, yes }: Readonly<Record<'overlap' | 'revoke', string>> & Readonly<Record<'now' | 'yes', boolean>>,
      ) => {
        const [, amount = '', unit = ''] = /^([1-9]\d{0,3})([hd])$/.exec(overlap) ?? []
        if (unit === '') throw new UsageError('--overlap must be a time such as 12h or 7d')
        if (now || revoke !== undefined)
          await cli.confirm(
            yes,
            'This ends a secret at once. An API that still sends it learns nothing about tokens from now on.',
          )
        await cli.run(async ({ oidc }, principal) => {
          if (revoke !== undefined) {
            const rows = (await oidc.apis.revokeSecret(principal, api, revoke)).map(secretRow)
            return { json: { revoked: revoke, secrets: rows }, text: `Taken back: ${revoke}` }
          }
          const seconds = now ? 0 : Number(amount) * (unit === 'h' ? hourSeconds : daySeconds)
          const { apiId, secretId, secret, secrets } = await oidc.apis.rotateSecret(principal, api, seconds)
          const rows = secrets.map(secretRow)
          return {
            json: { apiId, secretId, secret, secrets: rows },
            text: `client_id      ${apiId}\nclient_secret  ${secret}`,
            sections: [{ title: 'Secrets', rows }],
          }
        })
      },
    )
}

export const apiCommands: Commands<Needs> = (program, cli) => {
  for (const add of [create, list, get, update, remove, rotate]) add(program, cli)
}
