/** People with roles of the instance, and events, for tests. */
import type { TestApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

/** A new person with a role of the instance. */
export const withRole = async (t: TestApp, role: string, email = `${role}@audit.example`): Promise<Client> => {
  const client = await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return client
}

export interface EventFields {
  readonly type?: string
  readonly actor_kind?: string
  readonly actor_id?: string | null
  readonly session_id?: string | null
  readonly impersonator_id?: string | null
  readonly subject_id?: string
  readonly organization_id?: string | null
  readonly address?: string
  readonly user_agent?: string
  readonly request_id?: string
  readonly data?: string
  readonly reason?: string | null
}

/** Event number `n`, a second after the event before it. */
export const eventRow = (n: number, begin: Date, fields: EventFields = {}) => ({
  id: `e${String(n).padStart(9, '0')}`,
  type: 'note.written',
  occurred_at: new Date(begin.getTime() + n * 1000),
  actor_kind: 'user',
  actor_id: 'nobody',
  session_id: 'none',
  impersonator_id: null,
  subject_type: 'note',
  subject_id: 'nothing',
  organization_id: null,
  address: '192.0.2.1',
  user_agent: 'a browser',
  request_id: `r${n}`,
  data: '{}',
  reason: null,
  ...fields,
})

/** Inserts events directly: large numbers, or types that no use case records. */
export const insertEvents = (t: TestApp, rows: readonly ReturnType<typeof eventRow>[]): Promise<unknown> =>
  t.app.core.db.knex.batchInsert('event', [...rows], 50)
