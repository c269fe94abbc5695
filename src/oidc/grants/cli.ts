import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import { plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import { UserConsent } from './contract.ts'
import type { Grants } from './service.ts'

interface Needs {
  readonly oidc: { readonly grants: Grants }
}

const List = z.object({
  user: plainText(320, 1).optional(),
  client: plainText(255, 1).optional(),
  limit: z.coerce.number().int().min(1).max(500),
  after: z.string().optional(),
})
const End = z.object({ user: plainText(320, 1), client: plainText(255, 1), organization: plainText(64, 1).optional() })

export const grantCommands: Commands<Needs> = (program, cli) => {
  program
    .command('list-consents')
    .inGroup('Applications')
    .description('List the consents of people to applications, newest first.')
    .option('--user <email, name or id>', 'consents of one person')
    .option('--client <client id>', 'consents to one application; not together with --user')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .watchable()
    .examples('list-consents --user ann@example.com', 'list-consents --client shop -o json')
    .action(async (flags: unknown) => {
      const {
        user,
        client: clientId,
        limit,
        after,
      } = parseFlags(
        List.refine((one) => one.user === undefined || one.client === undefined, {
          path: ['client'],
          message: 'goes without --user',
        }),
        flags,
      )
      await cli.run(async ({ oidc }, principal) => {
        const query = { sort: 'updatedAt', order: 'desc', limit, after } as const
        const { consents, next } = await (user === undefined
          ? oidc.grants.list(principal, { ...query, userId: undefined, clientId })
          : oidc.grants.listOf(principal, user, query))
        const rows = consents.map((consent) => ({
          ...{ id: consent.id, user: consent.user?.name ?? consent.userId, client: consent.clientId },
          ...{
            scopes: consent.scopes.join(' '),
            organizations: consent.organizations?.map(({ id, name }) => name ?? id).join(', ') ?? 'all',
          },
          ...{ updatedAt: consent.updatedAt.toISOString(), expiresAt: consent.expiresAt?.toISOString() ?? null },
        }))
        const json = consents.map((consent) => z.encode(UserConsent, consent))
        return { json, rows, next }
      })
    })
  program
    .command('end-consent')
    .inGroup('Applications')
    .description('End the access of an application to a person, or for one organization: the consent, with its codes and tokens.')
    .requiredOption('--user <email, name or id>', 'the person')
    .requiredOption('--client <client id>', 'the application')
    .option('--organization <id>', 'the part that is for this organization alone; list-consents -o json has the ids')
    .examples('end-consent --user ann@example.com --client shop', 'end-consent --user ann@example.com --client shop --json')
    .action(async (flags: unknown) => {
      const { user, client, organization } = parseFlags(End, flags)
      await cli.run(async ({ oidc }, principal) => {
        const tokens = await oidc.grants.endOf(principal, user, client, organization)
        return { json: { user, client, tokens }, text: `Ended, with ${tokens} codes and tokens. ${user} is asked again.` }
      })
    })
}
