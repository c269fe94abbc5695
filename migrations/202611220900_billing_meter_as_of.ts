import type { Knex } from 'knex'

interface Meter {
  readonly meterId: string
  readonly deliveryId: string
}
interface Counted {
  readonly meter_id: string
  readonly created_at: string
  readonly modified_at: string | null
}

/** Six digits of a second, as it is derived since; the platform sends UTC. */
const sortable = (time: string) =>
  `${new Date(time).toISOString().slice(0, 19)}.${(/\.(\d+)/.exec(time)?.[1] ?? '').slice(0, 6).padEnd(6, '0')}Z`

/** Since when the balance of a meter is known: of a snapshot when it was made, of a subscription when the meter changed. */
const asOf = async (knex: Knex, customerId: string, { meterId, deliveryId }: Meter): Promise<string> => {
  const rests = { delivery_id: deliveryId }
  const state: { version: string } | undefined = await knex('billing_customer_state')
    .where({ id: customerId, ...rests })
    .first()
  if (state !== undefined) return state.version.slice(2, 29)
  const subscriptions: { data: string }[] = await knex('billing_subscription').where({ customer_id: customerId, ...rests })
  const counted = subscriptions.flatMap(({ data }) => (JSON.parse(data) as { meters?: readonly Counted[] }).meters ?? [])
  const found = counted.find(({ meter_id }) => meter_id === meterId)
  return found === undefined ? '1970-01-01T00:00:00.000000Z' : sortable(found.modified_at ?? found.created_at)
}

/** Standings with meters, in which `change` sets or removes since when each balance is known. */
const changeMeters = async (knex: Knex, change: (customerId: string, meter: Meter) => Promise<object>): Promise<void> => {
  for (let after = ''; ; ) {
    const rows: { id: string; standing: string }[] = await knex('billing_customer')
      .where('id', '>', after)
      .orderBy('id')
      .limit(500)
      .select('id', 'standing')
    for (const { id, standing } of rows) {
      const held: { meters?: readonly Meter[] } = standing === '' ? {} : JSON.parse(standing)
      if (held.meters === undefined || held.meters.length === 0) continue
      const meters: object[] = []
      for (const meter of held.meters) meters.push(await change(id, meter))
      await knex('billing_customer')
        .where({ id })
        .update({ standing: JSON.stringify({ ...held, meters }) })
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

export const up = (knex: Knex): Promise<void> =>
  changeMeters(knex, async (customerId, meter) => {
    const { deliveryId, ...rest } = meter
    return { ...rest, asOf: await asOf(knex, customerId, meter), deliveryId }
  })

export const down = (knex: Knex): Promise<void> =>
  changeMeters(knex, async (_customerId, { asOf: _, ...meter }: Meter & { readonly asOf?: string }) => meter)
