import type { z } from 'zod'
import { can } from '../access/can.ts'
import type { PermittedPrincipal, UserPrincipal } from '../access/principal.ts'
import type { RequireProof } from '../access/proof.ts'
import { acrValues } from '../core/authentication-classes.ts'
import type { Core } from '../core/core.ts'
import { type Db, lockRow, type Tx } from '../core/db/database.ts'
import { anyState, type IfMatch } from '../core/etag.ts'
import type { Actor } from '../core/events/record.ts'
import type { PlacedRows } from '../core/page.ts'
import { type Retention, retentionOfRows } from '../core/retention.ts'
import type { Memberships, Organizations } from '../organizations/index.ts'
import {
  type Authorities,
  type Authority,
  ofSystem,
  ownerInstance,
  ownerOrganization,
  ownerUser,
  requireAuthority,
  requireGivable,
  type Scope,
} from './authority.ts'
import type { CreateApiKey, RotateApiKey, UpdateApiKey } from './contract.ts'
import { apiKeyErrors } from './contract.ts'
import { apiKeyEvents } from './events.ts'
import { addSecret, authenticationOf, endOf, type IssueDeps, makerOf, requireRoom, requireVerifiedMaker } from './issue.ts'
import { newKeyId } from './key-text.ts'
import { changesOf, isOver } from './rules.ts'
import type { KeyOwner } from './store.ts'
import { type ApiKey, shown } from './view.ts'

export type { ApiKey }

import * as store from './store.ts'

/** An API key with its complete text. It is returned only once: the database stores a hash. */
export type IssuedApiKey = ApiKey & { readonly key: string }

/** Names the owner of a new API key. An operator can name an organization or person by id, or by another unique name. */
export type OwnerName =
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'organization'; readonly organization: string }
  | { readonly kind: 'instance' }

type CreateInput = z.output<typeof CreateApiKey>
type UpdateInput = z.output<typeof UpdateApiKey>
type RotateInput = z.output<typeof RotateApiKey>

export interface ApiKeys {
  /**
   * Creates an API key. It cannot have more permissions than its creator. Throws API_KEY_LIMIT_REACHED, API_KEY_LIFE_IS_TOO_LONG,
   * API_KEY_CANNOT_HAVE_THESE_PERMISSIONS and YOU_CANNOT_GIVE_THESE_PERMISSIONS. `create`, `update` and `rotate` also throw the errors of
   * `RequireProof`.
   */
  create(principal: PermittedPrincipal, owner: OwnerName, input: CreateInput): Promise<IssuedApiKey>
  /** Changes an API key. `expiresIn` is counted in seconds from now. */
  update(principal: PermittedPrincipal, scope: Scope, id: string, input: UpdateInput, ifMatch?: IfMatch<ApiKey>): Promise<ApiKey>
  /**
   * Gives an API key a new secret. For a while, the former secret stays valid, too. If the key already has two secrets, throws
   * API_KEY_HAS_TWO_SECRETS_ALREADY, unless the former secrets are to end at once.
   */
  rotate(principal: PermittedPrincipal, scope: Scope, id: string, input: RotateInput): Promise<IssuedApiKey>
  /** Deletes an API key. From then on, calls with the key fail. */
  revoke(principal: PermittedPrincipal, scope: Scope, id: string, ifMatch?: IfMatch<ApiKey>): Promise<ApiKey>
  /** Deletes all API keys of a person whose account was recovered, or was handed over to the owner of its email address. */
  revokeOfUser(tx: Tx, actor: Actor, userId: string): Promise<void>
  /**
   * Deletes those API keys of a person that were created with one factor. Called when the person has switched on two-step verification.
   * Keys that `weaken` has changed are not deleted, because they were created with two factors.
   */
  revokeOfOneFactor(tx: Tx, actor: Actor, userId: string): Promise<void>
  /**
   * Deletes API keys of organizations and of the instance that a thief may have created in the name of a user. A key is deleted if one of
   * its secrets was shown to the user at `since` or later, or if `ids` contains its id.
   */
  revokeGiven(tx: Tx, actor: Actor, userId: string, since: Date, ids: readonly string[]): Promise<void>
  /** Called when a person has no second factor left. From now on, the person's API keys count as created with one factor. */
  weaken(tx: Tx, userId: string): Promise<void>
  /** Called when a person has a second factor again. Undoes `weaken`. */
  strengthen(tx: Tx, userId: string): Promise<void>
  /** Finds an API key. Throws API_KEY_NOT_FOUND. */
  find(id: string): Promise<ApiKey>
  /** Lists a page of API keys in the order of their creation. */
  list(filter: store.Filter, page: Parameters<typeof store.pageOfKeys>[2]): Promise<PlacedRows<ApiKey>>
  /**
   * Checks that the principal may see the API keys of an organization, and returns the id of the organization. Throws
   * YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY.
   */
  requireReadable(principal: UserPrincipal, organization: string): Promise<string>
  /** Deletes former secrets some time after they have ended. */
  readonly retention: Retention
}

interface Deps extends IssueDeps, Pick<Core, 'db' | 'transact' | 'events'> {
  readonly organizations: Pick<Organizations, 'require'>
  readonly memberships: Pick<Memberships, 'find' | 'idOf'>
  readonly authorities: Authorities
  readonly requireProof: RequireProof
}

type RevocationReason = 'requested' | 'account_recovered' | 'second_factor_enabled'

const monthSeconds = 30 * 86_400

const { error } = apiKeyErrors

const withSecrets = async ({ clock }: Deps, reader: Db, key: store.KeyRow) =>
  shown(key, await store.listSecrets(reader, [key.id]), clock.now())

/** What the principal may do with new API keys of this owner. Undefined if the principal may not create any. */
const authorityToCreate = async (
  { config, authorities }: Deps,
  tx: Tx,
  principal: PermittedPrincipal,
  owner: OwnerName,
  named: KeyOwner,
): Promise<Authority | undefined> => {
  if (principal.kind === 'system') return ofSystem(named)
  if (owner.kind === 'instance') return authorities.ofInstance(tx, principal)
  if (principal.kind !== 'user') return undefined
  if (owner.kind === 'organization') return authorities.ofOrganization(tx, principal, owner.organization)
  if (!config.personalEnabled) throw error('API_KEYS_ARE_DISABLED')
  return owner.user === principal.user.id ? authorities.ofPerson(tx, principal) : undefined
}

/** Finds the person or organization that an operator has named as the owner. Throws USER_NOT_FOUND and ORGANIZATION_NOT_FOUND. */
const resolveOwner = async (
  { db, users, organizations }: Deps,
  principal: PermittedPrincipal,
  owner: OwnerName,
): Promise<KeyOwner> => {
  if (principal.kind !== 'system' || owner.kind === 'instance') return ownerInstance
  return owner.kind === 'user'
    ? ownerUser((await users.require(db, owner.user)).id)
    : ownerOrganization((await organizations.require(owner.organization)).id)
}

const about = ({ id, organizationId }: store.KeyRow) => ({ subject: id, organizationId })

const ownerOf = ({ ownerKind, userId, organizationId }: store.KeyRow) => ({ ownerKind, ownerId: userId ?? organizationId })

/**
 * Finds an API key, checks that the principal may do this with it, and locks it. The owner is locked before the key, because deletions
 * lock them in this order, too.
 */
const lockKey = async (
  { authorities }: Deps,
  tx: Tx,
  principal: PermittedPrincipal,
  scope: Scope,
  id: string,
  action: 'update' | 'delete',
) => {
  const seen = await store.findKey(tx, id)
  if (seen === undefined) throw error('API_KEY_NOT_FOUND')
  const authority = await authorities.over(tx, principal, scope, seen)
  await lockRow(tx, 'api_key', id)
  const key = await store.findKey(tx, id)
  if (key === undefined) throw error('API_KEY_NOT_FOUND')
  return { key, authority: requireAuthority(authority, action, key) }
}

const strengthen: ApiKeys['strengthen'] = async (tx, userId) => void (await store.strengthenKeys(tx, userId, acrValues.slice(1)))

/** Deletes an API key. Returns false if another request has already deleted it. */
const removeKey = async ({ events }: Deps, tx: Tx, actor: Actor, key: store.KeyRow, reason: RevocationReason) => {
  if (!(await store.deleteKey(tx, key.id))) return false
  await events.record(tx, actor, apiKeyEvents['api_key.revoked'], { ...about(key), data: { ...ownerOf(key), reason } })
  return true
}

const createKey = (deps: Deps): ApiKeys['create'] => {
  const { transact, clock, random, events, requireProof } = deps
  return async (principal, owner, input) => {
    await requireProof(principal, 'make-api-key')
    const named = await resolveOwner(deps, principal, owner)
    return transact(async (tx) => {
      const authority = await authorityToCreate(deps, tx, principal, owner, named)
      if (authority === undefined || !authority.can('create', [])) throw error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY')
      const permissions = [...new Set(input.permissions)]
      requireGivable(authority, permissions)
      await requireVerifiedMaker(deps, tx, principal, authority.owner)
      await requireRoom(deps, tx, authority.owner)
      const now = clock.now()
      const key: store.KeyRow = {
        id: newKeyId(random),
        ...authority.owner,
        name: input.name,
        permissions,
        allowedNetworks: [...new Set(input.allowedNetworks)],
        requestsPerMinute: input.requestsPerMinute ?? null,
        enabled: true,
        expiresAt: endOf(deps, input.expiresIn),
        createdBy: makerOf(principal),
        ...(await authenticationOf(deps, tx, principal, authority.owner)),
        createdAt: now,
        updatedAt: now,
      }
      await store.insertKey(tx, key)
      const text = await addSecret(deps, tx, principal, key, now)
      const { allowedNetworks, expiresAt } = key
      await events.record(tx, principal, apiKeyEvents['api_key.created'], {
        ...about(key),
        data: {
          ...{ ...ownerOf(key), permissions, allowedNetworks: [...allowedNetworks] },
          expiresAt: expiresAt?.toISOString() ?? null,
        },
      })
      return { ...(await withSecrets(deps, tx, key)), key: text }
    })
  }
}

const updateKey = (deps: Deps): ApiKeys['update'] => {
  const { transact, clock, events, requireProof } = deps
  return async (principal, scope, id, { expiresIn, ...input }, ifMatch = anyState) => {
    const isDisabling = input.enabled === false && Object.keys(input).length === 1 && expiresIn === undefined
    if (!isDisabling) await requireProof(principal, 'make-api-key')
    return transact(async (tx) => {
      const { key, authority } = await lockKey(deps, tx, principal, scope, id, 'update')
      ifMatch(await withSecrets(deps, tx, key))
      const isOthers = scope === 'instance' && key.ownerKind !== 'instance' && principal.kind !== 'system'
      if (isOthers && !isDisabling)
        throw error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY', { message: 'API keys of others can only be disabled' })
      if (input.permissions !== undefined) requireGivable(authority, input.permissions)
      const changed: store.KeyRow = {
        ...key,
        name: input.name ?? key.name,
        permissions: input.permissions === undefined ? key.permissions : [...new Set(input.permissions)],
        allowedNetworks: input.allowedNetworks === undefined ? key.allowedNetworks : [...new Set(input.allowedNetworks)],
        requestsPerMinute: input.requestsPerMinute === undefined ? key.requestsPerMinute : input.requestsPerMinute,
        enabled: input.enabled ?? key.enabled,
        expiresAt: expiresIn === undefined ? key.expiresAt : endOf(deps, expiresIn),
      }
      const changes = changesOf(key, changed)
      if (changes.fields.length === 0) return withSecrets(deps, tx, key)
      const updated = { ...changed, updatedAt: clock.now() }
      await store.updateKey(tx, updated)
      await events.record(tx, principal, apiKeyEvents['api_key.updated'], { ...about(key), data: changes })
      return withSecrets(deps, tx, updated)
    })
  }
}

const rotateKey = (deps: Deps): ApiKeys['rotate'] => {
  const { transact, clock, events, config, requireProof } = deps
  return async (principal, scope, id, { overlapSeconds = config.overlapSeconds }) => {
    await requireProof(principal, 'make-api-key')
    return transact(async (tx) => {
      const { key } = await lockKey(deps, tx, principal, scope, id, 'update')
      if (scope === 'instance' && key.ownerKind !== 'instance' && principal.kind !== 'system')
        throw error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY', { message: 'Only its owner rotates an API key' })
      await requireVerifiedMaker(deps, tx, principal, key)
      const now = clock.now()
      const until = new Date(now.getTime() + overlapSeconds * 1000)
      const alive = (await store.listSecrets(tx, [id])).filter(({ expiresAt }) => !isOver(expiresAt, now))
      if (alive.length > 1 && overlapSeconds > 0)
        throw error('API_KEY_HAS_TWO_SECRETS_ALREADY', {
          message: 'API key has two secrets already: wait until the former one ends, or end both with an overlap of 0 seconds',
        })
      for (const { hash } of alive) await store.endSecret(tx, hash, until)
      const text = await addSecret(deps, tx, principal, key, now)
      // With the new secret, the key allows no more than the session of the person who makes it. It has no more permissions than with the
      // former secret.
      const given = await authenticationOf(deps, tx, principal, key)
      const updated = { ...key, ...(given.factors < 2 ? given : {}), updatedAt: now }
      await store.updateKey(tx, updated)
      const data = { ...ownerOf(key), formerUntil: until.toISOString() }
      await events.record(tx, principal, apiKeyEvents['api_key.rotated'], { ...about(key), data })
      return { ...(await withSecrets(deps, tx, updated)), key: text }
    })
  }
}

const revokeKey =
  (deps: Deps): ApiKeys['revoke'] =>
  (principal, scope, id, ifMatch = anyState) =>
    deps.transact(async (tx) => {
      const { key } = await lockKey(deps, tx, principal, scope, id, 'delete')
      const last = await withSecrets(deps, tx, key)
      ifMatch(last)
      if (!(await removeKey(deps, tx, principal, key, 'requested'))) throw error('API_KEY_NOT_FOUND')
      return last
    })

const listKeys =
  ({ db, clock, memberships }: Deps): ApiKeys['list'] =>
  async ({ organizationId: named, ...filter }, page) => {
    const organizationId = named === undefined ? undefined : await memberships.idOf(db, named)
    const { found, lookedTo, total } = await store.pageOfKeys(db, { ...filter, organizationId }, page)
    const secrets = await store.listSecrets(
      db,
      found.map(({ row }) => row.id),
    )
    const now = clock.now()
    return { found: found.map(({ row, position }) => ({ row: shown(row, secrets, now), position })), lookedTo, total }
  }

export const createApiKeys = (deps: Deps): ApiKeys => {
  const { db, transact, clock, memberships } = deps

  return {
    create: createKey(deps),
    update: updateKey(deps),
    rotate: rotateKey(deps),
    revoke: revokeKey(deps),
    revokeOfUser: async (tx, actor, userId) => {
      for (const key of await store.listOfUser(tx, userId)) await removeKey(deps, tx, actor, key, 'account_recovered')
    },
    revokeOfOneFactor: async (tx, actor, userId) => {
      await strengthen(tx, userId)
      for (const key of await store.listOfUser(tx, userId))
        if (key.factors < 2) await removeKey(deps, tx, actor, key, 'second_factor_enabled')
    },
    revokeGiven: async (tx, actor, userId, since, ids) => {
      for (const key of await store.listGivenTo(tx, userId, since, ids))
        await removeKey(deps, tx, actor, key, 'account_recovered')
    },
    weaken: async (tx, userId) => void (await store.weakenKeys(tx, userId)),
    strengthen,
    find: async (id) => {
      const key = await store.findKey(db, id)
      if (key === undefined) throw error('API_KEY_NOT_FOUND')
      return withSecrets(deps, db, key)
    },
    list: listKeys(deps),
    requireReadable: async (principal, organization) => {
      const membership = await memberships.find(db, principal, organization)
      if (membership === undefined || !can(principal, 'api-key:read', membership))
        throw error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY')
      return membership.organizationId
    },
    retention: retentionOfRows(
      { db, transact },
      'former secrets of API keys',
      'that a rotation ended more than a month ago',
      () => store.endedSecrets(clock.after(-monthSeconds)),
    ),
  }
}
