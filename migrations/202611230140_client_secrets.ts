import type { Knex } from 'knex'

/** Lists of clients and consents are read in these orders, page by page. */
const indexes = [
  ['oauth_client', ['created_at', 'id'], 'oauth_client_created_at_index'],
  ['oauth_client', ['name_key', 'id'], 'oauth_client_name_key_index'],
  ['oauth_consent', ['updated_at', 'id'], 'oauth_consent_updated_at_index'],
  ['oauth_consent', ['client_id', 'updated_at', 'id'], 'oauth_consent_client_updated_at_index'],
  ['oauth_consent', ['user_id', 'updated_at', 'id'], 'oauth_consent_user_updated_at_index'],
] as const

export const up = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('client_secret', (t) => {
    t.string('id', 32).primary()
    t.string('oauth_client_id', 32).notNullable().references('oauth_client.id').onDelete('CASCADE')
    // There are two slots, so that a client never has three secrets, even if two people rotate it at the same moment.
    t.integer('slot').notNullable()
    // The SHA-256 of the secret. A secret that signs ID tokens is sealed instead, with its client as the context, like the column from
    // which it comes.
    t.text('secret').notNullable()
    // The first characters of the secret. Null if only the hash was stored.
    t.string('hint', 8)
    t.timestamp('created_at').notNullable()
    // Null until the secret is replaced or revoked.
    t.timestamp('expires_at')
    t.timestamp('last_used_at')
    t.unique(['oauth_client_id', 'slot'], { indexName: 'client_secret_client_slot_unique' })
    t.check('slot in (1, 2)', {}, 'client_secret_slot_check')
  })
  await knex.raw(
    `insert into client_secret (id, oauth_client_id, slot, secret, created_at)
    select id, id, 1, client_secret, created_at from oauth_client where client_secret is not null`,
  )
  await knex.raw('alter table oauth_client drop column client_secret')
  // In lower case, and compared by code points on both databases, so that all names with a prefix are one range of the index.
  const collation = knex.client.dialect === 'postgresql' ? ' collate "C"' : ''
  await knex.raw(`alter table oauth_client add column name_key varchar(400)${collation} not null default ''`)
  const clients: { id: string; name: string }[] = await knex('oauth_client').select('id', 'name')
  for (const { id, name } of clients) await knex('oauth_client').where({ id }).update({ name_key: name.toLowerCase() })
  for (const [table, columns, name] of indexes) await knex.schema.alterTable(table, (t) => t.index([...columns], name))
}

/** A client keeps the secret that is valid longest. If it has a second one, because it is being replaced, that one is lost. */
export const down = async (knex: Knex): Promise<void> => {
  for (const [table, columns, name] of indexes) await knex.schema.alterTable(table, (t) => t.dropIndex([...columns], name))
  await knex.raw('alter table oauth_client drop column name_key')
  await knex.raw('alter table oauth_client add column client_secret text')
  const now = new Date()
  const secrets: { oauth_client_id: string; secret: string }[] = await knex('client_secret')
    .where((alive) => alive.whereNull('expires_at').orWhere('expires_at', '>', now))
    .orderByRaw('case when expires_at is null then 1 else 0 end, expires_at, created_at')
    .select('oauth_client_id', 'secret')
  for (const { oauth_client_id: id, secret } of secrets)
    await knex('oauth_client').where({ id }).update({ client_secret: secret })
  await knex.schema.dropTable('client_secret')
}
