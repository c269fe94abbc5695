import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { safeEqual, sha256 } from '../../core/crypto.ts'
import type { Total } from '../../core/db/count.ts'
import { afterCommit, type Tx, uniqueViolation } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import { cursorOf, cutPage, nextAfter } from '../../core/page.ts'
import { hintLength, type SecretState, stateOf } from '../clients/rules.ts'
import { oidcErrors } from '../contract.ts'
import { raiseVersion } from '../store.ts'
import { createUsage } from '../usage.ts'
import type { Api, apiContract, CreateApi, UpdateApi } from './contract.ts'
import { apiErrors } from './contract.ts'
import { apiEvents } from './events.ts'
import { identifierKeyOf, identifierProblem } from './rules.ts'
import * as store from './store.ts'

export type ListedApi = z.output<typeof Api>
type Query = z.output<(typeof apiContract)['listApis']['query']>
type Changes = z.output<typeof UpdateApi>
type ListedSecret = Omit<store.SecretRow, 'resourceServerId' | 'slot' | 'hash'> & { readonly state: SecretState }

/** An API with its allowed clients and its valid secrets, for the token endpoint. */
export interface ResourceServer extends store.ApiRow {
  readonly callers: readonly store.CallerRow[]
  readonly secrets: readonly store.SecretRow[]
}

/** Manages the APIs that accept tokens of this server. */
export interface ResourceServers {
  list(
    principal: Principal,
    query: Query,
  ): Promise<{ readonly apis: ListedApi[]; readonly next: string | null; readonly total: Total | null }>
  /** Finds an API by its id or identifier. Throws API_NOT_FOUND. */
  get(principal: Principal, idOrIdentifier: string): Promise<ListedApi>
  /** Registers an API. Throws INVALID_API, API_IDENTIFIER_IS_TAKEN, and APPLICATION_NOT_FOUND for an unknown application in the list. */
  create(principal: Principal, input: z.output<typeof CreateApi>): Promise<ListedApi>
  /** Changes an API. Throws API_NOT_FOUND, INVALID_API and APPLICATION_NOT_FOUND. */
  update(principal: Principal, id: string, changes: Changes, ifMatch?: IfMatch<ListedApi>): Promise<ListedApi>
  /** Deletes an API. Throws API_NOT_FOUND. */
  remove(principal: Principal, id: string, ifMatch?: IfMatch<ListedApi>): Promise<ListedApi>
  /** The secrets of an API. The newest comes first. Throws API_NOT_FOUND. */
  listSecrets(principal: Principal, id: string): Promise<ListedSecret[]>
  /**
   * Makes a new secret for the API. Only this call returns the secret. Throws API_NOT_FOUND. Throws SECRET_ROTATION_IS_UNDER_WAY if two
   * secrets are valid already.
   */
  rotateSecret(
    principal: Principal,
    id: string,
    overlapSeconds: number,
  ): Promise<{ apiId: string; secretId: string; secret: string; secrets: ListedSecret[] }>
  /** Ends one secret of the API at once. Throws API_NOT_FOUND and SECRET_NOT_FOUND. */
  revokeSecret(principal: Principal, id: string, secretId: string): Promise<ListedSecret[]>
  /** Finds an API by its identifier. An API that was read once comes from memory. */
  find(identifier: string): Promise<ResourceServer | undefined>
  /** Finds an API by its id. An API that was read once comes from memory. */
  findById(id: string): Promise<ResourceServer | undefined>
  /** True if `secret` is a valid secret of the API. Its use is noted. A wrong secret takes the same time as a right one. */
  authenticate(api: ResourceServer, secret: string): boolean
  /** Removes all APIs from memory, because another node has changed an API. */
  forget(): void
  /** Writes the noted times at which secrets were last used. */
  flushUsage(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events' | 'signals'> {
  /** The names of this server's own scopes. No scope of an API may have such a name. */
  readonly ownScopes: readonly string[]
  /** Identifiers that stand for this server or for a resource of the configuration already. */
  readonly taken: readonly string[]
}

/** The prefix of the ids of APIs. The introspection endpoint tells ids of APIs from client ids by it. */
export const apiIdPrefix = 'api_'

/** The largest number of APIs in memory. At this number all APIs are removed from memory. */
const maxInMemory = 2_000

const invalid = (message: string) => apiErrors.error('INVALID_API', { message: `Invalid API: ${message}` })
const notFound = () => apiErrors.error('API_NOT_FOUND')

const toApi = ({ identifierKey: _, ...row }: store.ApiRow, callers: readonly store.CallerRow[]): ListedApi => ({
  ...row,
  scopes: structuredClone([...row.scopes]),
  clients: callers
    .filter(({ resourceServerId }) => resourceServerId === row.id)
    .map(({ clientId, scopes, exchangeFrom, mayImpersonate }) => ({
      ...{ clientId, scopes: scopes && [...scopes], exchangeFrom: [...exchangeFrom], mayImpersonate },
    })),
})

const keyOf = (idOrIdentifier: string) =>
  idOrIdentifier.startsWith(apiIdPrefix) ? { id: idOrIdentifier } : { identifierKey: identifierKeyOf(idOrIdentifier) ?? '' }

/** Sorts the applications and removes repeated audiences, so that two lists with equal content compare as equal. */
const inOrder = (clients: ListedApi['clients']): ListedApi['clients'] =>
  clients
    .map((client) => ({ ...client, exchangeFrom: [...new Set(client.exchangeFrom)] }))
    .sort((a, b) => (a.clientId < b.clientId ? -1 : 1))

/** Throws INVALID_API if a scope is repeated, or if an application in the list has a scope that the API lacks. */
const checkScopes = ({ scopes, clients }: Pick<ListedApi, 'scopes' | 'clients'>, ownScopes: readonly string[]) => {
  const names = scopes.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw invalid(`scope ${twice} is declared twice`)
  const own = names.find((name) => ownScopes.includes(name))
  if (own !== undefined) throw invalid(`scope ${own} is one of this server; name it otherwise, such as ${own}:api`)
  const ids = clients.map(({ clientId }) => clientId)
  const again = ids.find((id, i) => ids.indexOf(id) !== i)
  if (again !== undefined) throw invalid(`application ${again} is listed twice`)
  for (const { clientId, scopes: given } of clients) {
    const unknown = (given ?? []).find((name) => !names.includes(name))
    if (unknown !== undefined) throw invalid(`application ${clientId} has the scope ${unknown}, which the API does not declare`)
  }
}

const require = (principal: Principal, permission: Permission) => {
  if (!can(principal, permission)) throw coreErrors.error('FORBIDDEN')
}

/** Keeps APIs in memory for the token endpoint. */
const createMemory = (deps: Deps): Pick<ResourceServers, 'find' | 'findById' | 'authenticate' | 'forget' | 'flushUsage'> => {
  const { db, clock } = deps
  const known = new Map<string, ResourceServer>()
  /** Increases whenever APIs are removed from memory. A read that started before then does not put its outdated API into memory. */
  let generation = 0
  const usage = createUsage(deps, { everyMs: 5 * 60_000, write: store.noteUse })

  const load = async (where: Parameters<typeof store.findApi>[1]): Promise<ResourceServer | undefined> => {
    const inMemory = known.get('id' in where ? where.id : where.identifierKey)
    if (inMemory !== undefined) return inMemory
    const startedIn = generation
    const row = await store.findApi(db, where)
    if (row === undefined) return undefined
    const api = { ...row, callers: await store.listCallers(db, [row.id]), secrets: await store.listSecrets(db, row.id) }
    if (known.size >= maxInMemory) known.clear()
    if (startedIn === generation) for (const name of [api.id, api.identifierKey]) known.set(name, api)
    return api
  }

  return {
    find: async (identifier) => {
      const identifierKey = identifierKeyOf(identifier)
      return identifierKey === undefined ? undefined : load({ identifierKey })
    },
    findById: (id) => load({ id }),
    authenticate: ({ secrets }, secret) => {
      const hash = sha256(secret)
      const [match] = secrets.filter((row) => safeEqual(row.hash, hash) && stateOf(row, clock.now()) !== 'ended')
      if (match !== undefined) usage.note(match.id)
      return match !== undefined
    },
    forget: () => {
      known.clear()
      generation += 1
    },
    flushUsage: usage.flush,
  }
}

interface Inside {
  readonly lock: (tx: Tx, idOrIdentifier: string) => Promise<store.ApiRow>
  readonly changed: (tx: Tx) => Promise<void>
}

/** The secrets with which APIs introspect tokens. At most two secrets of an API are valid at the same time. */
const createApiSecrets = (
  { db, transact, clock, random, events }: Deps,
  { lock, changed }: Inside,
): Pick<ResourceServers, 'listSecrets' | 'rotateSecret' | 'revokeSecret'> => {
  const listed = (rows: readonly store.SecretRow[]): ListedSecret[] =>
    rows.map(({ resourceServerId: _, slot: __, hash: ___, ...row }) => ({ ...row, state: stateOf(row, clock.now()) })).reverse()
  return {
    listSecrets: async (principal, idOrIdentifier) => {
      require(principal, 'apis:read')
      const row = await store.findApi(db, keyOf(idOrIdentifier))
      if (row === undefined) throw notFound()
      return listed(await store.listSecrets(db, row.id))
    },
    rotateSecret: (principal, idOrIdentifier, overlapSeconds) => {
      const secret = random.token(32)
      return transact(async (tx) => {
        const { id: resourceServerId } = await lock(tx, idOrIdentifier)
        require(principal, 'apis:update')
        const rows = await store.listSecrets(tx, resourceServerId)
        const live = rows.filter((row) => stateOf(row, clock.now()) !== 'ended')
        if (overlapSeconds > 0 && live.length > 1)
          throw oidcErrors.error('SECRET_ROTATION_IS_UNDER_WAY', {
            message: 'Two secrets count already; take one back before the next rotation',
          })
        const kept = overlapSeconds > 0 ? live : []
        const gone = rows.filter((row) => !kept.includes(row))
        for (const { id } of gone) await store.deleteSecret(tx, resourceServerId, id)
        const until = clock.after(overlapSeconds)
        const ending = kept.map((row) => ({
          ...row,
          expiresAt: row.expiresAt !== null && row.expiresAt < until ? row.expiresAt : until,
        }))
        for (const { id, expiresAt } of ending) await store.endSecret(tx, id, expiresAt)
        const row: store.SecretRow = {
          ...{ id: random.id(), resourceServerId, slot: kept.some(({ slot }) => slot === 1) ? 2 : 1 },
          ...{
            hash: sha256(secret),
            hint: secret.slice(0, hintLength),
            createdAt: clock.now(),
            expiresAt: null,
            lastUsedAt: null,
          },
        }
        await store.insertSecret(tx, row)
        const ended = live.filter((one) => gone.includes(one)).map(({ id }) => id)
        await events.record(tx, principal, apiEvents['api.secret_rotated'], {
          subject: resourceServerId,
          data: { id: row.id, ended },
        })
        await changed(tx)
        return { apiId: resourceServerId, secretId: row.id, secret, secrets: listed([...ending, row]) }
      })
    },
    revokeSecret: (principal, idOrIdentifier, secretId) =>
      transact(async (tx) => {
        const { id } = await lock(tx, idOrIdentifier)
        require(principal, 'apis:update')
        if (!(await store.deleteSecret(tx, id, secretId))) throw oidcErrors.error('SECRET_NOT_FOUND')
        await events.record(tx, principal, apiEvents['api.secret_revoked'], { subject: id, data: { id: secretId } })
        await changed(tx)
        return listed(await store.listSecrets(tx, id))
      }),
  }
}

export const createResourceServers = (deps: Deps): ResourceServers => {
  const { db, transact, clock, random, events, signals, ownScopes, taken } = deps
  const memory = createMemory(deps)
  const changed = async (tx: Tx) => {
    await raiseVersion(tx, signals)
    afterCommit(tx, memory.forget)
  }
  const lock = async (tx: Tx, idOrIdentifier: string): Promise<store.ApiRow> => {
    const found = await store.findApi(tx, keyOf(idOrIdentifier))
    const row = found && (await store.lockApi(tx, found.id))
    if (row === undefined) throw notFound()
    return row
  }

  const saveCallers = async (tx: Tx, id: string, clients: ListedApi['clients']) => {
    const ids = await store.idsOfClients(
      tx,
      clients.map(({ clientId }) => clientId),
    )
    const rows = clients.map(({ clientId, scopes, exchangeFrom, mayImpersonate }) => {
      const oauthClientId = ids.get(clientId)
      if (oauthClientId === undefined)
        throw oidcErrors.error('APPLICATION_NOT_FOUND', { message: `Application not found: ${clientId}` })
      return { resourceServerId: id, oauthClientId, scopes, exchangeFrom: [...new Set(exchangeFrom)], mayImpersonate }
    })
    await store.replaceCallers(tx, id, rows)
  }

  return {
    list: async (principal, query) => {
      require(principal, 'apis:read')
      const { rows: found, total } = await store.pageOfApis(db, cursorOf(query))
      const { rows, next } = cutPage(found, query.limit, ({ id, createdAt }) =>
        nextAfter(query, { id, value: createdAt.getTime() }),
      )
      const callers = await store.listCallers(
        db,
        rows.map(({ id }) => id),
      )
      return { apis: rows.map((row) => toApi(row, callers)), next, total }
    },
    get: async (principal, idOrIdentifier) => {
      require(principal, 'apis:read')
      const row = await store.findApi(db, keyOf(idOrIdentifier))
      if (row === undefined) throw notFound()
      return toApi(row, await store.listCallers(db, [row.id]))
    },
    create: async (principal, { clients, ...input }) => {
      require(principal, 'apis:create')
      const problem = identifierProblem(input.identifier)
      if (problem !== undefined) throw invalid(`identifier ${input.identifier} ${problem}`)
      const identifierKey = identifierKeyOf(input.identifier) ?? ''
      if (taken.some((value) => identifierKeyOf(value) === identifierKey)) throw apiErrors.error('API_IDENTIFIER_IS_TAKEN')
      checkScopes({ scopes: input.scopes, clients }, ownScopes)
      const now = clock.now()
      const row: store.ApiRow = { ...input, id: `${apiIdPrefix}${random.id()}`, identifierKey, createdAt: now, updatedAt: now }
      return transact(async (tx) => {
        try {
          await store.insertApi(tx, row)
        } catch (error) {
          if (uniqueViolation(error) !== undefined) throw apiErrors.error('API_IDENTIFIER_IS_TAKEN')
          throw error
        }
        await saveCallers(tx, row.id, clients)
        const { identifier, access } = row
        const data = { identifier, access, clients: clients.map(({ clientId }) => clientId) }
        await events.record(tx, principal, apiEvents['api.created'], { subject: row.id, data })
        await changed(tx)
        return toApi(row, await store.listCallers(tx, [row.id]))
      })
    },
    update: (principal, idOrIdentifier, changes, ifMatch = anyState) =>
      transact(async (tx) => {
        const row = await lock(tx, idOrIdentifier)
        require(principal, 'apis:update')
        const before = toApi(row, await store.listCallers(tx, [row.id]))
        ifMatch(before)
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
        const merged: ListedApi = { ...before, ...given }
        const wanted = { ...merged, clients: inOrder(merged.clients) }
        checkScopes(wanted, ownScopes)
        const names = Object.keys(given).filter(
          (name) => JSON.stringify(before[name as keyof Changes]) !== JSON.stringify(wanted[name as keyof Changes]),
        )
        if (names.length === 0) return before
        const { clients, identifier: _, createdAt: __, ...columns } = wanted
        const updatedAt = new Date(Math.max(clock.now().getTime(), before.updatedAt.getTime() + 1))
        await store.updateApi(tx, { ...columns, updatedAt })
        if (names.includes('clients')) await saveCallers(tx, row.id, clients)
        const pick = (from: ListedApi) => Object.fromEntries(names.map((name) => [name, from[name as keyof Changes]]))
        await events.record(tx, principal, apiEvents['api.updated'], {
          subject: row.id,
          data: { identifier: row.identifier, fields: names, before: pick(before), after: pick(wanted) },
        })
        await changed(tx)
        return { ...wanted, clients: toApi(row, await store.listCallers(tx, [row.id])).clients, updatedAt }
      }),
    remove: (principal, idOrIdentifier, ifMatch = anyState) =>
      transact(async (tx) => {
        const row = await lock(tx, idOrIdentifier)
        require(principal, 'apis:delete')
        const api = toApi(row, await store.listCallers(tx, [row.id]))
        ifMatch(api)
        await store.deleteApi(tx, row.id)
        const data = { identifier: row.identifier, name: row.name }
        await events.record(tx, principal, apiEvents['api.deleted'], { subject: row.id, data })
        await changed(tx)
        return api
      }),
    ...createApiSecrets(deps, { lock, changed }),
    find: memory.find,
    findById: memory.findById,
    authenticate: memory.authenticate,
    forget: memory.forget,
    flushUsage: memory.flushUsage,
  }
}
