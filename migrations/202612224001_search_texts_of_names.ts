import type { Knex } from 'knex'
import { createSearchText, dropSearchText } from './202612224000_search_texts.ts'

// The text of a name, as it was when this migration was written. Since then, src/core/db/search.ts writes the texts.
const textOf = (name: string): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words = [...new Set(plain.split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '').map((word) => word.slice(0, 64))
  const addresses = name.trim().normalize('NFC').toLowerCase().split(/\s+/)
  const terms = [...words.slice(0, 16), ...addresses.filter((part) => part.includes('@')).slice(0, 5)]
  return [...new Set(terms)].map((term) => `  ${term}`).join('')
}

const rowsAtOnce = 500

/** Applications and API keys can be found by text inside of their names. */
export const up = async (knex: Knex): Promise<void> => {
  for (const table of ['oauth_client', 'api_key'])
    await createSearchText(knex, table, async () => {
      for (let after = ''; ; ) {
        const rows: { id: string; name: string }[] = await knex(table)
          .where('id', '>', after)
          .orderBy('id')
          .limit(rowsAtOnce)
          .select('id', 'name')
        if (rows.length > 0)
          await knex(`${table}_search_text`).insert(rows.map(({ id, name }) => ({ [`${table}_id`]: id, text: textOf(name) })))
        if (rows.length < rowsAtOnce) return
        after = rows.at(-1)?.id ?? ''
      }
    })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const table of ['api_key', 'oauth_client']) await dropSearchText(knex, table)
}
