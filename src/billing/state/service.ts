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

/** An event and its delivery. */
export interface InboundEvent {
  readonly event: BillingEvent
  readonly delivery: DeliveryRef
}

/** The newest version of every entity, and the snapshot of each customer derived from them. */
export interface StateService {
  /**
   * Stores the versions that are newer than the stored state. Neither order nor repetition changes the result. The caller has locked the
   * customers. Throws if one of several events moves an entity from a customer that none of the events names: the caller has to pass that
   * event alone.
   */
  apply(tx: Tx, events: readonly InboundEvent[]): Promise<readonly Outcome[]>
  /** The given deliveries from which stored versions come. Without such a delivery, a rebuild would lose the versions. */
  referencedDeliveries(db: Db, deliveryIds: readonly string[]): Promise<ReadonlySet<string>>
  /** The given customers whose stored snapshot does not follow from the stored versions. */
  listOutdated(db: Db, customerIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Derives everything again from the stored deliveries. With `dryRun` it only reports differences. */
  rebuild(principal: SystemPrincipal, options: { readonly dryRun: boolean }): Promise<Rebuilt>
  /** Deletes all stored data of a customer, which the caller has locked. */
  forget(tx: Tx, customerId: string): Promise<void>
}

const ownerOf = ({ customerId }: { readonly customerId: string | null }) => customerId ?? ''

const byId = (a: EntityVersion, b: EntityVersion) => (a.id < b.id ? -1 : 1)

/**
 * Selects the versions that are newer than the stored rows, and of these the newest for each key. Also returns for each event, in order,
 * whether it had a newer version.
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

  /** Derives the snapshots of these customers from all their stored rows and the newest versions. */
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

  /** Stores newer versions. Returns for each event whether it had any, as if the events had arrived one after the other. */
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
    // The locks of the former owners would be taken out of order, which can deadlock with other batches.
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

  // Owners are decided once, from the final state. The stored snapshot may be wrong, so it is derived from all rows.
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
