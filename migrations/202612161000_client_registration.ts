import type { Knex } from 'knex'

/**
 * Clients that register themselves: the registrant of each, the decision of an administrator, and the hash of the token that manages the
 * client.
 */
export const up = async (knex: Knex): Promise<void> => {
  // The columns are added by plain SQL, because knex would copy the whole table on SQLite.
  const columns = [
    "registered_by varchar(32) not null default 'administrator' check (registered_by in ('administrator', 'person', 'api-key', 'initial-access-token', 'anonymous'))",
    // There is no foreign key. The registrant is a person, a key, a token or an application, and may have been deleted.
    'registrant_id varchar(255)',
    "review varchar(16) check (review in ('approved', 'restricted'))",
    'registration_token varchar(64)',
  ]
  for (const column of columns) await knex.raw(`alter table oauth_client add column ${column}`)
  // Read at each registration by an unknown person, to count clients, and to find clients that nobody uses.
  await knex.raw(
    "create index oauth_client_unreviewed_index on oauth_client (created_at, id) where registered_by = 'anonymous' and review is null",
  )
}

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index oauth_client_unreviewed_index')
  for (const column of ['registration_token', 'review', 'registrant_id', 'registered_by'])
    await knex.raw(`alter table oauth_client drop column ${column}`)
}
