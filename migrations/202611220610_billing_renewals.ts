import type { Knex } from 'knex'

interface Subscription {
  readonly status: string
  readonly cancelAtPeriodEnd: boolean
  readonly currentPeriodEnd: string | null
  readonly endsAt: string | null
  readonly endedAt: string | null
}

/** As it is derived since: the earliest end of a paid period after which a renewal should be heard, with six digits of a second. */
const dueAt = (standing: string): string | undefined =>
  (JSON.parse(standing) as { readonly subscriptions: readonly Subscription[] }).subscriptions
    .flatMap(({ status, cancelAtPeriodEnd, currentPeriodEnd, endsAt, endedAt }) => {
      const renews = (status === 'active' || status === 'trialing') && !cancelAtPeriodEnd && endsAt === null && endedAt === null
      return renews && currentPeriodEnd !== null ? new Date(currentPeriodEnd).toISOString().replace('Z', '000Z') : []
    })
    .sort()[0]

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('billing_customer', (t) => {
    t.string('renewal_due_at', 27).index('billing_customer_renewal_due_at_index')
  })
  for (let after = ''; ; ) {
    const rows: { id: string; standing: string }[] = await knex('billing_customer')
      .where('id', '>', after)
      .orderBy('id')
      .limit(500)
      .select('id', 'standing')
    for (const { id, standing } of rows) {
      const due = standing === '' ? undefined : dueAt(standing)
      if (due !== undefined) await knex('billing_customer').where({ id }).update({ renewal_due_at: due })
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.alterTable('billing_customer', (t) => {
    t.dropIndex('renewal_due_at', 'billing_customer_renewal_due_at_index')
    t.dropColumn('renewal_due_at')
  })
}
