import { domainToUnicode } from 'node:url'
import type { Knex } from 'knex'
import { createSearchText, dropSearchText } from './202612224000_search_texts.ts'

// The terms by which customers are found, as they were when this migration was written. Since then, src/core/db/search.ts writes them.
const wordsOf = (text: string): readonly string[] => {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words = [...new Set(plain.split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '')
  return words.map((word) => word.slice(0, 64)).slice(0, 16)
}
const addressesIn = (name: string) =>
  name
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part.includes('@'))
    .slice(0, 5)
const termsOfEmail = (email: string) => {
  const at = email.lastIndexOf('@') + 1
  return [email, email.slice(0, at) + domainToUnicode(email.slice(at))].flatMap((text) => [
    text,
    text.slice(text.lastIndexOf('@')),
    ...wordsOf(text),
  ])
}
const textOf = (name: string | null, email: string | null): string => {
  const terms = [...wordsOf(name ?? ''), ...addressesIn(name ?? ''), ...(email === null ? [] : termsOfEmail(email))]
  return [...new Set(terms)].map((term) => `  ${term}`).join('')
}

const rowsAtOnce = 500
const table = 'billing_customer'
const isSqlite = (knex: Knex) => knex.client.dialect !== 'postgresql'

/** A trigger that copies the text of a customer into the table of texts, so that a delivery needs no statement for it. */
const written = `insert into ${table}_search_text (${table}_id, text) values (new.id, new.search_text)`
const rewritten = `update ${table}_search_text set text = new.search_text where ${table}_id = new.id`

/** Customers can be found by text inside of their names and addresses. */
export const up = async (knex: Knex): Promise<void> => {
  const collation = isSqlite(knex) ? '' : ' collate "C"'
  await knex.raw(`alter table ${table} add column search_text text${collation} not null default ''`)
  for (let after = ''; ; ) {
    const rows: { id: string; email: string | null; data: string }[] = await knex(table)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .select('id', 'email', 'data')
    const texts = rows.flatMap(({ id, email, data }) => {
      const { name = null }: { name?: string | null } = JSON.parse(data)
      return [id, textOf(name, email)]
    })
    if (rows.length > 0)
      await knex.raw(
        `update ${table} set search_text = v.column2 from (values ${rows.map(() => '(?, ?)').join(', ')}) as v where ${table}.id = v.column1`,
        texts,
      )
    if (rows.length < rowsAtOnce) break
    after = rows.at(-1)?.id ?? ''
  }
  const fill = async (into: string): Promise<void> => {
    await knex.raw(`${into} select id, search_text from ${table}`)
  }
  await createSearchText(knex, table, fill, 255)
  const isOther = `when (${isSqlite(knex) ? 'new.search_text is not old.search_text' : 'new.search_text is distinct from old.search_text'})`
  for (const [event, change] of [
    ['insert', written],
    ['update', rewritten],
  ] as const) {
    const name = `${table}_search_text_${event}`
    const when = event === 'insert' ? '' : isOther
    if (isSqlite(knex)) await knex.raw(`create trigger ${name} after ${event} on ${table} ${when} begin ${change}; end`)
    else {
      await knex.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`)
      await knex.raw(`create trigger ${name} after ${event} on ${table} for each row ${when} execute function ${name}()`)
    }
  }
}

export const down = async (knex: Knex): Promise<void> => {
  for (const event of ['insert', 'update']) {
    const name = `${table}_search_text_${event}`
    await knex.raw(isSqlite(knex) ? `drop trigger ${name}` : `drop trigger ${name} on ${table}`)
    if (!isSqlite(knex)) await knex.raw(`drop function ${name}()`)
  }
  await dropSearchText(knex, table)
  await knex.raw(`alter table ${table} drop column search_text`)
}
