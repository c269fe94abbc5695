import { z } from 'zod'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import { auditErrors } from './errors.ts'
import type { Audit } from './service.ts'

const ListEvents = z.object({
  type: z.string().optional(),
  subject: z.string().optional(),
  actor: z.string().optional(),
  organization: z.string().optional(),
  since: z.iso
    .datetime({ offset: true })
    .or(z.iso.date())
    .transform((text) => new Date(text))
    .optional(),
  before: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000),
})

export const auditCommands: Commands<{ readonly audit: Audit }> = (program, cli) => {
  program
    .command('list-events')
    .inGroup('Audit')
    .description(
      'List what has happened, newest first: who did what to whom, when and from where. docs/events.md names the types.',
    )
    .option('--type <type>', 'only events of this type, such as user.created')
    .option('--subject <id>', 'only events about this user, client, invitation or whatever has the id')
    .option('--actor <id>', 'only what this user, application or API key has done')
    .option('--organization <id>', 'only what happened in this organization')
    .option('--since <time>', 'only events from this day or time on (ISO 8601)')
    .option('--before <id>', 'only events older than this one: the next page')
    .option('--limit <number>', 'how many at most', '50')
    .watchable()
    .examples(
      'list-events --type user.created --since 2026-12-01',
      'list-events --actor 0193f2c4 -o jsonl',
      'list-events --watch',
    )
    .action(async (flags: unknown) => {
      const { limit, ...query } = parseFlags(ListEvents, flags)
      await cli.run(async ({ audit }) => {
        const events = (await audit.list(query, limit)).map((event) => ({ ...event, occurredAt: event.occurredAt.toISOString() }))
        const rows = events.map(({ id, occurredAt, type, actorKind, actorId, subjectType, subjectId, address, data }) => ({
          id,
          time: occurredAt,
          type,
          actor: actorId === null ? actorKind : `${actorKind} ${actorId}`,
          subject: `${subjectType} ${subjectId}`,
          address,
          data: JSON.stringify(data),
        }))
        return { json: events, rows }
      })
    })
  program
    .command('verify-events')
    .inGroup('Audit')
    .description('Read the whole chain of events and name events that were changed or removed, and checkpoints that do not fit.')
    .examples('verify-events', 'verify-events --json')
    .action(async () => {
      await cli.run(async ({ audit }) => {
        const { faults, ...result } = await audit.verify()
        const { from, to, hash, checkpoints, unsealed } = result
        if (faults.length > 0)
          throw auditErrors.error('EVENTS_WERE_CHANGED', {
            message: ['Events were changed:', ...faults.map(({ position, message }) => `  ${position}: ${message}`)].join('\n'),
            issues: faults.map(({ position, message, kind }) => ({ path: String(position), message: `${kind}: ${message}` })),
          })
        const kept =
          to < from ? 'No event is sealed' : `The events ${from} to ${to} are unchanged, with ${checkpoints} checkpoints`
        return { json: result, text: `${kept}; ${unsealed} wait to be sealed.\nNewest hash: ${hash}` }
      })
    })
}
