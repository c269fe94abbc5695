import type { Knex } from 'knex'
import { createSearchText, dropSearchText } from './202612224000_search_texts.ts'

const isSqlite = (knex: Knex) => knex.client.dialect !== 'postgresql'

const searched = ['user', 'organization', 'api_key', 'oauth_client', 'billing_customer']

/**
 * The trigrams of a text, each combined with the block of 32,768 numbers that contains the text. So the index can be asked for the texts
 * of one block, beginning with the newest, until a page is full. Everything else is as in `search_trigrams`.
 */
const keyFunction = `create function search_keys(part text, number bigint) returns bigint[] language plpgsql immutable strict parallel restricted cost 1000 as $$
declare
  points text[] := string_to_array(part, null);
  keys bigint[] := '{}';
  block bigint := (number >> 15) << 30;
  recent bigint := 0;
begin
  for i in 1 .. cardinality(points) loop
    recent := ((recent & 1048575) << 10) | (ascii(points[i]) & 1023);
    if i > 2 then
      keys[i - 2] := block | recent;
    end if;
  end loop;
  return keys;
end $$`

/** Numbers the texts in the order in which their rows were added. Later texts get higher numbers. */
const renumber = async (knex: Knex, name: string): Promise<void> => {
  const [table, former] = [`${name}_search_text`, `${name}_former_search_text`]
  await knex.raw(`create table ${former} as select ${name}_id, text from ${table}`)
  const fill = async (into: string): Promise<void> => {
    await knex.raw(
      `${into} select f.${name}_id, f.text from ${former} f join "${name}" r on r.id = f.${name}_id order by r.created_at, r.id`,
    )
  }
  if (isSqlite(knex)) {
    await dropSearchText(knex, name)
    await createSearchText(knex, name, fill)
  } else {
    await knex.raw(`truncate ${table} restart identity`)
    await fill(`insert into ${table} (${name}_id, text)`)
  }
  await knex.raw(`drop table ${former}`)
}

const indexBy = async (knex: Knex, keys: string): Promise<void> => {
  for (const name of searched)
    await knex.raw(`create index ${name}_search_trigrams on ${name}_search_text using gin (${keys}) with (fastupdate = off)`)
}

/** Makes searches read the newest texts first. */
export const up = async (knex: Knex): Promise<void> => {
  if (!isSqlite(knex)) {
    await knex.raw(keyFunction)
    for (const name of searched) await knex.raw(`drop index ${name}_search_trigrams`)
  }
  for (const name of ['user', 'organization']) await renumber(knex, name)
  if (!isSqlite(knex)) await indexBy(knex, 'search_keys(text, number)')
}

/** The new order of the numbers stays. */
export const down = async (knex: Knex): Promise<void> => {
  if (isSqlite(knex)) return
  for (const name of searched) await knex.raw(`drop index ${name}_search_trigrams`)
  await indexBy(knex, 'search_trigrams(text)')
  await knex.raw('drop function search_keys')
}
