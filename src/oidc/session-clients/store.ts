import { isPostgres, type Tx, writeRaw } from '../../core/db/database.ts'
import { partFieldOf, partKind } from '../artifacts/rules.ts'
import { artifacts, payloadField } from '../artifacts/store.ts'

/** Selects ended sessions of a user: one session, all sessions but one, all sessions for one organization, or all sessions of one client. */
export interface EndedParts {
  readonly userId: string
  readonly sessionId?: string | undefined
  readonly exceptSessionId?: string | undefined
  readonly organizationId?: string | undefined
  readonly clientId?: string | undefined
}

export interface EndedPart {
  readonly userId: string
  readonly clientId: string
  readonly sessionId: string
}

const taken = artifacts.pick('accountId', 'clientId', 'payload')

const returningPart = `returning ${taken.names.join(', ')}`
const endedPart = (raw: Record<string, unknown>): EndedPart => {
  const { accountId, clientId, payload } = taken.decode(raw)
  return { userId: accountId ?? '', clientId: clientId ?? '', sessionId: String(payload['sessionUid']) }
}

/** An SQL condition that selects rows whose session has ended. */
const isOver = (tx: Tx, and = '') => `not exists (select 1 from session s where s.id = ${payloadField(tx, 'sessionUid')}${and})`

/**
 * Deletes and returns the rows that link clients to ended sessions. If two transactions handle the end of a session, only one of them
 * gets its rows. When sessions of a user end, rows of ended sessions in which the user impersonated others are included.
 */
export const takeParts = async (
  tx: Tx,
  { userId, sessionId, exceptSessionId, organizationId, clientId }: EndedParts,
): Promise<EndedPart[]> => {
  const field = isPostgres(tx) ? 'payload::json ->> ?::text' : `json_extract(payload, '$."' || ? || '"')`
  const conditions = [
    ...(['account_id = ?', userId] as const),
    ...(sessionId === undefined ? [] : [`${payloadField(tx, 'sessionUid')} = ?`, sessionId]),
    ...(exceptSessionId === undefined ? [] : [`${payloadField(tx, 'sessionUid')} <> ?`, exceptSessionId]),
    ...(organizationId === undefined ? [] : [`${field} is not null`, partFieldOf(organizationId)]),
    ...(clientId === undefined ? [] : ['client_id = ?', clientId]),
  ]
  const [own, values] = [conditions.filter((_, i) => i % 2 === 0).join(' and '), conditions.filter((_, i) => i % 2 === 1)]
  const isOfSessions = organizationId === undefined && clientId === undefined
  const acting = isOfSessions ? ` or (impersonator_id = ? and ${isOver(tx)})` : ''
  const sql = `kind = ? and ((${own})${acting})`
  const all = [partKind, ...values, ...(isOfSessions ? [userId] : [])]
  return (await writeRaw(tx, `delete from oidc_artifact where ${sql} ${returningPart}`, all)).map(endedPart)
}

/** Deletes and returns the rows that link clients to ended sessions in which this user impersonated others. */
export const takeImpersonationsBy = async (tx: Tx, userId: string): Promise<EndedPart[]> => {
  const text = `delete from oidc_artifact where impersonator_id = ? and kind = ? and ${isOver(tx)} ${returningPart}`
  return (await writeRaw(tx, text, [userId, partKind])).map(endedPart)
}

/** Deletes and returns rows that link clients to impersonated sessions, if the impersonation has ended or expired. At most `most` rows. */
export const takeEndedImpersonations = async (tx: Tx, now: Date, most: number): Promise<EndedPart[]> => {
  const some = `select id from oidc_artifact where impersonator_id is not null and kind = ? and ${isOver(tx, ' and s.expires_at > ?')} order by impersonator_id limit ?`
  const at = isPostgres(tx) ? now : now.getTime()
  return (await writeRaw(tx, `delete from oidc_artifact where id in (${some}) ${returningPart}`, [partKind, at, most])).map(
    endedPart,
  )
}

/** Deletes and returns rows that link this client to sessions, at most `most`. */
export const takePartsOfClient = async (tx: Tx, clientId: string, most: number): Promise<EndedPart[]> => {
  const some = 'select id from oidc_artifact where client_id = ? and kind = ? order by id limit ?'
  const text = `delete from oidc_artifact where id in (${some}) ${returningPart}`
  return (await writeRaw(tx, text, [clientId, partKind, most])).map(endedPart)
}
