import type { Knex } from 'knex'

interface Subscription {
  readonly status: string
  readonly endedAt: string | null
  readonly amount: number
  readonly currency: string
  readonly interval: string
}

const ranked = ['past_due', 'unpaid', 'active', 'trialing', 'incomplete', 'paused']
const timesAYear: Readonly<Record<string, number>> = { day: 365, week: 52, month: 12, year: 1 }

/** A copy of `paymentOf`, as it was when this migration was written. */
const paymentOf = (subscriptions: readonly Subscription[]) => {
  const running = subscriptions.filter(
    ({ status, endedAt }) => endedAt === null && status !== 'canceled' && status !== 'incomplete_expired',
  )
  const paid = running.filter(({ status, amount }) => status === 'active' && amount > 0)
  const [currency, ...others] = [...new Set(paid.map((one) => one.currency.toLowerCase()))]
  const yearly = paid.reduce((sum, { amount, interval }) => sum + amount * (timesAYear[interval] ?? Number.NaN), 0)
  const isSummed = currency !== undefined && others.length === 0 && currency.length <= 8 && Number.isSafeInteger(yearly)
  return {
    payment_status: ranked.find((status) => running.some((one) => one.status === status)) ?? 'ended',
    ...(isSummed ? { recurring_currency: currency, recurring_yearly: yearly } : {}),
  }
}

const rowsAtOnce = 500

/** What each customer pays, stored beside the snapshot from which it is computed. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('billing_customer', (t) => {
    t.string('payment_status', 16)
    t.string('recurring_currency', 8)
    t.bigInteger('recurring_yearly')
  })
  for (let after = ''; ; ) {
    const rows: { id: string; snapshot: string }[] = await knex('billing_customer')
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .select('id', 'snapshot')
    for (const { id, snapshot } of rows) {
      const { subscriptions = [] } = (snapshot === '' ? {} : JSON.parse(snapshot)) as { subscriptions?: readonly Subscription[] }
      if (subscriptions.length > 0) await knex('billing_customer').where({ id }).update(paymentOf(subscriptions))
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) break
    after = last.id
  }
  await knex.raw(
    'create index billing_customer_payment_status_index on billing_customer (payment_status, created_at, id) where payment_status is not null',
  )
  await knex.raw(
    'create index billing_customer_recurring_index on billing_customer (recurring_currency, created_at, id, recurring_yearly) where recurring_currency is not null',
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index billing_customer_recurring_index')
  await knex.raw('drop index billing_customer_payment_status_index')
  for (const column of ['recurring_yearly', 'recurring_currency', 'payment_status'])
    await knex.schema.alterTable('billing_customer', (t) => t.dropColumn(column))
}
