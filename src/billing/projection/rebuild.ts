import type { SystemCaller } from '../../core/caller.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import { judge } from '../intake/judge.ts'
import type { Linking } from '../linking/service.ts'
import { type EntityVersion, type Extracted, extract, identityOf } from './entities.ts'
import { saysStanding, standingFrom } from './holdings.ts'
import { catalogueKinds, type Kind, keyOf, kinds } from './rules.ts'
import { lockCustomer, readCustomers, updateStandings } from './store/entities.ts'
import * as store from './store/rebuild.ts'

/** What a rebuild found, and unless it only looked, has put right. */
export interface Rebuilt {
  readonly deliveries: number
  readonly customers: number
  /** Rows that said something else than the delivery they rest on. */
  readonly corrected: number
  /** Rows that rest on no delivery. */
  readonly removed: number
  /** Versions in the inbox that were newer than what was stored. */
  readonly restored: number
  /** Customers who hold something else than was thought. */
  readonly standings: number
  /** Customers who belong to somebody else than was thought, or by another claim. */
  readonly links: number
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  /** Makes versions part of the state, the links of customers left alone. The caller has locked the customers. */
  readonly write: (tx: Tx, told: readonly Extracted[]) => Promise<unknown>
  readonly linking: Pick<Linking, 'settle' | 'countUnsettled'>
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

const read = (delivery: store.InboxRow): Extracted => {
  const { parsed } = judge(delivery.body)
  return parsed.ok ? extract(parsed.event, delivery) : { customerId: null, versions: [] }
}

/**
 * Replays the inbox from zero, beside a running daemon. Each entity is the greatest of its versions in the inbox; so first every row is
 * held against the delivery it rests on, and corrected in place or removed, and then every delivery is applied once more. What results
 * is the state of an empty projection after the same deliveries, and nobody ever sees an empty one: each step is one short transaction,
 * and a delivery that comes meanwhile is applied as ever.
 */
export const createRebuild =
  ({ db, transact, write, linking }: Deps) =>
  async (_caller: SystemCaller, { dryRun }: { readonly dryRun: boolean }): Promise<Rebuilt> => {
    /** Customers as the inbox tells them where a dry run leaves them as they are stored. */
    const told = new Map<string, Pick<EntityVersion, 'id' | 'version' | 'columns'>>()
    const tell = (version: EntityVersion) => {
      if (dryRun && version.kind === 'customer' && version.version >= (told.get(version.id)?.version ?? ''))
        told.set(version.id, { id: version.id, version: version.version, columns: version.columns })
    }
    const found = { deliveries: 0, customers: 0, corrected: 0, removed: 0, restored: 0, links: 0 }
    /** Customers who hold something else than was thought. */
    const wrong = new Set<string>()

    /** Derives what a customer holds, whom the caller has locked, from all that is stored; tells what is stored of them as such. */
    const refreshStanding = async (db: Db, customerId: string, tx: Tx | undefined) => {
      const rows = await readCustomers(db, [customerId])
      const customer = rows.find(({ kind }) => kind === 'customer')
      if (customer === undefined) return undefined
      const standing = standingFrom(customerId, rows, [])
      if (standing.json === customer.data) return customer
      wrong.add(customerId)
      if (tx !== undefined) await updateStandings(tx, new Map([[customerId, standing]]))
      return customer
    }

    const checkRow = async (kind: Kind, row: store.RawEntity, verdict: string | undefined, own: EntityVersion | undefined) => {
      if (own !== undefined && store.isSame(row, own)) return
      // What the seller sells is no personal data: it outlasts the removal of whoever bought it.
      if (verdict === 'removed' && catalogueKinds.some((name) => name === kind)) return
      found[own === undefined ? 'removed' : 'corrected'] += 1
      if (own !== undefined) tell(own)
      if (dryRun) return
      await transact(async (tx) => {
        // What they hold is derived from what they held: never from a row that has been another one.
        const isOwn = kind === 'customer' || kind === 'customer_state'
        const both = [isOwn ? row.id : row.row['customer_id'], own?.customerId]
        const owners = saysStanding({ kind }) ? new Set(both.filter((id) => typeof id === 'string').sort()) : []
        for (const owner of owners) await lockCustomer(tx, owner)
        await (own === undefined ? store.deleteEntity(tx, kind, row) : store.replaceEntity(tx, kind, row, own))
        for (const owner of owners) await refreshStanding(tx, owner, tx)
      })
    }

    const checkRows = async (kind: Kind) => {
      for await (const page of pagesOf((after, limit) => store.listEntities(db, kind, after, limit))) {
        const deliveries = await store.listByIds(db, [...new Set(page.map(({ deliveryId }) => deliveryId))])
        const verdicts = new Map(deliveries.map(({ id, verdict }) => [id, verdict]))
        // Read once each: many rows may rest on one large delivery.
        const owns = new Map(
          deliveries
            .filter(({ verdict }) => verdict === 'accepted')
            .flatMap((delivery) => read(delivery).versions.map((version) => [`${delivery.id} ${keyOf(version)}`, version])),
        )
        for (const row of page)
          await checkRow(kind, row, verdicts.get(row.deliveryId), owns.get(`${row.deliveryId} ${keyOf({ kind, id: row.id })}`))
      }
    }

    /** Of a page of deliveries those that say something newer than what is stored. */
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
      for (let after: store.InboxRow | undefined; ; ) {
        const page = await store.listAccepted(db, after, pageSize)
        found.deliveries += page.length
        for (const { customerId, versions } of await newerIn(page.map(read))) {
          found.restored += versions.length
          versions.forEach(tell)
          if (dryRun) continue
          await transact(async (tx) => {
            if (customerId !== null) await lockCustomer(tx, customerId)
            // It may have been emptied or deleted since it was read.
            if (await store.lockAccepted(tx, versions[0]?.deliveryId ?? '')) await write(tx, [{ customerId, versions }])
          })
        }
        if (page.length < pageSize) return
        after = page.at(-1)
      }
    }

    const refreshCustomer = async (db: Db, customerId: string, tx?: Tx) => {
      const customer = await refreshStanding(db, customerId, tx)
      if (customer === undefined) return
      const version = told.get(customerId)
      told.delete(customerId)
      const identity = version === undefined ? { ...customer, id: customerId } : identityOf(version)
      if (tx === undefined) {
        found.links += await linking.countUnsettled(db, [identity])
        return
      }
      found.links += await linking.settle(tx, [identity])
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
    // Customers that a rebuild would store first.
    found.links += await linking.countUnsettled(db, [...told.values()].map(identityOf))
    const { links, ...rest } = found
    return { ...rest, standings: wrong.size, links }
  }
