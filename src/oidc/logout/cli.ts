import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Logouts } from './service.ts'

interface Needs {
  readonly oidc: { readonly logouts: Logouts }
}

const List = z.object({
  client: z.string().min(1).max(255).optional(),
  user: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)),
  after: z.string().max(2048).optional(),
})

export const listLogoutNotices: Commands<Needs> = (program, cli) => {
  program
    .command('list-logout-notices')
    .inGroup('Applications')
    .description(
      'List which applications were told that a session has ended (OpenID Connect Back-Channel Logout), with their answers, newest first.',
    )
    .option('--client <client id>', 'notices to one application')
    .option('--user <id>', 'notices about one user')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .watchable()
    .examples('list-logout-notices --client shop', 'list-logout-notices --user u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE -o json')
    .action(async (flags: unknown) => {
      const { client: clientId, user: userId, limit, after } = parseFlags(List, flags)
      await cli.run(async ({ oidc }, principal) => {
        const query = { clientId, userId, sort: 'createdAt', order: 'desc', limit, after } as const
        const { notices, next } = await oidc.logouts.list(principal, query)
        const rows = notices.map(({ client: _, user: __, createdAt, attemptedAt, ...notice }) => ({
          ...notice,
          ...{ createdAt: createdAt.toISOString(), attemptedAt: attemptedAt?.toISOString() ?? null },
        }))
        return { json: rows, rows, next }
      })
    })
}
