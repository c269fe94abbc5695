import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { webhooks as webhooks202604 } from '@polar-sh/sdk/2026-04'
import { webhooks } from '@polar-sh/sdk/2026-10'
import { webhooks as webhooks202701 } from '@polar-sh/sdk/2027-01'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { type EventType, parseEvent } from '../../src/billing/events/parse.ts'
import { type Entity, type entitySchemas, eventTypes } from '../../src/billing/events/table.ts'
import { keysOf } from '../../src/billing/ingest/rules.ts'
import { createVerifier } from '../../src/billing/ingest/verify.ts'
import { eventOf, signedDelivery } from '../support/billing.ts'

const clientFolder = join(dirname(createRequire(import.meta.url).resolve('@polar-sh/sdk/2026-10')), '..')
const declarations = globSync('models-*.d.mts', { cwd: clientFolder })
  .sort()
  .map((name) => readFileSync(join(clientFolder, name), 'utf8'))
  .join('\n')

/** One secret of each kind in use (billing events, section 2.1). */
const secrets = {
  'free text': 'a text that the merchant chose, with 32 characters and more',
  'the prefix of 2025': 'polar_whs_kJ2mVtY8wQpL4xRz7nBc3sHd9fGa5eTuW1oXi6yMvKq',
  'the prefix of the standard, as text': 'whsec_kJ2mVtY8wQpL4xRz7nBc3sHd9fGa5eTuW1oXi6yMvKq',
  'the prefix of the standard, as base64': `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  'the forwarding tool': '0123456789abcdef0123456789abcdef',
}
const [secret] = Object.values(secrets) as [string]

const ours = (given: string, { headers, body }: ReturnType<typeof signedDelivery>) =>
  createVerifier(keysOf(given))(headers, Buffer.from(body), new Date(), 300)

describe("the platform's own client, version 1.0.1", () => {
  test.each(eventTypes)("the platform's client and gatehouse accept the same simulated %s event", async (type) => {
    const delivery = signedDelivery(secret, eventOf(type))
    for (const { validateEvent } of [webhooks, webhooks202604, webhooks202701]) {
      const accepted = await validateEvent(delivery.body, delivery.headers, secret)
      expect(accepted.type).toBe(type)
      expect(parseEvent(accepted)).toMatchObject({ ok: true, event: { type } })
    }
  })

  test.each(Object.entries(secrets))(
    "the platform's client and gatehouse's verifier agree on a secret of this kind: %s",
    async (_, given) => {
      const delivery = signedDelivery(given, eventOf('order.paid'), { id: 'msg_1' })
      await expect(webhooks.validateEvent(delivery.body, delivery.headers, given)).resolves.toMatchObject({ type: 'order.paid' })
      expect(ours(given, delivery)).toMatchObject({ webhookId: 'msg_1' })
      const forged = { ...delivery, body: delivery.body.replace('order.paid', 'order.void') }
      await expect(webhooks.validateEvent(forged.body, forged.headers, given)).rejects.toThrow('No matching signature found')
      expect(() => ours(given, forged)).toThrow('No matching signature found')
    },
  )

  test('a padded base64 secret gives two signatures, and the standard signature comes first', () => {
    const standard = secrets['the prefix of the standard, as base64']
    const entries = signedDelivery(standard, {}).headers['webhook-signature']?.split(' ')
    expect(entries).toHaveLength(2)
    const key = Buffer.from(standard.slice('whsec_'.length), 'base64')
    const delivery = signedDelivery(standard, {})
    const onlyFirst = { ...delivery.headers, 'webhook-signature': delivery.headers['webhook-signature']?.split(' ')[0] }
    expect(createVerifier([key])(onlyFirst, Buffer.from(delivery.body), new Date(), 300)).toBeTruthy()
  })

  // This client version compares only the name of an event: unlike earlier ones it accepts a body of 2025. The type declarations of its
  // shapes are compared with ours below.
  test("the platform's client accepts an event of 2025 and an event without fields, because it checks no field", async () => {
    for (const event of [eventOf('order.paid', { shape: '2025' }), { type: 'order.paid', data: null }]) {
      const { body, headers } = signedDelivery(secret, event)
      await expect(webhooks.validateEvent(body, headers, secret)).resolves.toEqual(event)
    }
    expect(parseEvent(eventOf('order.paid', { shape: '2025' })).ok).toBe(true)
    expect(parseEvent({ type: 'order.paid', data: null }).ok).toBe(false)
  })

  test("the platform's client refuses the same unknown event as gatehouse", async () => {
    const { body, headers } = signedDelivery(secret, { type: 'pledge.created', data: { id: 'x' } })
    await expect(webhooks.validateEvent(body, headers, secret)).rejects.toThrow('Unknown webhook event type')
    expect(parseEvent(JSON.parse(body))).toMatchObject({ message: 'Unknown event type pledge.created' })
  })
})

type Payload = webhooks.WebhookPayload
/** Converts interfaces to plain types, which can be read as maps. */
type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T
type Declared<T extends EventType> = Plain<Extract<Payload, { type: T }>['data']>
type Read<E extends Entity> = z.input<(typeof entitySchemas)[E]>
type StateSubscription<T extends { active_subscriptions: readonly unknown[] }> = T['active_subscriptions'][number]

describe("type declarations of the platform's client", () => {
  test("the declarations of the platform's client name the events that gatehouse knows", () => {
    expectTypeOf<Payload['type']>().toEqualTypeOf<EventType>()
  })

  // Left out: the tags of a discount, and the status of a subscription in a state, which the declarations do not distinguish. They also
  // make the `func` of an aggregation optional, which the sender always sends.
  test("the type declarations of the platform's client allow nothing that gatehouse would refuse", () => {
    expectTypeOf<Declared<'customer.updated'>>().toExtend<Read<'customer'>>()
    expectTypeOf<Omit<Declared<'customer.state_changed'>, 'active_subscriptions'>>().toExtend<
      Omit<Read<'customer_state'>, 'active_subscriptions'>
    >()
    expectTypeOf<Omit<StateSubscription<Declared<'customer.state_changed'>>, 'status'>>().toExtend<
      Omit<StateSubscription<Read<'customer_state'>>, 'status'>
    >()
    expectTypeOf<Declared<'benefit.updated'>>().toExtend<Read<'benefit'>>()
    expectTypeOf<Declared<'benefit_grant.updated'>>().toExtend<Read<'benefit_grant'>>()
    expectTypeOf<Omit<Declared<'checkout.updated'>, 'discount'>>().toExtend<Omit<Read<'checkout'>, 'discount'>>()
    expectTypeOf<Omit<Declared<'order.paid'>, 'discount'>>().toExtend<Omit<Read<'order'>, 'discount'>>()
    expectTypeOf<Declared<'organization.updated'>>().toExtend<Read<'organization'>>()
    expectTypeOf<Declared<'product.updated'>>().toExtend<Read<'product'>>()
    expectTypeOf<Declared<'refund.updated'>>().toExtend<Read<'refund'>>()
    expectTypeOf<Omit<Declared<'subscription.updated'>, 'discount'>>().toExtend<Omit<Read<'subscription'>, 'discount'>>()
  })

  /** Keys that an interface of the declarations requires. */
  const requiredKeys = (name: string): readonly string[] => {
    const source = new RegExp(`^interface ${name} \\{([\\s\\S]*?)^\\}`, 'm').exec(declarations)?.[1] ?? ''
    return [...source.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key ?? '')
  }

  test.each<readonly [name: string, type: EventType, path: readonly string[]]>([
    ['CustomerIndividual', 'customer.created', []],
    ['CustomerStateIndividual', 'customer.state_changed', []],
    ['CustomerStateSubscription', 'customer.state_changed', ['active_subscriptions', '0']],
    ['CustomerStateBenefitGrant', 'customer.state_changed', ['granted_benefits', '0']],
    ['CustomerStateMeter', 'customer.state_changed', ['active_meters', '0']],
    ['BenefitCustom', 'benefit.created', []],
    ['BenefitGrantCustomWebhook', 'benefit_grant.created', []],
    ['Checkout', 'checkout.created', []],
    ['CheckoutProduct', 'checkout.created', ['products', '0']],
    ['Order', 'order.paid', []],
    ['OrderItemSchema', 'order.paid', ['items', '0']],
    ['OrderProduct', 'order.paid', ['product']],
    ['OrderSubscription', 'order.paid', ['subscription']],
    ['Organization', 'organization.updated', []],
    ['Product', 'product.created', []],
    ['ProductPriceMeteredUnit', 'product.created', ['prices', '0']],
    ['ProductMediaFileRead', 'product.created', ['medias', '0']],
    ['CustomFieldText', 'product.created', ['attached_custom_fields', '0', 'custom_field']],
    ['Refund', 'refund.created', []],
    ['Subscription', 'subscription.active', []],
    ['SubscriptionMeter', 'subscription.active', ['meters', '0']],
    ['Meter', 'subscription.active', ['meters', '0', 'meter']],
    ['DiscountFixedRepeatDuration', 'discount.created', []],
  ])('the generated %s of the event %s has every required key', (name, type, path) => {
    const event = eventOf(type, {
      subscriptionId: 'subscription-1',
      priceKind: 'metered_unit',
      discount: { type: 'fixed', duration: 'repeating' },
    })
    const part = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], event.data) as object
    const required = requiredKeys(name)
    expect(required.length).toBeGreaterThan(3)
    expect(required.filter((key) => !(key in part))).toEqual([])
  })
})
