import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Total } from '../../core/db/count.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { cursorOf, cutPage, nextAfter } from '../../core/page.ts'
import { hintLength } from '../clients/rules.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { clientTypes, missingScopes, scopesFor } from '../rules.ts'
import type { CreateInitialAccessToken, InitialAccessToken, initialAccessTokenContract } from './contract.ts'
import { checkGrant, stateOf, type Wanted } from './rules.ts'
import * as store from './store.ts'

type Listed = z.output<typeof InitialAccessToken>
type Query = z.output<(typeof initialAccessTokenContract)['listInitialAccessTokens']['query']>

/** Manages initial access tokens (RFC 7591, section 3). Whoever has such a token can register a limited number of clients with it. */
export interface InitialAccessTokens {
  list(
    principal: Principal,
    query: Query,
  ): Promise<{ readonly tokens: Listed[]; readonly next: string | null; readonly total: Total | null }>
  /** Creates a token. Only this call returns its `value`, because the database stores only a hash. Throws INVALID_SCOPE. */
  create(principal: Principal, input: z.output<typeof CreateInitialAccessToken>): Promise<{ token: Listed; value: string }>
  /** Revokes a token. A token that was revoked before stays unchanged. Throws INITIAL_ACCESS_TOKEN_NOT_FOUND. */
  revoke(principal: Principal, id: string): Promise<Listed>
  /** Finds a token by its value; undefined if the token cannot register any more clients. */
  find(value: string): Promise<store.TokenRow | undefined>
  /** Finds a token by its id, whatever its state. */
  get(db: Db, id: string): Promise<store.TokenRow | undefined>
  /** The tokens that can register clients, at most `most`. The newest comes first. */
  listActive(db: Db, most: number): Promise<readonly store.TokenRow[]>
  /**
   * Returns the scopes that the client gets. Throws INVALID_REGISTRATION and INVALID_REGISTERED_ADDRESS for metadata that the token does
   * not allow.
   */
  check(token: store.TokenRow, wanted: Wanted): readonly string[]
  /**
   * Counts a client that is registered with the token. Called in the transaction of the registration. Returns false if the token cannot
   * register any more clients.
   */
  take(tx: Tx, id: string): Promise<boolean>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events'> {
  readonly sourceScopes: readonly string[]
  /** The scopes of a client that requests no scopes. */
  readonly defaultScopes: readonly string[]
}

export const createInitialAccessTokens = ({
  db,
  transact,
  clock,
  random,
  events,
  sourceScopes,
  defaultScopes,
}: Deps): InitialAccessTokens => {
  const require = (principal: Principal, permission: Permission) => {
    if (!can(principal, permission)) throw coreErrors.error('FORBIDDEN')
  }
  const listed = ({ tokenHash: _, types, scopes, redirectHosts, ...row }: store.TokenRow): Listed => ({
    ...row,
    types: clientTypes.filter((type) => types.includes(type)),
    scopes: scopes && [...scopes],
    redirectHosts: redirectHosts && [...redirectHosts],
    state: stateOf(row, clock.now()),
  })

  return {
    list: async (principal, query) => {
      require(principal, 'clients:read')
      const { rows: found, total } = await store.pageOfTokens(db, cursorOf(query))
      const { rows, next } = cutPage(found, query.limit, ({ id, createdAt }) =>
        nextAfter(query, { id, value: createdAt.getTime() }),
      )
      return { tokens: rows.map(listed), next, total }
    },
    create: async (principal, { expiresInSeconds, ...input }) => {
      require(principal, 'clients:create')
      const unknown = missingScopes(input.scopes ?? [], scopesFor('web', sourceScopes))
      if (unknown.length > 0) throw oidcErrors.error('INVALID_SCOPE', { message: `Invalid scope: ${unknown.join(', ')}` })
      const value = random.token(32)
      const row: store.TokenRow = {
        ...input,
        ...{ id: random.id(), tokenHash: sha256(value), hint: value.slice(0, hintLength), usedClients: 0 },
        ...{ createdAt: clock.now(), expiresAt: clock.after(expiresInSeconds), revokedAt: null, lastUsedAt: null },
      }
      const { name, types, scopes, redirectHosts, maxClients } = input
      await transact(async (tx) => {
        await store.insertToken(tx, row)
        await events.record(tx, principal, oidcEvents['client.initial_access_token_created'], {
          subject: row.id,
          data: { name, types, scopes, redirectHosts, maxClients, expiresAt: row.expiresAt.toISOString() },
        })
      })
      return { token: listed(row), value }
    },
    revoke: (principal, id) =>
      transact(async (tx) => {
        require(principal, 'clients:update')
        if (await store.revokeToken(tx, id, clock.now())) {
          await events.record(tx, principal, oidcEvents['client.initial_access_token_revoked'], { subject: id, data: {} })
        }
        const row = await store.findToken(tx, id)
        if (row === undefined) throw oidcErrors.error('INITIAL_ACCESS_TOKEN_NOT_FOUND')
        return listed(row)
      }),
    find: async (value) => {
      const row = await store.findByHash(db, sha256(value))
      return row !== undefined && stateOf(row, clock.now()) === 'active' ? row : undefined
    },
    get: store.findToken,
    listActive: (from, most) => store.activeTokens(from, clock.now(), most),
    check: (token, wanted) => checkGrant(token, wanted, defaultScopes),
    take: (tx, id) => store.takeClient(tx, id, clock.now()),
  }
}
