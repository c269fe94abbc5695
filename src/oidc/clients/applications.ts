import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { isSealed, sha256 } from '../../core/crypto.ts'
import type { Total } from '../../core/db/count.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import type { Actor } from '../../core/events/record.ts'
import { cursorOf, invalidQuery, placedPage } from '../../core/page.ts'
import type { Images } from '../../images/index.ts'
import * as artifacts from '../artifacts/store.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { countConsents, endConsents } from '../interactions/store.ts'
import type { FurtherMetadata, Metadata } from '../metadata/contract.ts'
import { isDocumentId } from '../metadata/document-id.ts'
import { destinationOf, splitScope, unsaidByRegistrant } from '../rules.ts'
import { requireInSector, type Sector, type Sectors } from '../subjects/sectors.ts'
import { type Application, toApplication } from './application.ts'
import type { applicationContract, UpdateApplication } from './contract.ts'
import { logoOwner } from './logos.ts'
import { checkPermissions, requireCovered } from './permissions.ts'
import {
  checkMetadata,
  definedOf,
  fieldNames,
  hasSecret,
  invalidMetadata,
  isOfOperatorOrApproved,
  needsWholeSecret,
} from './rules.ts'
import type { Clients } from './service.ts'
import * as store from './store.ts'

type Changes = z.output<typeof UpdateApplication>
type ListQuery = z.output<(typeof applicationContract)['listApplications']['query']>

/** The numbers of tokens and consents that are deleted together with an application. The server stops counting at `countedUpTo`. */
export interface Dependents {
  readonly tokens: number
  readonly consents: number
  readonly countedUpTo: number
}

/** The metadata that a client sets about itself (RFC 7591). Absent fields get their defaults. */
export interface SaidByClient
  extends Partial<Omit<Metadata, 'name' | 'redirectUris' | 'scopes'>>,
    Pick<Metadata, 'name' | 'redirectUris' | 'scopes'>,
    Pick<FurtherMetadata, 'grantTypes'> {
  readonly type: store.ClientRow['type']
}

/** Manages registered applications. */
export interface Applications {
  list(
    principal: Principal,
    query: ListQuery,
  ): Promise<{ readonly clients: Application[]; readonly next: string | null; readonly total: Total | null }>
  /** Finds an application by its `client_id`. Throws APPLICATION_NOT_FOUND. */
  get(principal: Principal, clientId: string): Promise<Application>
  /** Counts the codes and tokens of the application, and the people who have given it their consent. Throws APPLICATION_NOT_FOUND. */
  dependentsOf(principal: Principal, clientId: string): Promise<Dependents>
  /**
   * Changes the given fields of an application. Throws APPLICATION_NOT_FOUND, INVALID_REDIRECT_URI, REDIRECT_URI_IS_REQUIRED,
   * INVALID_SCOPE and INVALID_CLIENT_METADATA. Throws YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE if the caller lacks a permission
   * that the application has or would get.
   */
  update(principal: Principal, clientId: string, changes: Changes, ifMatch?: IfMatch<Application>): Promise<Application>
  /**
   * Deletes the application with its secrets, tokens and consents. Throws APPLICATION_NOT_FOUND. Throws
   * YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE if the caller lacks a permission that the application has.
   */
  remove(principal: Principal, clientId: string, ifMatch?: IfMatch<Application>): Promise<Application>
  /**
   * Replaces all metadata that a client has set about itself. The approval of the client by an administrator ends. If a redirect URI has
   * a new host or scheme, people have to consent again. The caller has checked the client's registration token and locked its row. Throws
   * the errors about metadata that `update` throws.
   */
  replaceAsClient(tx: Tx, client: Actor, row: store.ClientRow, said: SaidByClient, sector: Sector | undefined): Promise<void>
  /** Deletes a client at its own request. The caller has checked the client's registration token and locked its row. */
  removeAsClient(tx: Tx, client: Actor, row: store.ClientRow): Promise<void>
}

/** The fields of an application that may differ after a change. The grant types can change only if the client manages itself. */
type Changed = Application & Partial<Pick<FurtherMetadata, 'grantTypes'>>

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'secrets' | 'events' | 'url'> {
  readonly clients: Clients
  readonly images: Images
  readonly sourceScopes: readonly string[]
  readonly sectors: Pick<Sectors, 'read'>
}

const countedUpTo = 10_000

const nothingSaid = {
  ...{ postLogoutRedirectUris: [], icon: null, uri: null, policyUri: null, tosUri: null },
  ...unsaidByRegistrant,
} satisfies Partial<Metadata>

/** The fields that an update can change: the metadata, and the two fields that only a client that manages itself can change. */
const savedNames = [...fieldNames, 'type', 'grantTypes'] as const

const unique = (list: readonly string[]) => [...new Set(list)]

/** Applies changes to an application. Repeated values in lists are removed. An undefined field keeps its value. */
const merged = (before: Changed, changes: Changes): Changed => {
  const after = { ...before, ...(definedOf(changes) as Partial<Application>) }
  return {
    ...after,
    redirectUris: unique(after.redirectUris),
    postLogoutRedirectUris: unique(after.postLogoutRedirectUris),
    webOrigins: unique(after.webOrigins),
    scopes: unique(after.scopes.flatMap(splitScope)),
  }
}

/**
 * Adapts the stored secrets to changed metadata. A secret itself is stored, sealed, only while the server needs it. Otherwise only the
 * hash of the secret is stored. A client that authenticates with a key of its own has no secret.
 */
const changeSecrets = async ({ secrets }: Pick<Core, 'secrets'>, tx: Tx, client: store.ClientRow, to: Application) => {
  if (!hasSecret(to)) return void (await store.deleteSecrets(tx, client.id))
  const rows = await store.listSecrets(tx, client.id)
  if (needsWholeSecret(to)) {
    if (rows.every(({ secret }) => isSealed(secret))) return
    const what = to.authMethod === 'client_secret_jwt' ? 'client_secret_jwt is checked' : 'HS256 signs'
    throw invalidMetadata(`${what} with the client secret, of which only the hash is kept: register another application for it`)
  }
  for (const { id, secret } of rows)
    if (isSealed(secret)) await store.replaceSecret(tx, id, sha256(secrets.open(secret, store.contextOf(client.id))))
}

export const createApplications = (deps: Deps): Applications => {
  const { db, transact, clock, events, url, clients, images, sourceScopes, sectors } = deps
  const require = (principal: Principal, permission: Permission) => {
    if (!can(principal, permission)) throw coreErrors.error('FORBIDDEN')
  }
  const found = (row: store.ClientRow | undefined): store.ClientRow => {
    if (row === undefined) throw oidcErrors.error('APPLICATION_NOT_FOUND')
    return row
  }

  /** Deletes the fetched logo if the URL of the icon is removed. `ClientLogos` fetches the logo of a new URL later. */
  const changeIcon = async (tx: Tx, { id }: store.ClientRow, after: Application): Promise<Application> => {
    const now = { ...after, logo: after.icon === null ? null : after.logo, logoProblem: null }
    if (after.icon === null) await images.remove(tx, logoOwner(after.clientId))
    const gone = after.icon === null ? { logoImage: null, logoSource: null } : {}
    await store.updateLogo(tx, id, { ...gone, logoProblem: null, updatedAt: after.updatedAt })
    return now
  }

  /** Stores the changed fields of an application. Throws the errors of `checkMetadata`. */
  const save = async (
    tx: Tx,
    actor: Actor,
    row: store.ClientRow,
    wanted: Changed,
    sector: Sector | undefined,
  ): Promise<Application> => {
    const { grantTypes } = row.metadata
    const before: Changed = { ...toApplication(row, url), grantTypes }
    const after: Changed = { grantTypes, ...wanted }
    const fields = savedNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    const isSwitched = before.disabled !== after.disabled
    const isReviewed = before.review !== after.review
    if (fields.length === 0 && !isSwitched && !isReviewed) return before
    // A stored scope may belong to a feature that is disabled now. Such a scope must not prevent changes of other fields.
    checkMetadata({ ...after, scope: fields.includes('scopes') ? after.scopes : undefined }, sourceScopes)
    if (fields.includes('sectorIdentifierUri') || fields.includes('redirectUris')) requireInSector(after, sector)
    if (after.skipConsent && isDocumentId(row.clientId))
      throw invalidMetadata('people are always asked about a client whose metadata are a document elsewhere')
    if (fields.includes('idTokenAlg') || fields.includes('authMethod')) await changeSecrets(deps, tx, row, after)
    const updatedAt = new Date(Math.max(clock.now().getTime(), before.updatedAt.getTime() + 1))
    await store.updateClient(tx, row, { ...after, updatedAt })
    const pick = (from: Changed) => Object.fromEntries(fields.map((name) => [name, from[name]]))
    if (fields.length > 0)
      await events.record(tx, actor, oidcEvents['client.updated'], {
        subject: row.clientId,
        data: { fields, before: pick(before), after: pick(after) },
      })
    const switched = oidcEvents[after.disabled ? 'client.disabled' : 'client.enabled']
    if (isSwitched) await events.record(tx, actor, switched, { subject: row.clientId, data: {} })
    if (isReviewed) {
      const data = { review: after.review }
      await events.record(tx, actor, oidcEvents['client.reviewed'], { subject: row.clientId, data })
    }
    await clients.changed(tx)
    return fields.includes('icon') ? changeIcon(tx, row, { ...after, updatedAt }) : { ...after, updatedAt }
  }

  /**
   * The sector of the application after the change, for pairwise subject identifiers. It is the stored sector if the change does not
   * concern it.
   */
  const sectorFor = async (principal: Principal, clientId: string, { sectorIdentifierUri: said, redirectUris }: Changes) => {
    require(principal, 'clients:update')
    if (said === undefined && redirectUris === undefined) return undefined
    const row = found(await store.findClient(db, clientId))
    return sectors.read(said === undefined ? row.metadata.sectorIdentifierUri : said, isOfOperatorOrApproved(row))
  }

  const erase = async (tx: Tx, actor: Actor, { id, clientId: subject, name, type }: store.ClientRow) => {
    await store.deleteClient(tx, id)
    await events.record(tx, actor, oidcEvents['client.deleted'], { subject, data: { name, type } })
    await clients.changed(tx)
  }

  return {
    replaceAsClient: async (tx, client, row, said, sector) => {
      const named = structuredClone({ ...nothingSaid, ...definedOf(said) }) as Partial<Changed>
      // The approval and the permission to skip the consent were given for the previous metadata, so both end. A restriction stays,
      // because the client's behaviour was its reason.
      const review = row.review === 'restricted' ? row.review : null
      const after: Changed = { ...toApplication(row, url), ...named, skipConsent: false, understandsAct: false, review }
      await save(tx, client, row, merged(after, {}), sector)
      const shown = row.redirectUrls.map(destinationOf)
      if (said.redirectUris.every((address) => shown.includes(destinationOf(address)))) return
      // Interactions are deleted before the consents end. If a person consents at this moment, either the consent was stored before and
      // ends too, or its interaction is gone and nothing is stored.
      await artifacts.deleteByClient(tx, row.clientId)
      await endConsents(tx, row.clientId, clock.now())
    },
    removeAsClient: erase,
    list: async (principal, query) => {
      require(principal, 'clients:read')
      const { search, type, disabled, total: isCounted, ...asked } = query
      const hasDefaultOrder = asked.sort === 'createdAt' && asked.order === 'desc'
      if (search !== undefined && asked.sort !== 'name' && !hasDefaultOrder)
        throw invalidQuery('sort', 'expected name with search, whose results are sorted by name')
      // The result of a search is sorted by name, unless the caller asks for another order.
      const order = search !== undefined && hasDefaultOrder ? 'asc' : asked.order
      const found = await store.pageOfClients(db, { search, type, disabled }, { ...cursorOf(asked), order })
      const { rows, next } = placedPage(asked, found)
      const total = isCounted === true ? await store.totalOfClients(db, { search, type, disabled }) : null
      return { clients: rows.map((row) => toApplication(row, url)), next, total }
    },
    get: async (principal, clientId) => {
      require(principal, 'clients:read')
      return toApplication(found(await store.findClient(db, clientId)), url)
    },
    dependentsOf: async (principal, clientId) => {
      require(principal, 'clients:read')
      found(await store.findClient(db, clientId))
      const [tokens, consents] = await Promise.all([
        artifacts.countTokens(db, clientId, clock.now(), countedUpTo),
        countConsents(db, clientId, countedUpTo),
      ])
      return { tokens, consents, countedUpTo }
    },
    update: async (principal, clientId, changes, ifMatch = anyState) => {
      const sector = await sectorFor(principal, clientId, changes)
      return transact(async (tx) => {
        const row = found(await store.lockClient(tx, clientId))
        require(principal, 'clients:update')
        requireCovered(principal, row.permissions)
        const before = toApplication(row, url)
        ifMatch(before)
        const named = merged(before, changes)
        const permissions =
          changes.permissions === undefined ? before.permissions : checkPermissions(principal, row.type, named.permissions)
        const after = { ...named, permissions: [...permissions] }
        return save(tx, principal, row, after, sector)
      })
    },
    remove: async (principal, clientId, ifMatch = anyState) =>
      transact(async (tx) => {
        const row = found(await store.lockClient(tx, clientId))
        require(principal, 'clients:delete')
        requireCovered(principal, row.permissions)
        const application = toApplication(row, url)
        ifMatch(application)
        await erase(tx, principal, row)
        return application
      }),
  }
}
