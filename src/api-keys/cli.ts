import { z } from 'zod'
import { keyOwnerKinds, keyPermissions } from '../access/key-permissions.ts'
import type { Position } from '../core/page.ts'
import { parseFlags, UsageError } from '../core/terminal.ts'
import { daySeconds, hourSeconds } from '../core/time.ts'
import { plainText } from '../core/wire.ts'
import type { Commands } from '../feature.ts'
import { CreateApiKey } from './contract.ts'
import { idIn } from './rules.ts'
import type { ApiKey, ApiKeys, OwnerName } from './service.ts'

interface Needs {
  readonly apiKeys: ApiKeys
}

const named = plainText(320, 1).optional()
const Create = z
  .object({
    user: named,
    org: named,
    name: CreateApiKey.shape.name,
    permission: z.array(z.enum(keyPermissions as [string, ...string[]])).min(1),
    network: CreateApiKey.shape.allowedNetworks,
    requestsPerMinute: z.coerce.number().pipe(z.int().min(1).max(1_000_000)).optional(),
    expiresInDays: z.coerce.number().pipe(z.int().min(0).max(3_650)).optional(),
  })
  .refine(({ user, org }) => user === undefined || org === undefined, {
    path: ['org'],
    message: 'a key has one owner: --user, --org, or the instance without both',
  })
const List = z.object({
  search: plainText(200, 1).optional(),
  owner: z.enum(keyOwnerKinds).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(1000)),
})
const Rotate = z.object({ overlapHours: z.coerce.number().pipe(z.number().min(0).max(2_160)).optional() })

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

const requireId = (text: string): string => {
  const id = idIn(text)
  if (id === undefined)
    throw new UsageError('the key is named by its id or by the prefix of its secret, such as gh_org_k3Jd8sLq0PzX5vBn')
  return id
}

/** The API key in the JSON output of a command. */
const wireOf = ({ createdAt, updatedAt, expiresAt, lastUsedAt, secrets, ...key }: ApiKey) => ({
  ...key,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  secrets: secrets.map((secret) => ({
    createdAt: secret.createdAt.toISOString(),
    expiresAt: secret.expiresAt?.toISOString() ?? null,
    lastUsedAt: secret.lastUsedAt?.toISOString() ?? null,
  })),
})

const rowOf = (key: ApiKey) => {
  const { prefix, name, ownerKind, userId, organizationId, permissions, enabled, expiresAt, lastUsedAt, secrets } = wireOf(key)
  const owner = [ownerKind, userId ?? organizationId].filter((part) => part !== null).join(' ')
  return { prefix, name, owner, permissions: permissions.join(' '), enabled, expiresAt, lastUsedAt, secrets: secrets.length }
}

const ownerOf = ({ user, org }: { readonly user?: string | undefined; readonly org?: string | undefined }): OwnerName => {
  if (user !== undefined) return { kind: 'user', user }
  return org === undefined ? { kind: 'instance' } : { kind: 'organization', organization: org }
}

const createCommand: Commands<Needs> = (program, cli) => {
  program
    .command('create-api-key')
    .inGroup('Applications')
    .description('Create an API key of the instance, of an organization or of a person. It is shown once.')
    .requiredOption('--name <name>', 'purpose of the key')
    .requiredOption('--permission <permission>', 'permission of the key, such as users:read; may be repeated', collect)
    .option('--org <id or slug>', 'the organization that owns it')
    .option('--user <email, name or id>', 'the user who owns it; the key never has more permissions than the user')
    .option('--network <address or CIDR>', 'where it works from; may be repeated (default: everywhere)', collect)
    .option('--requests-per-minute <number>', 'most requests in a minute (default: apiKeys.requestsPerMinute)')
    .option('--expires-in-days <days>', 'its life; 0 for no end (default: apiKeys.expiresInSeconds)')
    .examples(
      'create-api-key --name "User export" --permission users:read',
      'create-api-key --name "Directory import" --org acme --permission member:read --permission invitation:create --network 203.0.113.0/24',
    )
    .action(async (flags: unknown) => {
      const { user, org, name, permission, network, requestsPerMinute, expiresInDays } = parseFlags(Create, flags)
      const expiresIn = expiresInDays === undefined ? undefined : expiresInDays === 0 ? null : expiresInDays * daySeconds
      const permissions = permission as z.output<typeof CreateApiKey>['permissions']
      const input = { name, permissions, allowedNetworks: network, requestsPerMinute, expiresIn }
      await cli.run(async ({ apiKeys }, principal) => {
        const { key, ...created } = await apiKeys.create(principal, ownerOf({ user, org }), input)
        return {
          json: { ...wireOf(created), key },
          done: `The key ${created.id} exists. For another secret run: ${cli.remedies().rotateApiKey(created.id, '--overlap-hours', '0')}`,
        }
      })
    })
}

const listCommand: Commands<Needs> = (program, cli) => {
  program
    .command('list-api-keys')
    .inGroup('Applications')
    .description('List API keys, newest first, with their last use; never their secrets.')
    .option('--search <text>', 'only keys with this text in their names')
    .choice('--owner <kind>', 'only keys of this kind of owner', keyOwnerKinds)
    .option('--limit <number>', 'how many at most', '100')
    .watchable()
    .examples('list-api-keys --owner instance', 'list-api-keys --search import', 'list-api-keys --limit 10 -o json')
    .action(async (flags: unknown) => {
      const { owner, search, limit } = parseFlags(List, flags)
      await cli.run(async ({ apiKeys }) => {
        const keys: ApiKey[] = []
        let after: Position | undefined
        do {
          const page = await apiKeys.list({ ownerKind: owner, search }, { order: 'desc', limit: limit - keys.length, after })
          keys.push(...page.found.map(({ row }) => row))
          after = page.lookedTo
        } while (after !== undefined && keys.length < limit)
        return { json: keys.map(wireOf), rows: keys.map(rowOf) }
      })
    })
}

const changeCommands: Commands<Needs> = (program, cli) => {
  program
    .command('rotate-api-key')
    .inGroup('Applications')
    .description('Give an API key a new secret, shown once. The former one works for a while.')
    .argument('<key>', 'its id, or the prefix of its secret')
    .option('--overlap-hours <hours>', 'how long the former secret works; 0 ends it at once (default: apiKeys.overlapSeconds)')
    .examples('rotate-api-key gh_org_k3Jd8sLq0PzX5vBn', 'rotate-api-key k3Jd8sLq0PzX5vBn --overlap-hours 0')
    .action(async (text: string, flags: unknown) => {
      const id = requireId(text)
      const { overlapHours } = parseFlags(Rotate, flags)
      const overlapSeconds = overlapHours === undefined ? undefined : Math.round(overlapHours * hourSeconds)
      await cli.run(async ({ apiKeys }, principal) => {
        const { key, ...rotated } = await apiKeys.rotate(principal, 'instance', id, { overlapSeconds })
        return {
          json: { ...wireOf(rotated), key },
          done: `The key ${id} has a new secret. For another one run: ${cli.remedies().rotateApiKey(id)}`,
        }
      })
    })
  program
    .command('revoke-api-key')
    .inGroup('Applications')
    .description('Delete an API key: it works no more at once, on every node.')
    .argument('<key>', 'its id, or the prefix of its secret')
    .option('--yes', 'do not ask', false)
    .examples('revoke-api-key gh_org_k3Jd8sLq0PzX5vBn', 'revoke-api-key k3Jd8sLq0PzX5vBn --yes')
    .action(async (text: string, { yes }: { readonly yes: boolean }) => {
      const id = requireId(text)
      await cli.run(async ({ apiKeys }, principal) => {
        const { name, prefix } = await apiKeys.find(id)
        await cli.confirm(yes, `This revokes ${prefix} (${name}) for good.`)
        await apiKeys.revoke(principal, 'instance', id)
        return { json: { id }, text: `Revoked: ${prefix}` }
      })
    })
}

export const apiKeyCommands: Commands<Needs> = (program, cli) => {
  createCommand(program, cli)
  listCommand(program, cli)
  changeCommands(program, cli)
}
