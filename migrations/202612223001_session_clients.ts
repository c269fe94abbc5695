import { createHash } from 'node:crypto'
import type { Knex } from 'knex'

const kind = 'SessionClient'
const atOnce = 500

interface Part {
  readonly id: string
  readonly account_id: string
  readonly client_id: string
  readonly payload: string
  readonly expires_at: unknown
}

/**
 * One row for each client and session, with all organizations of its sign-ins, and the administrator of an impersonation. Rows of impersonated sessions
 * from before do not name the administrator: they end with the user, as before.
 */
export const up = async (knex: Knex): Promise<void> => {
  // Added as text: knex would copy the whole table on SQLite.
  await knex.raw('alter table oidc_artifact add column impersonator_id varchar(32)')
  await knex.raw(
    'create index oidc_artifact_impersonator_id_index on oidc_artifact (impersonator_id) where impersonator_id is not null',
  )
  const merged = new Map<string, Part & { readonly fields: Record<string, unknown> }>()
  for (let after = '', rows: Part[] = []; ; after = rows.at(-1)?.id ?? '') {
    rows = await knex('oidc_artifact')
      .where({ kind })
      .where('id', '>', after)
      .orderBy('id')
      .limit(atOnce)
      .select('id', 'account_id', 'client_id', 'payload', 'expires_at')
    for (const row of rows) {
      const { sessionUid, organization } = JSON.parse(row.payload) as Record<string, string | null | undefined>
      const id = createHash('sha256')
        .update(JSON.stringify(['part', sessionUid, row.client_id]))
        .digest('hex')
      const before = merged.get(id)
      const isLater =
        before === undefined || Number(new Date(row.expires_at as never)) > Number(new Date(before.expires_at as never))
      const own = organization == null ? {} : { [`organization:${organization}`]: true }
      merged.set(id, { ...(isLater ? row : before), id, fields: { ...before?.fields, sessionUid, ...own } })
    }
    if (rows.length < atOnce) break
  }
  await knex('oidc_artifact').where({ kind }).delete()
  const rows = [...merged.values()].map(({ fields, ...row }) => ({ ...row, kind, payload: JSON.stringify(fields) }))
  for (let from = 0; from < rows.length; from += 100) await knex('oidc_artifact').insert(rows.slice(from, from + 100))
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
