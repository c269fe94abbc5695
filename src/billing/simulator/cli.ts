import { z } from 'zod'
import { parseFlags, UsageError } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import { BenefitType } from '../events/benefit.ts'
import { time } from '../events/shared.ts'
import { eventTypes, isEventType } from '../events/table.ts'
import type { Simulation } from './service.ts'

export interface SimulationNeeds {
  readonly billing: { readonly simulation: Simulation }
}

const seconds = z.coerce.number().int()

const SimulateEvent = z.object({
  endpoint: z.string().optional(),
  to: z.string().optional(),
  customer: z.string().optional(),
  customerEmail: z.string().optional(),
  externalId: z.string().optional(),
  product: z.string().optional(),
  price: z.string().optional(),
  benefit: z.string().optional(),
  benefitType: BenefitType.optional(),
  subscription: z.string().optional(),
  order: z.string().optional(),
  status: z.string().optional(),
  seats: z.coerce.number().int().min(0).optional(),
  modifiedAt: time.optional(),
  late: seconds.min(0),
  skew: seconds,
  duplicate: z.coerce.number().int().min(1).max(100),
  wrongSignature: z.boolean().default(false),
  set: z.array(z.string().regex(/^[^=]+=/, 'key=value')),
  print: z.boolean().default(false),
})

const collect = (value: string, before: readonly string[]): string[] => [...before, value]

/**
 * Reads a setting such as `data.seats=3`. If the value is JSON, it is used as JSON, so `3` is a number. Otherwise it is text, as in
 * `data.name=Ann`.
 */
const readSetting = (text: string): readonly [path: string, value: unknown] => {
  const at = text.indexOf('=')
  const value = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(value)]
  } catch {
    return [text.slice(0, at), value]
  }
}

export const simulationCommands: Commands<SimulationNeeds> = (program, cli) => {
  program
    .command('simulate-event')
    .inGroup('Billing')
    .description(
      'Build a valid event of the billing platform, sign it and post it to this or another instance. The same options name the same customer, product, subscription, order and grant again.',
    )
    .argument('<type>', 'type of the event, such as order.paid or benefit_grant.revoked')
    .option('--endpoint <name>', 'webhook endpoint (default: the only one, or polar)')
    .option('--to <url>', 'another instance, or the whole address of its endpoint; needs --secret-stdin')
    .option('--secret-stdin', 'read the secret of the endpoint from the first line of standard input')
    .option('--customer <id>', 'id of the customer (default: made from external id or address)')
    .option('--customer-email <address>', 'address of the customer')
    .option('--external-id <id>', 'user or organization that the customer is')
    .option('--product <id>', 'id of the product')
    .option('--price <id>', 'id of the price')
    .option('--benefit <id>', 'id of the benefit')
    .choice('--benefit-type <type>', 'kind of benefit', BenefitType.options)
    .option('--subscription <id>', 'id of the subscription; an order then belongs to it')
    .option('--order <id>', 'id of the order; a grant then comes from it')
    .option('--status <status>', 'status of the subject of the event; for customer.state_changed: canceled means an empty state')
    .option('--seats <number>', 'seats of a subscription or order')
    .option('--modified-at <time>', 'when it was last changed (default: when the event happens)')
    .option('--late <seconds>', 'how long ago the event happened', '0')
    .option('--skew <seconds>', 'how far the time of the attempt is from now, negative for the past', '0')
    .option('--duplicate <number>', 'send this many copies at once under one webhook-id', '1')
    .option('--wrong-signature', 'sign with a secret that the endpoint does not have')
    .option(
      '--set <path=value>',
      'put a value (JSON, else text) into the event, as data.customer.name=Ann; may be repeated',
      collect,
      [],
    )
    .option('--print', 'print the event and send nothing')
    .examples(
      'simulate-event order.paid --customer-email ann@example.com --product pro',
      'simulate-event subscription.active --external-id 0193f2c4 --print',
    )
    .action(async (type: string, { secretStdin, ...flags }: { readonly secretStdin?: boolean }) => {
      if (!isEventType(type)) throw new UsageError(`there is no event ${type}; there are: ${eventTypes.join(', ')}`)
      const { set, print, late, ...rest } = parseFlags(SimulateEvent, flags)
      const secret = secretStdin === true ? await cli.readSecret('Secret', true) : undefined
      await cli.run(async ({ billing: { simulation } }) => {
        const event = simulation.build(type, {
          ...rest,
          customerId: rest.customer,
          email: rest.customerEmail,
          productId: rest.product,
          priceId: rest.price,
          benefitId: rest.benefit,
          subscriptionId: rest.subscription,
          orderId: rest.order,
          lateSeconds: late,
          set: set.map(readSetting),
        })
        if (print) return { json: event, text: JSON.stringify(event, null, 2) }
        const answers = await simulation.send(event, { ...rest, secret, skewSeconds: rest.skew, copies: rest.duplicate })
        return { json: answers, rows: answers.map((answer) => ({ ...answer })) }
      })
    })
}
