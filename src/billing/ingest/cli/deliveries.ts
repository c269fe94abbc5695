import { z } from 'zod'
import { cursorOf } from '../../../core/page.ts'
import { parseFlags } from '../../../core/terminal.ts'
import type { Commands } from '../../../feature.ts'
import type { Deliveries, ListedDelivery } from '../deliveries.ts'
import type { Rejections } from '../rejections.ts'
import { deliveryStatuses } from '../rules.ts'

export interface DeliveryNeeds {
  readonly billing: { readonly deliveries: Deliveries; readonly rejections: Rejections }
}

/** Number of deliveries in a page. */
const pageSize = 100
const newestFirst = { sort: 'receivedAt', order: 'desc' } as const

const ListDeliveries = z.object({
  verdict: z.enum(deliveryStatuses).optional(),
  endpoint: z.string().optional(),
  type: z.string().optional(),
  customer: z.string().optional(),
  since: z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'a date, or a time with its offset').optional(),
  after: z
    .string()
    .refine((after) => cursorOf({ ...newestFirst, limit: 1, after }).after !== undefined, 'is not the next of a list')
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000),
  refused: z.boolean(),
})

/** Gives the fields of a delivery the names that the output of the command uses. */
const shown = ({ status: verdict, outcome: effect, issues, attempts, appliedAt, dismissedAt, ...delivery }: ListedDelivery) => ({
  ...delivery,
  ...{ verdict, effect, issues, attempts, appliedAt, dismissedAt },
})

const listDeliveries: Commands<DeliveryNeeds> = (program, cli) => {
  program
    .command('list-deliveries')
    .inGroup('Billing')
    .description('List the received billing events, newest first. Events in quarantine were not understood.')
    .choice('--verdict <verdict>', 'only with this verdict', deliveryStatuses)
    .option('--endpoint <name>', 'received at this endpoint')
    .option('--type <type>', 'type of the event, such as order.paid')
    .option('--customer <id>', "about the billing platform's customer with this id")
    .option('--since <time>', 'received since this date (2026-12-01) or time (2026-12-01T12:00:00Z)')
    .option('--after <next>', 'where the page before said that the list goes on')
    .option('--limit <number>', 'how many at most', '50')
    .option('--refused', 'list rejected deliveries without a valid signature instead: number, reason and network', false)
    .watchable()
    .examples(
      'list-deliveries --verdict quarantined',
      'list-deliveries --customer 0193f2c4 --since 2026-12-01 -o jsonl',
      'list-deliveries --watch',
    )
    .action(async (flags: unknown) => {
      const { verdict: status, type, customer, since, after, limit, refused, ...rest } = parseFlags(ListDeliveries, flags)
      await cli.run(async ({ billing }) => {
        if (refused) {
          const rows = await billing.rejections.list(limit)
          return {
            json: rows,
            rows: rows.map(({ firstSeenAt, lastSeenAt, ...row }) => ({
              ...row,
              firstSeenAt: firstSeenAt.toISOString(),
              lastSeenAt: lastSeenAt.toISOString(),
            })),
          }
        }
        const filter = {
          ...rest,
          status,
          eventType: type,
          customerId: customer,
          since: since === undefined ? undefined : new Date(since),
        }
        const rows: ListedDelivery[] = []
        let next: string | null | undefined = after
        do {
          const page = await billing.deliveries.list(filter, {
            ...{ ...newestFirst, limit: Math.min(pageSize, limit - rows.length) },
            after: next,
          })
          rows.push(...page.rows)
          next = page.next
        } while (next !== null && rows.length < limit)
        return {
          json: rows.map(shown),
          next,
          rows: rows.map(({ id, receivedAt, eventType, customerId, status, outcome, attempts, issues }) => ({
            id,
            receivedAt: receivedAt.toISOString(),
            type: eventType,
            customer: customerId,
            verdict: status,
            effect: outcome,
            attempts,
            issues: issues.map(({ path }) => path).join(' '),
          })),
        }
      })
    })
}

const replayDelivery: Commands<DeliveryNeeds> = (program, cli) => {
  program
    .command('replay-delivery')
    .inGroup('Billing')
    .description('Judge a stored billing event again and apply it: after an upgrade that understands it, say. Twice is as once.')
    .argument('<id>', 'id of the delivery, as list-deliveries shows it')
    .examples('replay-delivery 0193f2c4', 'replay-delivery 0193f2c4 --json')
    .action(async (id: string) => {
      await cli.run(async ({ billing }, principal) => ({
        json: { id, effect: await billing.deliveries.replay(principal, id) },
      }))
    })
}

const dismissDelivery: Commands<DeliveryNeeds> = (program, cli) => {
  program
    .command('dismiss-delivery')
    .inGroup('Billing')
    .description(
      'Dismiss a billing event in quarantine: only then may billing.retentionDays delete it. The event can be replayed until it is deleted.',
    )
    .argument('<id>', 'id of the delivery, as list-deliveries --verdict quarantined shows it')
    .examples('dismiss-delivery 0193f2c4', 'dismiss-delivery 0193f2c4 --json')
    .action(async (id: string) => {
      await cli.run(async ({ billing }, principal) => {
        const dismissedAt = await billing.deliveries.dismiss(principal, id)
        return { json: { id, dismissedAt: dismissedAt.toISOString() } }
      })
    })
}

const forgetCustomer: Commands<DeliveryNeeds> = (program, cli) => {
  program
    .command('forget-customer')
    .inGroup('Billing')
    .description('Remove all data of a billing customer permanently: derived state, bodies of deliveries, and later deliveries.')
    .argument('<id>', "the billing platform's id of the customer")
    .option('--yes', 'do not ask', false)
    .examples('forget-customer 0193f2c4', 'forget-customer 0193f2c4 --yes')
    .action(async (id: string, { yes }: { readonly yes: boolean }) => {
      await cli.confirm(yes, `This removes everything known of the customer ${id}, for good.`)
      await cli.run(async ({ billing }, principal) => ({
        json: { customerId: id, deliveries: await billing.deliveries.forgetCustomer(principal, id) },
      }))
    })
}

export const deliveryCommands: Commands<DeliveryNeeds> = (program, cli) => {
  for (const add of [listDeliveries, replayDelivery, dismissDelivery, forgetCustomer]) add(program, cli)
}
