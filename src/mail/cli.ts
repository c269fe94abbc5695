import { z } from 'zod'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from './service.ts'

const ListMails = z.object({
  state: z.enum(['pending', 'sent', 'failed']).optional(),
  limit: z.coerce.number().int().min(1).max(1000),
})

export const mailCommands: Commands<{ readonly mail: Mail }> = (program, cli) => {
  program
    .command('list-mails')
    .description('List the newest mails in the outbox; those with state failed were given up.')
    .option('--state <state>', 'pending, sent or failed')
    .option('--limit <number>', 'how many at most', '50')
    .action(async (flags: unknown) => {
      const { state, limit } = parseFlags(ListMails, flags)
      await cli.run(async ({ mail }) => {
        const rows = (await mail.list(state, limit)).map(({ id, kind, toAddress, state, attempts, createdAt, lastError }) => ({
          id,
          kind,
          to: toAddress,
          state,
          attempts,
          createdAt: createdAt.toISOString(),
          lastError,
        }))
        return { json: rows, rows }
      })
    })
  program
    .command('retry-mail')
    .description('Try a failed mail again.')
    .argument('<id>', 'id of the mail, as list-mails shows it')
    .action(async (id: string) => {
      await cli.run(async ({ mail }) => {
        await mail.requeue(id)
        return { json: { id }, text: `The mail ${id} will be sent again.` }
      })
    })
}
