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
    .inGroup('Mail and tasks')
    .description('List the newest tasks of the queue. Tasks with status dead are not tried again.')
    .option('--kind <kind>', 'only of this kind')
    .choice('--status <status>', 'only in this status', statuses)
    .option('--limit <number>', 'how many at most', '50')
    .watchable()
    .examples('list-tasks --status dead', 'list-tasks --kind mail.send --watch', 'list-tasks -o id --status dead')
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
    .inGroup('Mail and tasks')
    .description('Have a dead task tried again, from its first attempt.')
    .argument('<id>', 'id of the task, as list-tasks shows it')
    .examples('requeue-task 0193f2c4', 'requeue-task 0193f2c4 --json')
    .action(async (id: string) => {
      await cli.run(async ({ tasks }, principal) => {
        await tasks.requeue(principal, id)
        return { json: { id }, text: `The task ${id} will be tried again.` }
      })
    })
  program
    .command('drop-task')
    .inGroup('Mail and tasks')
    .description('Delete a dead task. Its work is never done.')
    .argument('<id>', 'id of the task, as list-tasks shows it')
    .option('--yes', 'do not ask', false)
    .examples('drop-task 0193f2c4', 'drop-task 0193f2c4 --yes')
    .action(async (id: string, { yes }: { readonly yes: boolean }) => {
      await cli.confirm(yes, `This deletes the task ${id}: what it was to do is not done.`)
      await cli.run(async ({ tasks }, principal) => {
        await tasks.drop(principal, id)
        return { json: { id }, text: `The task ${id} is deleted.` }
      })
    })
}
