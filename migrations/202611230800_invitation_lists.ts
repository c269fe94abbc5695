import type { Knex } from 'knex'

/** Indexes for operators' lists of the invitations of all organizations, each in the order of its list. */
const indexes = {
  invitation_created_at_index: '(created_at, id)',
  invitation_status_created_at_index: '(status, created_at, id)',
  invitation_email_created_at_index: '(email, created_at, id)',
  invitation_inviter_created_at_index: '(inviter_id, created_at, id)',
}

export const up = async (knex: Knex): Promise<void> => {
  for (const [name, columns] of Object.entries(indexes)) await knex.schema.raw(`create index ${name} on invitation ${columns}`)
  // Another index now begins with this column.
  await knex.schema.raw('drop index invitation_inviter_id_index')
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.schema.raw('create index invitation_inviter_id_index on invitation (inviter_id)')
  for (const name of Object.keys(indexes)) await knex.schema.raw(`drop index ${name}`)
}
