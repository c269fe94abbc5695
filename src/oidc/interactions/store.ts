import type { Total } from '../../core/db/count.ts'
import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { readCounted } from '../../core/db/keyset.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { bool, json, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { texts } from '../../core/stored-json.ts'
import { StoredInteraction } from './table.ts'

const columns = {
  id: text,
  clientId: text,
  userId: text,
  /** The scopes, separated by blanks. */
  scopes: text,
  consentGiven: bool,
  createdAt: time,
  updatedAt: time,
  /** The time at which the application last got a token for the person, at most a day late; null if it never got one. */
  lastUsedAt: nullable(time),
  /** Codes from before this time are invalid: the consent ended at this time, and may have been given again since. */
  notBefore: nullable(time),
  /**
   * The ids of the organizations that the consent covers. Every consent also covers a sign-in without an organization. Null in a consent
   * of an earlier version, which covers all organizations.
   */
  organizations: nullable(json(() => texts)),
}
export const consents = table('oauth_consent', columns)
export type ConsentRow = Row<typeof columns>

/** Reads the authorization request from a row of kind `Interaction`. Throws if the payload has another form. */
export const interactionIn = ({ payload }: { readonly payload: unknown }): StoredInteraction => StoredInteraction.parse(payload)
export type { StoredInteraction }

/** The consent of a user to a client. */
export const findConsent = (db: Db, userId: string, clientId: string) => consents.find(db, { userId, clientId })

export const findConsentById = (db: Db, id: string) => consents.find(db, { id })

export interface ConsentFilter {
  readonly userId: string | undefined
  readonly clientId: string | undefined
}

/** A page of consents, in the order of their last change. */
export const pageOfConsents = async (
  db: Db,
  { userId, clientId }: ConsentFilter,
  { order, limit, after, isCounted }: Cursor,
): Promise<{ readonly rows: readonly ConsentRow[]; readonly total: Total | null }> => {
  const query = db.knex(consents.name).select(consents.names).where({ consent_given: true })
  if (userId !== undefined) query.where({ user_id: userId })
  if (clientId !== undefined) query.where({ client_id: clientId })
  const page = { columns: ['updated_at', 'id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, consents.name)
  return { rows: rows.map((raw) => consents.decode(raw)), total }
}

/**
 * Ends a consent. The row stays, so that a code which is being issued at the same time becomes invalid. Returns false if there is no
 * consent that could end.
 */
export const endConsent = (tx: Tx, userId: string, clientId: string, notBefore: Date): Promise<boolean> =>
  consents.updateOne(
    tx,
    { userId, clientId, consentGiven: true },
    { scopes: '', consentGiven: false, updatedAt: notBefore, notBefore },
  )

/**
 * Removes organizations from a consent: `organizations` is the new, shorter list. Codes from before `notBefore` become invalid. Returns
 * false if the consent has ended meanwhile.
 */
export const narrowConsent = (
  tx: Tx,
  { userId, clientId }: Pick<ConsentRow, 'userId' | 'clientId'>,
  { organizations, notBefore }: Pick<ConsentRow, 'organizations' | 'notBefore'>,
): Promise<boolean> => consents.updateOne(tx, { userId, clientId, consentGiven: true }, { organizations, notBefore })

/** Stores the time at which the access of an application ended, if the application has no consent. */
export const noteEnd = async (tx: Tx, consent: Pick<ConsentRow, 'id' | 'userId' | 'clientId'>, at: Date): Promise<void> => {
  const row = { ...consent, scopes: '', consentGiven: false, createdAt: at, updatedAt: at, lastUsedAt: null, notBefore: at }
  await tx
    .knex(consents.name)
    .insert(consents.encode(row))
    .onConflict(['user_id', 'client_id'])
    .merge(['updated_at', 'not_before'])
}

/** Ends all consents to a client. Their rows stay, so that codes which are being issued at the same time become invalid. */
export const endConsents = (tx: Tx, clientId: string, notBefore: Date): Promise<number> =>
  tx
    .knex(consents.name)
    .where({ client_id: clientId, consent_given: true })
    .update({ scopes: '', consent_given: false, updated_at: notBefore, not_before: notBefore })

/** Locks the consent of a user to a client until the transaction ends, even if the consent does not exist yet. */
export const lockConsent = (tx: Tx, userId: string, clientId: string) => lockName(tx, `oauth-consent:${userId}:${clientId}`)

/** True if any person has consented to any application. */
export const hasConsents = async (db: Db): Promise<boolean> =>
  (await db.knex(consents.name).where({ consent_given: true }).first('id')) !== undefined

/** Deletes the consents of a user. */
export const deleteConsents = (tx: Tx, userId: string) => consents.delete(tx, { userId })

/** Stores a consent. The given scopes replace the stored ones. */
export const saveConsent = async (tx: Tx, row: ConsentRow): Promise<void> => {
  await tx
    .knex(consents.name)
    .insert(consents.encode(row))
    .onConflict(['user_id', 'client_id'])
    .merge(['scopes', 'consent_given', 'updated_at', 'not_before', 'organizations'])
}

/** The consents of a user, at most `limit`. The latest change comes first. */
export const listConsents = async (db: Db, userId: string, limit: number): Promise<ConsentRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(consents.name)
    .select(consents.names)
    .where({ user_id: userId, consent_given: true })
    .orderBy('updated_at', 'desc')
    .limit(limit)
  return rows.map((raw) => consents.decode(raw))
}

/** Stores the time at which the application got a token, unless a later time is stored. */
export const noteUse = async (tx: Tx, { userId, clientId }: Pick<ConsentRow, 'userId' | 'clientId'>, at: Date): Promise<void> => {
  await tx
    .knex(consents.name)
    .where({ user_id: userId, client_id: clientId })
    .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<', at))
    .update({ last_used_at: at })
}

/** Counts the people who have agreed to a client. Counting stops at `upTo`. */
export const countConsents = async (db: Db, clientId: string, upTo: number): Promise<number> => {
  const some = db.knex(consents.name).where({ client_id: clientId, consent_given: true }).limit(upTo).select('id')
  const [row] = await db.knex.from(some.as('some')).count({ count: '*' })
  return Number(row?.['count'] ?? 0)
}

export const ownConsents = personalRows(consents, {
  name: 'consents',
  fields: ['clientId', 'scopes', 'consentGiven', 'createdAt', 'updatedAt'],
})
