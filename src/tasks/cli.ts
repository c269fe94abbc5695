import { z } from 'zod'
import { statuses } from '../core/queue.ts'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Tasks } from './service.ts'

const ListTasks = z.object({
  kind: z.string().optional(),
  status: z.enum(statuses).optional(),
  limit: z.coerce.number().int().min(1).max(1000),
})

export const taskCommands: Commands<{ readonly tasks: Tasks }> = (program, cli) => {
  program
    .command('list-tasks')
    .description('List the newest tasks of the queue; those with status dead were given up.')
    .option('--kind <kind>', 'only of this kind')
    .option('--status <status>', statuses.join(', '))
    .option('--limit <number>', 'how many at most', '50')
    .action(async (flags: unknown) => {
      const { kind, status, limit } = parseFlags(ListTasks, flags)
      await cli.run(async ({ tasks }) => {
        const rows = (await tasks.list(kind, status, limit)).map(
          ({ id, kind, key, label, status, attempts, dueAt, createdAt, lastError }) => ({
            id,
            kind,
            key,
            label,
            status,
            attempts,
            dueAt: dueAt.toISOString(),
            createdAt: createdAt.toISOString(),
            lastError,
          }),
        )
        return { json: rows, rows }
      })
    })
  program
    .command('requeue-task')
    .description('Have a dead task tried again, from its first attempt.')
    .argument('<id>', 'id of the task, as list-tasks shows it')
    .action(async (id: string) => {
      await cli.run(async ({ tasks }) => {
        await tasks.requeue(id)
        return { json: { id }, text: `The task ${id} will be tried again.` }
      })
    })
  program
    .command('drop-task')
    .description('Delete a dead task: what it was to do is not done.')
    .argument('<id>', 'id of the task, as list-tasks shows it')
    .option('--yes', 'do not ask', false)
    .action(async (id: string, { yes }: { readonly yes: boolean }) => {
      await cli.confirm(yes, `This deletes the task ${id}: what it was to do is not done.`)
      await cli.run(async ({ tasks }) => {
        await tasks.drop(id)
        return { json: { id }, text: `The task ${id} is deleted.` }
      })
    })
}
