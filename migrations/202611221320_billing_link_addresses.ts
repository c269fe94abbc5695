import type { Knex } from 'knex'

/**
 * Links by address kept the address they were made with when their owner and customer had both moved on to another one. Where the owner
 * has it still, proven, it is theirs: whoever proves it later takes nothing.
 */
export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(`update billing_link set email = (select c.email from billing_customer c where c.id = billing_link.customer_id)
where linked_by = 'email' and exists (select 1 from billing_customer c join "user" u on u.email = c.email
  where c.id = billing_link.customer_id and u.id = billing_link.user_id and u.email_verified and c.email <> billing_link.email)`)
}

export const down = async (): Promise<void> => {
  // What was written is what would be written now.
}
