import type { SystemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { parseBody } from '../events/parse.ts'
import type { Links } from '../links/service.ts'
import { catalogueKinds, type Kind, keyOf, kinds } from './rules.ts'
import { lockCustomer, readCustomers, writeSnapshots } from './store/entities.ts'
import * as store from './store/rebuild.ts'
import { affectsSnapshot, snapshotFrom } from './update.ts'
import { type EntityVersion, type Extracted, extract, identityOf } from './versions.ts'

/** The numbers of differences that a rebuild found. Unless it was a dry run, the rebuild has corrected them. */
export interface Rebuilt {
  readonly deliveries: number
  readonly customers: number
  /** Number of stored rows that differed from what their delivery contains. */
  readonly corrected: number
  /** Number of stored rows whose delivery is missing, or does not contain their entity. */
  readonly removed: number
  /** Number of entities for which a delivery contained a newer version than the stored one. */
  readonly restored: number
  /** Number of customers whose stored snapshot was wrong. */
  readonly snapshots: number
  /** Number of customers that were linked to a wrong owner, or in a wrong way. */
  readonly links: number
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  /** Stores versions without changing the links of customers. The caller has locked the customers. */
  readonly write: (tx: Tx, extracted: readonly Extracted[]) => Promise<unknown>
  readonly links: Pick<Links, 'relink' | 'countOutdated'>
}

const pageSize = 100

/** Rows of a table, page by page. */
async function* pagesOf<T extends { readonly id: string }>(
  read: (after: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ; ) {
    const page = await read(after, pageSize)
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.id
  }
}

const read = (delivery: store.DeliveryRow): Extracted => {
  const { result } = parseBody(delivery.body)
  return result.ok ? extract(result.event, delivery) : { customerId: null, versions: [] }
}

/**
 * Derives the state again from the stored deliveries. A daemon may run meanwhile. First each row is compared with its delivery, and
 * corrected or removed if it differs. Then each delivery is applied again. Because a row always contains the greatest version of its
 * entity, the result is the state that an empty database would get from the same deliveries. Each step is a short transaction: readers
 * never see an empty state, and new deliveries are applied as usual.
 */
export const createRebuild =
  ({ db, transact, write, links }: Deps) =>
  async (_principal: SystemPrincipal, { dryRun }: { readonly dryRun: boolean }): Promise<Rebuilt> => {
    /** In a dry run, which leaves wrong rows as they are: the right data of customers whose stored row is wrong. */
    const changedCustomers = new Map<string, Pick<EntityVersion, 'id' | 'version' | 'columns'>>()
    const recordCustomer = (version: EntityVersion) => {
      if (dryRun && version.kind === 'customer' && version.version >= (changedCustomers.get(version.id)?.version ?? ''))
        changedCustomers.set(version.id, { id: version.id, version: version.version, columns: version.columns })
    }
    const found = { deliveries: 0, customers: 0, corrected: 0, removed: 0, restored: 0, relinked: 0 }
    /** Ids of customers whose stored snapshot is wrong. */
    const wrong = new Set<string>()

    /**
     * Derives the snapshot of a customer from all stored rows, and returns the customer's row. With `tx`, a wrong snapshot is corrected;
     * the caller has locked the customer.
     */
    const refreshSnapshot = async (db: Db, customerId: string, tx: Tx | undefined) => {
      const rows = await readCustomers(db, [customerId])
      const customer = rows.find(({ kind }) => kind === 'customer')
      if (customer === undefined) return undefined
      const snapshot = snapshotFrom(customerId, rows, [])
      if (snapshot.json === customer.data) return customer
      wrong.add(customerId)
      if (tx !== undefined) await writeSnapshots(tx, new Map([[customerId, snapshot]]))
      return customer
    }

    const checkRow = async (kind: Kind, row: store.RawEntity, status: string | undefined, own: EntityVersion | undefined) => {
      if (own !== undefined && store.isSame(row, own)) return
      // Products, benefits and meters are not personal data, so they stay when the personal data in a delivery is removed.
      if (status === 'removed' && catalogueKinds.some((name) => name === kind)) return
      found[own === undefined ? 'removed' : 'corrected'] += 1
      if (own !== undefined) recordCustomer(own)
      if (dryRun) return
      await transact(async (tx) => {
        // An update starts from the stored snapshot, which may be wrong. So after correcting a row, the snapshots of its former customer
        // and of its new customer are derived from all stored rows.
        const isOwn = kind === 'customer' || kind === 'customer_state'
        const both = [isOwn ? row.id : row.row['customer_id'], own?.customerId]
        const owners = affectsSnapshot({ kind }) ? new Set(both.filter((id) => typeof id === 'string').sort()) : []
        for (const owner of owners) await lockCustomer(tx, owner)
        await (own === undefined ? store.deleteEntity(tx, kind, row) : store.replaceEntity(tx, kind, row, own))
        for (const owner of owners) await refreshSnapshot(tx, owner, tx)
      })
    }

    const checkRows = async (kind: Kind) => {
      for await (const page of pagesOf((after, limit) => store.listEntities(db, kind, after, limit))) {
        const deliveries = await store.listByIds(db, [...new Set(page.map(({ deliveryId }) => deliveryId))])
        const statuses = new Map(deliveries.map(({ id, status }) => [id, status]))
        // Each delivery is parsed once for the whole page, because many rows may come from one large delivery.
        const owns = new Map(
          deliveries
            .filter(({ status }) => status === 'accepted')
            .flatMap((delivery) => read(delivery).versions.map((version) => [`${delivery.id} ${keyOf(version)}`, version])),
        )
        for (const row of page)
          await checkRow(kind, row, statuses.get(row.deliveryId), owns.get(`${row.deliveryId} ${keyOf({ kind, id: row.id })}`))
      }
    }

    /** From a page of deliveries, the versions that are newer than the stored versions. */
    const newerIn = async (page: readonly Extracted[]): Promise<readonly Extracted[]> => {
      const stored = new Map<string, string>()
      for (const kind of kinds) {
        const ids = page.flatMap(({ versions }) => versions.flatMap((version) => (version.kind === kind ? [version.id] : [])))
        if (ids.length === 0) continue
        for (const [id, version] of await store.listVersions(db, kind, [...new Set(ids)]))
          stored.set(keyOf({ kind, id }), version)
      }
      return page
        .map(({ customerId, versions }) => ({
          customerId,
          versions: versions.filter((version) => version.version > (stored.get(keyOf(version)) ?? '')),
        }))
        .filter(({ versions }) => versions.length > 0)
    }

    const replay = async () => {
      for (let after: store.DeliveryRow | undefined; ; ) {
        const page = await store.listAccepted(db, after, pageSize)
        found.deliveries += page.length
        for (const { customerId, versions } of await newerIn(page.map(read))) {
          found.restored += versions.length
          versions.forEach(recordCustomer)
          if (dryRun) continue
          await transact(async (tx) => {
            if (customerId !== null) await lockCustomer(tx, customerId)
            // Under the lock the delivery is checked again, because its content may have been removed since it was read.
            if (await store.lockAccepted(tx, versions[0]?.deliveryId ?? '')) await write(tx, [{ customerId, versions }])
          })
        }
        if (page.length < pageSize) return
        after = page.at(-1)
      }
    }

    const refreshCustomer = async (db: Db, customerId: string, tx?: Tx) => {
      const customer = await refreshSnapshot(db, customerId, tx)
      if (customer === undefined) return
      const version = changedCustomers.get(customerId)
      changedCustomers.delete(customerId)
      const identity = version === undefined ? { ...customer, id: customerId } : identityOf(version)
      if (tx === undefined) {
        found.relinked += await links.countOutdated(db, [identity])
        return
      }
      found.relinked += await links.relink(tx, [identity])
    }

    const refreshLocked = (customerId: string) =>
      transact(async (tx) => {
        await lockCustomer(tx, customerId)
        await refreshCustomer(tx, customerId, tx)
      })

    for (const kind of kinds) await checkRows(kind)
    await replay()
    const customers = async (after: string, limit: number) =>
      (await store.listCustomerIds(db, after, limit)).map((id) => ({ id }))
    for await (const page of pagesOf(customers)) {
      found.customers += page.length
      for (const { id } of page) await (dryRun ? refreshCustomer(db, id) : refreshLocked(id))
    }
    // Also counts wrong links of customers whose row in the database is missing.
    found.relinked += await links.countOutdated(db, [...changedCustomers.values()].map(identityOf))
    const { relinked, ...rest } = found
    return { ...rest, snapshots: wrong.size, links: relinked }
  }
