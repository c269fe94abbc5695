import type { SystemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { BillingEvent } from '../events/parse.ts'
import type { Links } from '../links/service.ts'
import { stateEvents } from './events.ts'
import { createRebuild, type Rebuilt } from './rebuild.ts'
import { keyOf, type Outcome } from './rules.ts'
import type { StoredSnapshot } from './snapshot.ts'
import * as store from './store/entities.ts'
import { affectsSnapshot, snapshotFrom, updateSnapshots } from './update.ts'
import { type DeliveryRef, type EntityVersion, type Extracted, extract, identityOf } from './versions.ts'

/** An event, and the delivery that contained it. */
export interface InboundEvent {
  readonly event: BillingEvent
  readonly delivery: DeliveryRef
}

/** Keeps the newest version of every entity, and derives a snapshot for each customer. */
export interface StateService {
  /**
   * Stores those versions in the events that are newer than the stored versions, and returns the effect of each event. The stored result
   * does not depend on the order of the events, or on how often each is applied. The caller has locked the customers that the events
   * name. If several events are passed, and one of them moves an entity away from a customer that none of them names, the call throws.
   * The caller then has to pass that event alone.
   */
  apply(tx: Tx, events: readonly InboundEvent[]): Promise<readonly Outcome[]>
  /** Returns those of the given deliveries that a stored version came from. If such a delivery were deleted, a rebuild would lose the version. */
  referencedDeliveries(db: Db, deliveryIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns those of the given customers whose stored snapshot differs from the snapshot that the stored versions give. */
  listOutdated(db: Db, customerIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Derives everything again from the stored deliveries, and corrects what differs. With `dryRun` it only reports the differences. */
  rebuild(principal: SystemPrincipal, options: { readonly dryRun: boolean }): Promise<Rebuilt>
  /** Deletes all stored data of a customer, which the caller has locked. */
  forget(tx: Tx, customerId: string): Promise<void>
}

const ownerOf = ({ customerId }: { readonly customerId: string | null }) => customerId ?? ''

const byId = (a: EntityVersion, b: EntityVersion) => (a.id < b.id ? -1 : 1)

/**
 * Selects the versions that are newer than the stored ones. If several versions of an entity are, only the newest is selected. Also
 * returns, for each event in order, whether it contained a version that was newer.
 */
const selectNewest = (extracted: readonly Extracted[], stored: ReadonlyMap<string, store.StoredRow>) => {
  const newest = new Map<string, EntityVersion>()
  const hasNewer = extracted.map(({ versions }) => {
    const newer = versions.filter((version) => {
      const key = keyOf(version)
      return version.version > ((newest.get(key) ?? stored.get(key))?.version ?? '')
    })
    for (const version of newer) newest.set(keyOf(version), version)
    return newer.length > 0
  })
  return { newest, hasNewer }
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'events'> {
  readonly links: Pick<Links, 'relink' | 'countOutdated'>
}

export const createStateService = ({ db, transact, events, links }: Deps): StateService => {
  const refreshSnapshot = async (tx: Tx, customerId: string) => {
    await store.lockCustomer(tx, customerId)
    const snapshot = snapshotFrom(customerId, await store.readCustomers(tx, [customerId]), [])
    await store.writeSnapshots(tx, new Map([[customerId, snapshot]]))
  }

  /**
   * Derives the snapshots of these customers from all their stored rows. For an entity in `newest`, that version is used instead of the
   * stored row.
   */
  const wholeSnapshots = async (tx: Tx, customerIds: readonly string[], newest: ReadonlyMap<string, EntityVersion>) => {
    if (customerIds.length === 0) return []
    const rows = await store.readCustomers(tx, customerIds)
    const unchanged = Map.groupBy(
      rows.filter((row) => !newest.has(keyOf(row))),
      ownerOf,
    )
    const newer = Map.groupBy(newest.values(), ownerOf)
    return customerIds.map((id) => [id, snapshotFrom(id, unchanged.get(id) ?? [], newer.get(id) ?? [])] as const)
  }

  /**
   * Stores the versions that are newer than the stored ones. Returns for each event whether it contained a newer version, as if the
   * events had arrived one after the other.
   */
  const write = async (
    tx: Tx,
    extracted: readonly Extracted[],
    relink: Links['relink'],
    isRebuild = false,
  ): Promise<readonly boolean[]> => {
    const customerIds = [...new Set(extracted.flatMap(({ customerId }) => customerId ?? []))]
    const versions = extracted.flatMap(({ versions }) => versions)
    const rows = versions.length === 0 ? [] : await store.readNamed(tx, customerIds, versions)
    const stored = new Map(rows.map((row) => [keyOf(row), row]))
    const { newest, hasNewer } = selectNewest(extracted, stored)
    if (newest.size === 0) return hasNewer

    const newer = [...newest.values()].sort(byId)
    const identities = newer.flatMap((version) => (version.kind === 'customer' ? [identityOf(version)] : []))
    await relink(
      tx,
      identities.filter(({ id, email, externalId }) => {
        const known = stored.get(keyOf({ kind: 'customer', id }))
        return known?.email !== email || known.externalId !== externalId
      }),
    )

    const relevant = newer.filter(affectsSnapshot)
    const owners = new Set([...relevant, ...relevant.flatMap((version) => stored.get(keyOf(version)) ?? [])].map(ownerOf))
    const formerOwners = owners.difference(new Set(customerIds))
    // An entity moves here from customers that this batch has not locked. Locking them now would break the sorted order of locks and
    // could deadlock with another batch. So the event has to be passed alone.
    if (formerOwners.size > 0 && extracted.length > 1) throw new Error('an entity of another customer: not together with others')
    const changing = customerIds.filter((id) => owners.has(id))
    const { snapshots: updated, incomplete } = isRebuild
      ? { snapshots: [], incomplete: changing }
      : updateSnapshots(changing, rows, newest)
    const snapshots = new Map<string, StoredSnapshot>([...updated, ...(await wholeSnapshots(tx, incomplete, newest))])
    await store.deleteMoved(
      tx,
      relevant.flatMap((version) => {
        const row = stored.get(keyOf(version))
        return row === undefined || row.customerId === version.customerId ? [] : row
      }),
    )
    await store.upsertVersions(
      tx,
      newer.map((version) =>
        version.kind === 'customer'
          ? { ...version, columns: { ...version.columns, ...store.snapshotColumns(snapshots.get(version.id)) } }
          : version,
      ),
    )
    for (const { id } of identities) snapshots.delete(id)
    for (const [id, snapshot] of snapshots)
      if (snapshot.json === stored.get(keyOf({ kind: 'customer', id }))?.data) snapshots.delete(id)
    await store.writeSnapshots(tx, snapshots)
    for (const owner of [...formerOwners].sort()) await refreshSnapshot(tx, owner)
    return hasNewer
  }

  // A rebuild decides once, at the end, which owner each customer has. It derives each snapshot from all rows, because the stored
  // snapshot may be wrong.
  const rebuild = createRebuild({
    ...{ db, transact, links },
    write: (tx, extracted) => write(tx, extracted, async () => 0, true),
  })

  return {
    apply: async (tx, events) => {
      const extracted = events.map(({ event, delivery }) => extract(event, delivery))
      const hasNewer = await write(tx, extracted, links.relink)
      return extracted.map(({ versions }, i) =>
        versions.length === 0 ? 'ignored' : hasNewer[i] === true ? 'applied' : 'superseded',
      )
    },
    referencedDeliveries: async (db, deliveryIds) => new Set(await store.listReferenced(db, deliveryIds)),
    listOutdated: async (db, customerIds) => {
      if (customerIds.length === 0) return new Set()
      const rows = Map.groupBy(await store.readCustomers(db, customerIds), ownerOf)
      const isOutdated = (id: string) => {
        const own = rows.get(id) ?? []
        const customer = own.find(({ kind }) => kind === 'customer')
        return customer !== undefined && snapshotFrom(id, own, []).json !== customer.data
      }
      return new Set(customerIds.filter(isOutdated))
    },
    rebuild: async (principal, options) => {
      const rebuilt = await rebuild(principal, options)
      if (!options.dryRun)
        await transact((tx) =>
          events.record(tx, principal, stateEvents['billing.rebuilt'], { subject: 'instance', data: rebuilt }),
        )
      return rebuilt
    },
    forget: store.deleteCustomer,
  }
}
