import type { Knex } from 'knex'

const table = 'resource_server'
const constraint = 'resource_server_signing_alg_check'

const allow = async (knex: Knex, algs: readonly string[]) => {
  const check = `signing_alg in (${algs.map((alg) => `'${alg}'`).join(', ')})`
  if (knex.client.dialect === 'postgresql') {
    await knex.raw(`alter table ${table} drop constraint ${constraint}`)
    await knex.raw(`alter table ${table} add constraint ${constraint} check (${check})`)
    return
  }
  // SQLite cannot change a check of a table, so a new table with the new check and the same indexes replaces the old one.
  const stored = () => knex('sqlite_master').where({ tbl_name: table }).whereNotNull('sql')
  const [{ sql }] = await stored().where({ type: 'table' }).select('sql')
  const indexes = await stored().where({ type: 'index' }).select('sql')
  await knex.raw(sql.replace(table, `${table}_next`).replace(/signing_alg in \([^)]*\)/, check))
  await knex.raw(`insert into ${table}_next select * from ${table}`)
  await knex.raw(`drop table ${table}`)
  await knex.raw(`alter table ${table}_next rename to ${table}`)
  for (const index of indexes) await knex.raw(index.sql)
}

/** Allows access tokens for an API that are signed with PS256. */
export const up = (knex: Knex): Promise<void> => allow(knex, ['RS256', 'PS256', 'ES256', 'EdDSA'])

/** APIs with PS256 continue with RS256, which has the same kind of key. */
export const down = async (knex: Knex): Promise<void> => {
  await knex(table).where({ signing_alg: 'PS256' }).update({ signing_alg: 'RS256' })
  await allow(knex, ['RS256', 'ES256', 'EdDSA'])
}
