import type { Db, Tx } from '../../core/db/database.ts'
import { bool, json, nullable, oneOf, type Row, sealedOrHash, table, text, time } from '../../core/db/table.ts'
import { clientTypes, idTokenAlgs, pkceModes } from '../rules.ts'

export const contextOf = (id: string) => `oauth_client.client_secret.${id}`

const columns = {
  id: text,
  clientId: text,
  name: text,
  icon: nullable(text),
  uri: nullable(text),
  policyUri: nullable(text),
  tosUri: nullable(text),
  metadata: nullable(json<Readonly<Record<string, unknown>>>()),
  /** SHA-256 of the secret, or the sealed secret of a client with a symmetric algorithm; null for public clients. */
  clientSecret: nullable(sealedOrHash(contextOf)),
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
export const { sealedColumns } = clients
export type ClientRow = Row<typeof columns>

export const findClient = (db: Db, clientId: string) => clients.find(db, { clientId })
export const listClients = (db: Db) => clients.list(db, {}, { orderBy: 'createdAt' })
export const insertClient = (tx: Tx, row: ClientRow) => clients.insert(tx, row)
