import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Users } from '../identity/users/index.ts'
import type { Organizations } from '../organizations/index.ts'
import { actorKinds, auditErrors, eventFilter, exportFormats } from './contract.ts'
import type { Exports } from './export.ts'
import type { Audit, EventQuery, NamedEvent } from './service.ts'
import type { CopiesVerification } from './verification.ts'

interface Needs {
  readonly core: { readonly db: Parameters<Users['require']>[0] }
  readonly audit: Audit
  readonly auditExports: Exports
  readonly users: Pick<Users, 'require'>
  readonly organizations?: Pick<Organizations, 'require'>
}

const { organization: org, reason: withReason, ...filters } = eventFilter
const Filter = z.object({ ...filters, org, withReason })
const ListAudit = Filter.extend({ before: z.string().optional(), limit: z.coerce.number().int().min(1).max(1000) })
const VerifyAudit = z.object({ copy: z.string().min(1).optional() })
const ExportAudit = Filter.extend({ format: z.enum(exportFormats) })

type AnyCommand = Parameters<Commands<Needs>>[0]

/** Adds the options that filter events to a command. */
const withFilters = (command: AnyCommand): AnyCommand =>
  command
    .option('--type <type>', 'only this type, such as user.created, or all that begin alike: user.*')
    .option('--subject <id>', 'only events about this user (id or address), or another subject with this id')
    .option('--actor <id>', 'only events by this user (id or address), application or API key')
    .choice('--actor-kind <kind>', 'only events by this kind of actor; anonymous: without a session', actorKinds)
    .option('--impersonator <id>', 'only events of impersonations by this administrator (id or address)')
    .option('--session <id>', 'only events of this session')
    .option('--org <id>', 'only events of this organization (id or slug)')
    .option('--address <address>', 'only from this client address')
    .option('--request <id>', 'only events of one request')
    .option('--with-reason <text>', 'only events with exactly this reason')
    .option('--since <time>', 'only from this day or time on (ISO 8601)')
    .option('--until <time>', 'only before this day or time')

/** The id of an event's subject. Operators can name the subject by email address or slug, but a deleted subject only by its id. */
const namedById = async (
  { core, users, organizations }: Needs,
  { org, withReason, ...query }: z.output<typeof Filter>,
): Promise<EventQuery> => {
  const userId = async (name: string | undefined) =>
    name?.includes('@') === true ? (await users.require(core.db, name)).id : name
  const organizationId = async (name: string | undefined) => {
    if (name === undefined || organizations === undefined) return name
    try {
      return (await organizations.require(name)).id
    } catch (error) {
      if (error instanceof AppError && error.code === 'ORGANIZATION_NOT_FOUND') return name
      throw error
    }
  }
  return {
    ...query,
    reason: withReason,
    subject: await userId(query.subject),
    actor: await userId(query.actor),
    impersonator: await userId(query.impersonator),
    organization: await organizationId(org),
  }
}

/** Describes an actor or subject by kind, name and id. Commands accept the id. */
const inWords = ({ kind, id, name }: NamedEvent['actor']): string =>
  [kind, ...(name === null ? [] : [name]), ...(id === null ? [] : [name === null ? id : `(${id})`])].join(' ')

/** Describes the result of a verification for the terminal. */
const verdictOf = ({ from, to, hash, checkpoints, unsealed, copies, faults }: CopiesVerification): string => {
  if (faults.length > 0)
    return ['Events were changed:', ...faults.map(({ position, message }) => `  ${position}: ${message}`)].join('\n')
  const kept = to < from ? 'No event is sealed' : `The events ${from} to ${to} are unchanged, with ${checkpoints} checkpoints`
  const comparisons = copies.map(({ copy, compared }) => `${copy}: ${compared} events compared, none differs.`)
  return [`${kept}; ${unsealed} wait to be sealed.`, ...comparisons, `Newest hash: ${hash}`].join('\n')
}

export const auditCommands: Commands<Needs> = (program, cli) => {
  withFilters(program.command('list-audit').inGroup('Audit'))
    .description(
      'List the events of the audit log, newest first: action, actor, subject, time and origin. docs/reference/events.md lists the types.',
    )
    .option('--before <id>', 'only events older than this one: the next page')
    .option('--limit <number>', 'how many at most', '50')
    .watchable()
    .examples(
      'list-audit --type user.* --since 2026-12-01',
      'list-audit --actor ann@example.com -o jsonl',
      'list-audit --org acme --watch',
    )
    .action(async (flags: unknown) => {
      const { limit, before, ...filter } = parseFlags(ListAudit, flags)
      await cli.run(async (app, principal) => {
        const listed = await app.audit.list({ ...(await namedById(app, filter)), before }, limit)
        const found = await app.audit.named(principal, listed)
        const events = found.map((event) => ({ ...event, occurredAt: event.occurredAt.toISOString() }))
        const rows = events.map(({ id, occurredAt, type, actor, subject, address, reason, data }) => ({
          id,
          time: occurredAt,
          type,
          actor: inWords(actor),
          subject: inWords(subject),
          address,
          reason,
          data: JSON.stringify(data),
        }))
        const last = events.length === limit ? events.at(-1) : undefined
        return { json: events, rows, next: last === undefined ? null : `--before ${last.id}` }
      })
    })
  withFilters(program.command('export-audit').inGroup('Audit'))
    .description('Write every event that fits to standard output, oldest first.')
    .choice('--format <format>', 'one JSON object a line, or comma-separated values', exportFormats, 'jsonl')
    .examples(
      'export-audit --since 2026-11-01 --until 2026-12-01 > november.jsonl',
      'export-audit --format csv --org acme > acme.csv',
    )
    .action(async (flags: unknown) => {
      const { format, ...filter } = parseFlags(ExportAudit, flags)
      await cli.stream(async (app, principal, write) => {
        const { chunks } = await app.auditExports.start(principal, await namedById(app, filter), format)
        for await (const chunk of chunks) await write(chunk)
      })
    })
  program
    .command('verify-audit')
    .inGroup('Audit')
    .description(
      'Read the whole chain of events and list events that were changed, removed or moved, the earliest first, and checkpoints that do not match. Compare the chain with the copy in events.file.',
    )
    .option('--copy <file>', 'compare it with this file too: a renamed copy, the file of a syslog server, or the log of a daemon')
    .examples('verify-audit', 'verify-audit --json', 'verify-audit --copy /var/log/audit.log')
    .action(async (flags: unknown) => {
      const { copy } = parseFlags(VerifyAudit, flags)
      await cli.run(async ({ audit }) => {
        const { faults, ...result } = await audit
          .verify(({ position, to }) => cli.progress(`${position} of ${to} events`), copy === undefined ? [] : [copy])
          .finally(() => cli.progress(''))
        const text = verdictOf({ ...result, faults })
        if (faults.length === 0) return { json: result, text }
        throw auditErrors.error('EVENTS_WERE_CHANGED', {
          message: text,
          issues: faults.map(({ position, message, kind }) => ({ path: String(position), message: `${kind}: ${message}` })),
        })
      })
    })
}
