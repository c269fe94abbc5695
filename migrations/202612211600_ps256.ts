import type { Knex } from 'knex'

const column = 'id_token_alg'
const constraint = 'oauth_client_id_token_alg_check'

const allow = async (knex: Knex, algs: readonly string[]) => {
  const list = algs.map((alg) => `'${alg}'`).join(', ')
  // SQLite cannot change a check, so a new column with the new check replaces the old column. PostgreSQL does the same, so that the order
  // of columns is equal on both databases.
  if (knex.client.dialect === 'postgresql') await knex.raw(`alter table oauth_client drop constraint ${constraint}`)
  const wanted = `varchar(8) not null default 'RS256' constraint ${constraint} check (next_alg in (${list}))`
  await knex.raw(`alter table oauth_client add column next_alg ${wanted}`)
  await knex.raw(`update oauth_client set next_alg = ${column}`)
  await knex.raw(`alter table oauth_client drop column ${column}`)
  await knex.raw(`alter table oauth_client rename column next_alg to ${column}`)
}

/** Allows ID tokens that are signed with PS256. */
export const up = (knex: Knex): Promise<void> => allow(knex, ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256'])

/** Clients with PS256 continue with RS256, which has the same kind of key. */
export const down = async (knex: Knex): Promise<void> => {
  await knex('oauth_client').where({ id_token_alg: 'PS256' }).update({ id_token_alg: 'RS256' })
  await knex('signing_key').where({ alg: 'PS256' }).delete()
  await allow(knex, ['RS256', 'ES256', 'EdDSA', 'HS256'])
}
