import type { Knex } from 'knex'
import { type Total, totalOf } from '../../core/db/count.ts'
import { type Db, lockRow, preparedSelect, readPrepared, type Tx } from '../../core/db/database.ts'
import { joinOne, readWindow, type Window } from '../../core/db/keyset.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { askedTerms, termsOfTitle } from '../../core/db/search.ts'
import { searchTexts } from '../../core/db/search-text.ts'
import { bool, type Codec, int, json, nullable, oneOf, type Row, sealedOrHash, table, text, time } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, textAfter, timeAfter } from '../../core/page.ts'
import { texts } from '../../core/stored-json.ts'
import { artifacts } from '../artifacts/store.ts'
import { FurtherMetadata, furtherFields, type Metadata, registrants, reviews } from '../metadata/contract.ts'
import { type ClientType, clientTypes, idTokenAlgs, pkceModes, requiredAcrs, unknownScopesModes } from '../rules.ts'

interface ClientFilter {
  readonly search: string | undefined
  readonly type: ClientType | undefined
  readonly disabled: boolean | undefined
}

/** The context to which the encryption binds a sealed secret: column and row of the client. */
export const contextOf = (id: string) => `oauth_client.client_secret.${id}`

/** The metadata fields that share one JSON column. Rows of earlier versions have null in this column. */
const further: Codec<FurtherMetadata> = {
  encode: (value) => JSON.stringify(value),
  decode: (raw) => FurtherMetadata.parse(raw === null ? {} : JSON.parse(String(raw))),
  isDocument: true,
}

const columns = {
  id: text,
  clientId: text,
  name: text,
  /** The name in lower case, for sorting lists. */
  nameKey: text,
  /** The URL from which the logo is to be fetched. */
  icon: nullable(text),
  /** The id of the image that is the logo. */
  logoImage: nullable(text),
  /** The URL from which the present logo was fetched; null for an uploaded logo. */
  logoSource: nullable(text),
  /** The reason why the last attempt to fetch the logo failed; null if there is no problem. */
  logoProblem: nullable(text),
  color: nullable(text),
  uri: nullable(text),
  policyUri: nullable(text),
  tosUri: nullable(text),
  metadata: further,
  redirectUrls: json(() => texts),
  postLogoutRedirectUrls: json(() => texts),
  /** Origins whose pages may call this server for the client. For a public client, pages at its redirect URIs may call too. */
  webOrigins: json(() => texts),
  type: oneOf(...clientTypes),
  /** The scopes that the client may request, separated by blanks. */
  scope: text,
  idTokenAlg: oneOf(...idTokenAlgs),
  /** Null means that the setting `oidc.requirePkce` decides. */
  pkce: nullable(oneOf(...pkceModes)),
  /** Null means that the setting `oidc.unknownScopes` decides. */
  unknownScopes: nullable(oneOf(...unknownScopesModes)),
  /** The time of the last sign-in without PKCE. Not every sign-in writes it. */
  withoutPkceAt: nullable(time),
  /** The authentication class that the client requires; null if the requirement of the instance is enough. */
  requireAcr: nullable(oneOf(...requiredAcrs)),
  /** True if people are not asked for their consent. Only an administrator can set it. */
  skipConsent: bool,
  /** True for a client that understands the claim `act`. Only an administrator can set it. */
  understandsAct: bool,
  disabled: bool,
  /** The instance permissions of a machine. */
  permissions: json(() => texts),
  /** The person who registered the client; null if the registrant has no account. */
  userId: nullable(text),
  registeredBy: oneOf(...registrants),
  /** The id of the person, API key or initial access token that registered the client. */
  registrantId: nullable(text),
  /** The decision of an administrator about a client that registered itself; null if there is no decision yet. */
  review: nullable(oneOf(...reviews)),
  /** The SHA-256 of the registration access token. The client manages itself with that token (RFC 7592). */
  registrationToken: nullable(text),
  createdAt: time,
  updatedAt: time,
}
const clients = table('oauth_client', columns)
export type ClientRow = Row<typeof columns>

const secretColumns = {
  id: text,
  oauthClientId: text,
  /** The value is 1 or 2, and unique among the secrets of a client, so that a client cannot have a third secret. */
  slot: int,
  /** The SHA-256 of the secret. If the server needs the secret itself (`needsWholeSecret`), the sealed secret. */
  secret: sealedOrHash(contextOf, 'oauth_client_id', 'id'),
  /** The first characters of the secret; null if only the hash of the secret is known. */
  hint: nullable(text),
  createdAt: time,
  expiresAt: nullable(time),
  /** The time at which the secret was last used. Not every use writes it. */
  lastUsedAt: nullable(time),
}
const secrets = table('client_secret', secretColumns)
export type SecretRow = Row<typeof secretColumns>

export const { sealedColumns } = secrets

export const findClient = (db: Db, clientId: string) => clients.find(db, { clientId })
/** The client id of the newest application. With `forPeople`, the newest enabled application that signs people in. */
export const findNewestClientId = async (db: Db, forPeople: boolean): Promise<string | undefined> => {
  const some = db.knex(clients.name).orderBy('created_at', 'desc').orderBy('id', 'desc')
  return (await (forPeople ? some.whereNot({ type: 'machine' }).andWhere({ disabled: false }) : some).first('client_id'))
    ?.client_id
}
const nameTexts = searchTexts(clients.name)

/** A page of clients. Results of a search are sorted by name. */
export const pageOfClients = async (
  db: Db,
  { search, type, disabled }: ClientFilter,
  { sort, order, limit, after }: Cursor<'createdAt' | 'name'>,
): Promise<PlacedRows<ClientRow>> => {
  const isByName = sort === 'name' || search !== undefined
  // Disabled clients are few and have a partial index. The statement repeats the condition of that index, so that the database uses the
  // index.
  const hasRest = disabled === false || (disabled === true && type !== undefined)
  const window: Window = {
    ...{ from: clients.name, select: clients.names, order, limit },
    columns: [isByName ? 'name_key' : 'created_at', 'id'],
    after: isByName ? textAfter(after) : timeAfter(after),
    where: (query) => {
      if (disabled === true) query.whereRaw('x.disabled')
      else if (type !== undefined) query.where('x.type', type)
    },
    rest: hasRest
      ? (query) => query.select('c.*').where(disabled === true ? { 'c.type': type } : { 'c.disabled': false })
      : undefined,
  }
  const { rows, lookedTo } =
    search === undefined ? await readWindow(db, window) : await nameTexts.readMatching(db, window, askedTerms(search), 'whole')
  const placeOf = ({ id, nameKey, createdAt }: ClientRow) => ({ id, value: isByName ? nameKey : createdAt.getTime() })
  const found = rows.map((raw) => clients.decode(raw)).map((row) => ({ row, position: placeOf(row) }))
  return { found, lookedTo: lookedTo && placeOf(clients.decode(lookedTo)) }
}

/** Counts the applications that match a filter. */
export const totalOfClients = (db: Db, { search, type, disabled }: ClientFilter): Promise<Total> => {
  const filter = (query: Knex.QueryBuilder) => {
    if (type !== undefined) query.where('x.type', type)
    if (disabled !== undefined) query.whereRaw(disabled ? 'x.disabled' : 'not x.disabled')
  }
  const isWhole = type === undefined && disabled === undefined
  if (search === undefined) {
    const query = db.knex(`${clients.name} as x`)
    filter(query)
    return totalOf(db, query, isWhole ? clients.name : undefined)
  }
  return nameTexts.total(db, askedTerms(search), (query) => {
    if (isWhole) return
    joinOne(query, db, { table: clients.name, as: 'x', key: 'id', of: 't.oauth_client_id' })
    filter(query)
  })
}

/** Reads the names of clients by their `client_id`. */
export const findNames = async (db: Db, clientIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (clientIds.length === 0) return new Map()
  const rows: { client_id: string; name: string }[] = await db
    .knex(clients.name)
    .whereIn('client_id', [...new Set(clientIds)])
    .select('client_id', 'name')
  return new Map(rows.map(({ client_id, name }) => [client_id, name]))
}

const shown = clients.pick('clientId', 'name', 'uri', 'skipConsent', 'logoImage', 'metadata')
export type ShownClientRow = ReturnType<typeof shown.decode>

/** Reads the data of clients that pages show to people. */
export const listShown = async (db: Db, clientIds: readonly string[]): Promise<ShownClientRow[]> => {
  if (clientIds.length === 0) return []
  const rows: Record<string, unknown>[] = await db
    .knex(shown.name)
    .whereIn('client_id', [...clientIds])
    .select(shown.names)
  return rows.map((raw) => shown.decode(raw))
}

export const insertClient = async (tx: Tx, row: ClientRow): Promise<void> => {
  await clients.insert(tx, row)
  await nameTexts.insert(tx, row.id, termsOfTitle(row.name))
}

/** Locks the client until the transaction ends. Changes of a client and of its secrets therefore run one after the other. */
export const lockClient = async (tx: Tx, clientId: string): Promise<ClientRow | undefined> => {
  const found = await findClient(tx, clientId)
  if (found === undefined) return undefined
  await lockRow(tx, clients.name, found.id)
  return clients.find(tx, { id: found.id })
}

/** The columns of a client that an update writes. */
export interface ClientFields
  extends Metadata,
    Pick<ClientRow, 'type' | 'disabled' | 'review' | 'updatedAt'>,
    Partial<Pick<FurtherMetadata, 'grantTypes'>> {}

/** Updates a client. Returns false if the client was deleted meanwhile. */
export const updateClient = async (
  tx: Tx,
  { id, metadata: before }: Pick<ClientRow, 'id' | 'metadata'>,
  client: ClientFields,
): Promise<boolean> => {
  const changed = Object.fromEntries(furtherFields.map((name) => [name, client[name]])) as Pick<
    Metadata,
    (typeof furtherFields)[number]
  >
  const { grantTypes = before.grantTypes } = client
  const isThere = await clients.updateOne(
    tx,
    { id },
    {
      ...{ type: client.type, review: client.review, metadata: { ...changed, grantTypes } },
      ...{ name: client.name, nameKey: client.name.toLowerCase(), webOrigins: client.webOrigins, pkce: client.pkce },
      ...{ idTokenAlg: client.idTokenAlg, skipConsent: client.skipConsent, disabled: client.disabled },
      understandsAct: client.understandsAct,
      ...{ requireAcr: client.requireAcr, unknownScopes: client.unknownScopes, permissions: client.permissions },
      ...{ icon: client.icon, color: client.color, uri: client.uri, policyUri: client.policyUri, tosUri: client.tosUri },
      redirectUrls: client.redirectUris,
      postLogoutRedirectUrls: client.postLogoutRedirectUris,
      scope: client.scopes.join(' '),
      updatedAt: client.updatedAt,
    },
  )
  if (isThere) await nameTexts.replace(tx, id, termsOfTitle(client.name))
  return isThere
}

/** Replaces the registration access token of a client. Null removes the token. */
export const setRegistrationToken = (tx: Tx, id: string, registrationToken: string | null) =>
  clients.updateOne(tx, { id }, { registrationToken })

/**
 * Counts the clients with an unknown registrant that no administrator has reviewed. Counting stops at `upTo`. The caller holds the lock
 * for the number of such clients.
 */
export const countUnreviewed = async (tx: Tx, upTo: number): Promise<number> => {
  const some = tx.knex(clients.name).where({ registered_by: 'anonymous' }).whereNull('review').limit(upTo).select('id')
  const [row] = await tx.knex.from(some.as('some')).count({ count: '*' })
  return Number(row?.['count'] ?? 0)
}

const unusedBefore = (db: Db, before: Date) =>
  db
    .knex(clients.name)
    .where({ registered_by: 'anonymous' })
    .whereNull('review')
    .where('created_at', '<', before)
    // Clients that skip the consent are left out. Sign-ins to them store no consent, so it is unknown whether anybody uses them.
    .where({ skip_consent: false })
    .whereRaw('not exists (select 1 from oauth_consent c where c.client_id = oauth_client.client_id)')

/** Clients with an unknown registrant that were registered before the given time, that nobody has reviewed, and to which nobody has signed in. */
export const listUnused = async (db: Db, before: Date, limit: number): Promise<string[]> => {
  const rows: { client_id: string }[] = await unusedBefore(db, before).orderBy('created_at').limit(limit).select('client_id')
  return rows.map(({ client_id }) => client_id)
}

export const countUnused = async (db: Db, before: Date): Promise<number> => {
  const [row] = await unusedBefore(db, before).count({ count: '*' })
  return Number(row?.['count'] ?? 0)
}

/** True if the client is still one that `listUnused` would list. The caller has locked the row, so that nobody can consent meanwhile. */
export const isUnused = async (tx: Tx, id: string, before: Date): Promise<boolean> =>
  (await unusedBefore(tx, before).where({ id }).limit(1).select('id')).length === 1

/** Stores the columns about the logo of a client. */
export const updateLogo = (
  tx: Tx,
  id: string,
  logo: Partial<Pick<ClientRow, 'icon' | 'logoImage' | 'logoSource' | 'logoProblem'>> & Pick<ClientRow, 'updatedAt'>,
) => clients.updateOne(tx, { id }, logo)

const unfetched = clients.pick('clientId', 'icon', 'logoProblem')

/** Applications whose logo could not be fetched from `icon`. `which` is the ids of the applications to examine, or a limit for their number. */
export const listUnfetched = async (db: Db, which: number | readonly string[]) => {
  const query = db
    .knex(unfetched.name)
    .whereNotNull('icon')
    .where((other) => other.whereNull('logo_source').orWhereRaw('logo_source <> icon'))
    // The logo of a client with an unknown registrant is not fetched until the client was reviewed.
    .where((known) => known.whereNot({ registered_by: 'anonymous' }).orWhereNotNull('review'))
    .orderBy('client_id')
    .select(unfetched.names)
  const rows: Record<string, unknown>[] = await (typeof which === 'number'
    ? query.limit(which)
    : query.whereIn('client_id', which))
  return rows.map((raw) => ({ ...unfetched.decode(raw), icon: text.decode(raw['icon']) }))
}

/** Enabled clients that publish their keys at a URL. The condition is copied from a partial index, so that the database uses the index. */
export const listWithKeysElsewhere = async (db: Db, limit: number): Promise<ClientRow[]> => {
  const query = db.knex(clients.name).where({ disabled: false }).whereRaw(`metadata like '%"jwksUri":"%'`)
  const rows: Record<string, unknown>[] = await query.orderBy('client_id').limit(limit).select(clients.names)
  return rows.map((raw) => clients.decode(raw))
}

/** Clients with a sign-in without PKCE since the given time. The client with the latest such sign-in comes first. */
export const listWithoutPkce = async (db: Db, since: Date, limit: number): Promise<ClientRow[]> => {
  const query = db.knex(clients.name).where('without_pkce_at', '>=', since).orderBy('without_pkce_at', 'desc').limit(limit)
  const rows: Record<string, unknown>[] = await query.select(clients.names)
  return rows.map((raw) => clients.decode(raw))
}
/** Stores the time of a sign-in without PKCE, unless a later time is stored. */
export const noteWithoutPkce = async (tx: Tx, clientId: string, at: Date): Promise<void> => {
  await tx
    .knex(clients.name)
    .where({ client_id: clientId })
    .where((older) => older.whereNull('without_pkce_at').orWhere('without_pkce_at', '<', at))
    .update({ without_pkce_at: at })
}

/** Deletes the client. The database deletes its secrets, tokens and consents. */
export const deleteClient = (tx: Tx, id: string) => clients.delete(tx, { id })

/** The secrets of a client. The oldest comes first. */
export const listSecrets = (db: Db, id: string) => secrets.list(db, { oauthClientId: id }, { orderBy: 'createdAt' })
export const insertSecret = (tx: Tx, row: SecretRow) => secrets.insert(tx, row)
export const deleteSecrets = (tx: Tx, oauthClientId: string) => secrets.delete(tx, { oauthClientId })
export const replaceSecret = (tx: Tx, id: string, secret: string) => secrets.updateOne(tx, { id }, { secret })
export const endSecret = (tx: Tx, id: string, expiresAt: Date) => secrets.updateOne(tx, { id }, { expiresAt })
/** Deletes a secret. Returns false if the client has no secret with this id. */
export const deleteSecret = async (tx: Tx, oauthClientId: string, id: string): Promise<boolean> =>
  (await secrets.delete(tx, { oauthClientId, id })) === 1

export interface EndingSecret {
  readonly clientId: string
  readonly secretId: string
  readonly expiresAt: Date
  readonly lastUsedAt: Date
}

/** At most `limit` secrets that expire between `now` and `until` and were used after `usedSince`. The secret that expires first comes first. */
export const listEndingSecrets = async (
  db: Db,
  { now, until, usedSince, limit }: { now: Date; until: Date; usedSince: Date; limit: number },
): Promise<EndingSecret[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(`${secrets.name} as s`)
    .join(`${clients.name} as c`, 'c.id', 's.oauth_client_id')
    .where('s.expires_at', '>', now)
    .where('s.expires_at', '<=', until)
    .where('s.last_used_at', '>', usedSince)
    .orderBy('s.expires_at')
    .limit(limit)
    .select('c.client_id', 's.id', 's.expires_at', 's.last_used_at')
  return rows.map((row) => ({
    clientId: text.decode(row['client_id']),
    secretId: text.decode(row['id']),
    expiresAt: time.decode(row['expires_at']),
    lastUsedAt: time.decode(row['last_used_at']),
  }))
}

/** Stores the time at which a secret was used, unless a later time is stored. */
export const noteUse = async (tx: Tx, id: string, at: Date): Promise<void> => {
  await tx
    .knex(secrets.name)
    .where({ id })
    .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<', at))
    .update({ last_used_at: at })
}

const machineToken = artifacts.pick('expiresAt', 'payload')
const permitted = clients.pick('clientId', 'permissions')
const machineTokenById = preparedSelect(
  'machine_token_by_id',
  [...machineToken.columnsOf('m', 'm_'), ...permitted.columnsOf('c', 'c_')],
  'from oidc_artifact m ' +
    "join oauth_client c on c.client_id = m.client_id where m.id = ? and m.kind = 'ClientCredentials' " +
    "and m.account_id is null and m.consumed_at is null and c.type = 'machine' and c.disabled = ?",
)

/** Finds the access token of an enabled machine by its hash, with the permissions of the machine. */
export const findMachineToken = async (db: Db, hash: string) => {
  const [raw] = await readPrepared(db, machineTokenById, [hash, false])
  return raw === undefined ? undefined : { ...machineToken.decode(raw, 'm_'), ...permitted.decode(raw, 'c_') }
}

export const ownApplications = personalRows(clients, {
  name: 'registeredApplications',
  fields: ['clientId', 'name', 'type', 'createdAt'],
})
