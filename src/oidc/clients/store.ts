import { type Db, lockRow, type Tx } from '../../core/db/database.ts'
import { bool, int, json, nullable, oneOf, type Row, sealedOrHash, table, text, time } from '../../core/db/table.ts'
import { clientTypes, idTokenAlgs, pkceModes } from '../rules.ts'

/** Of the secrets of a client, by its row: all of them have the same. */
export const contextOf = (id: string) => `oauth_client.client_secret.${id}`

const columns = {
  id: text,
  clientId: text,
  name: text,
  /** The name in lower case: lists are sorted and searched by it. */
  nameKey: text,
  icon: nullable(text),
  uri: nullable(text),
  policyUri: nullable(text),
  tosUri: nullable(text),
  metadata: nullable(json<Readonly<Record<string, unknown>>>()),
  redirectUrls: json<readonly string[]>(),
  postLogoutRedirectUrls: json<readonly string[]>(),
  /** Origins whose pages may call for it, besides those of a public client's redirect addresses. */
  webOrigins: json<readonly string[]>(),
  type: oneOf(...clientTypes),
  /** Scopes it may ask for, separated by blanks. */
  scope: text,
  idTokenAlg: oneOf(...idTokenAlgs),
  /** Null: as `oidc.requirePkce` says. */
  pkce: nullable(oneOf(...pkceModes)),
  /** Set by an administrator only. */
  skipConsent: bool,
  disabled: bool,
  userId: nullable(text),
  createdAt: time,
  updatedAt: time,
}
const clients = table('oauth_client', columns)
export type ClientRow = Row<typeof columns>

const secretColumns = {
  id: text,
  oauthClientId: text,
  /** 1 or 2, unique for the client: there is no third. */
  slot: int,
  /** SHA-256 of the secret, or the sealed secret of a client with a symmetric algorithm. */
  secret: sealedOrHash(contextOf, 'oauth_client_id', 'id'),
  /** The first characters; null where only the hash is known. */
  hint: nullable(text),
  createdAt: time,
  expiresAt: nullable(time),
  /** Written now and then, not at each use. */
  lastUsedAt: nullable(time),
}
const secrets = table('client_secret', secretColumns)
export type SecretRow = Row<typeof secretColumns>

export const { sealedColumns } = secrets

export const findClient = (db: Db, clientId: string) => clients.find(db, { clientId })
export const listClients = (db: Db) => clients.list(db, {}, { orderBy: 'createdAt' })
export const insertClient = (tx: Tx, row: ClientRow) => clients.insert(tx, row)

/** The client, locked until the transaction ends: changes of it and of its secrets come one after the other. */
export const lockClient = async (tx: Tx, clientId: string): Promise<ClientRow | undefined> => {
  const found = await findClient(tx, clientId)
  if (found === undefined) return undefined
  await lockRow(tx, clients.name, found.id)
  return clients.find(tx, { id: found.id })
}

/** The secrets of a client, oldest first. */
export const listSecrets = (db: Db, id: string) => secrets.list(db, { oauthClientId: id }, { orderBy: 'createdAt' })
/** Those of all clients, oldest first. */
export const listAllSecrets = (db: Db) => secrets.list(db, {}, { orderBy: 'createdAt' })
export const insertSecret = (tx: Tx, row: SecretRow) => secrets.insert(tx, row)
export const endSecret = (tx: Tx, id: string, expiresAt: Date) => secrets.updateOne(tx, { id }, { expiresAt })
/** False when the client has no secret with this id. */
export const deleteSecret = async (tx: Tx, oauthClientId: string, id: string): Promise<boolean> =>
  (await secrets.delete(tx, { oauthClientId, id })) === 1

/** Notes a use, unless a later one is noted already. */
export const noteUse = async (tx: Tx, id: string, at: Date): Promise<void> => {
  await tx
    .knex(secrets.name)
    .where({ id })
    .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<', at))
    .update({ last_used_at: at })
}
