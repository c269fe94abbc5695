import { z } from 'zod'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from './service.ts'

const states = ['pending', 'sent', 'failed'] as const

const ListMails = z.object({
  state: z.enum(states).optional(),
  limit: z.coerce.number().int().min(1).max(1000),
})

export const mailCommands: Commands<{ readonly mail: Mail }> = (program, cli) => {
  program
    .command('list-mails')
    .inGroup('Mail and tasks')
    .description('List the newest mails in the outbox. Mails with state failed are not tried again.')
    .choice('--state <state>', 'only in this state', states)
    .option('--limit <number>', 'how many at most', '50')
    .watchable()
    .examples('list-mails --state failed', 'list-mails --watch 5', 'list-mails -o csv --limit 1000')
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
    .inGroup('Mail and tasks')
    .description('Try a failed mail again.')
    .argument('<id>', 'id of the mail, as list-mails shows it')
    .examples('retry-mail 0193f2c4', 'retry-mail 0193f2c4 --json')
    .action(async (id: string) => {
      await cli.run(async ({ mail }, principal) => {
        await mail.requeue(principal, id)
        return { json: { id }, text: `The mail ${id} will be sent again.` }
      })
    })
}
