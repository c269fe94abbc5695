import type { Knex } from 'knex'

const kind = 'SessionClient'
const atOnce = 500

interface Part {
  readonly id: string
  readonly client_id: string
  readonly payload: string
  readonly expires_at: Date | number
}

interface Merged {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly expires_at: Date | number
}

/**
 * Merges the rows of each client and session into one, with all organizations of its sign-ins and with the administrator of an
 * impersonation. The merged row keeps its id, which is not made of client and session, so the next sign-in adds one more row. Old rows of
 * impersonated sessions do not name the administrator; they end with the user, as before.
 */
export const up = async (knex: Knex): Promise<void> => {
  // The column is added by plain SQL, because knex would copy the whole table on SQLite.
  await knex.raw('alter table oidc_artifact add column impersonator_id varchar(32)')
  await knex.raw(
    'create index oidc_artifact_impersonator_id_index on oidc_artifact (impersonator_id) where impersonator_id is not null',
  )
  const merged = new Map<string, Merged>()
  const spare: string[] = []
  for (let after = '', rows: Part[] = []; ; after = rows.at(-1)?.id ?? '') {
    const page = knex('oidc_artifact').where({ kind }).where('id', '>', after).orderBy('id').limit(atOnce)
    rows = await page.select('id', 'client_id', 'payload', 'expires_at')
    for (const { id, client_id: clientId, payload, expires_at: at } of rows) {
      const { sessionUid, organization } = JSON.parse(payload) as Record<string, string | null | undefined>
      const key = JSON.stringify([sessionUid, clientId])
      const before = merged.get(key)
      const own = organization == null ? {} : { [`organization:${organization}`]: true }
      const isLater = before === undefined || Number(at) > Number(before.expires_at)
      merged.set(key, {
        id: before?.id ?? id,
        fields: { ...before?.fields, sessionUid, ...own },
        expires_at: isLater ? at : before.expires_at,
      })
      if (before !== undefined) spare.push(id)
    }
    if (rows.length < atOnce) break
  }
  for (let from = 0; from < spare.length; from += atOnce)
    await knex('oidc_artifact')
      .whereIn('id', spare.slice(from, from + atOnce))
      .delete()
  for (const { id, fields, expires_at } of merged.values())
    await knex('oidc_artifact')
      .where({ id })
      .update({ payload: JSON.stringify(fields), expires_at })
}

export const down = async (knex: Knex): Promise<void> => {
  for (const { id, payload } of await knex('oidc_artifact').where({ kind }).select('id', 'payload')) {
    const { sessionUid, ...fields } = JSON.parse(payload) as Record<string, unknown>
    const [organization = null] = Object.keys(fields).map((name) => name.replace(/^organization:/, ''))
    await knex('oidc_artifact')
      .where({ id })
      .update({ payload: JSON.stringify({ sessionUid, organization }) })
  }
  await knex.raw('drop index oidc_artifact_impersonator_id_index')
  await knex.raw('alter table oidc_artifact drop column impersonator_id')
}
