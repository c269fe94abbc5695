import type { SystemCaller } from '../../core/caller.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import type { BillingEvent } from '../events/parse.ts'
import type { Linking } from '../linking/service.ts'
import { type EntityVersion, extract } from './entities.ts'
import { saysStanding, standingAfter } from './holdings.ts'
import { createRebuild, type Rebuilt } from './rebuild.ts'
import { keyOf } from './rules.ts'
import * as store from './store/entities.ts'
import type { DeliveryRef } from './versions.ts'

export type { DeliveryRef }

/** `superseded`: everything in it was older than what is stored. `ignored`: a known event that says nothing we keep. */
export type Effect = 'applied' | 'superseded' | 'ignored'

export interface Projection {
  /**
   * Makes what an event says part of the state, as far as nothing newer is known. In any order, any number of times: the same state.
   * The caller has locked the customer.
   */
  apply(
    tx: Tx,
    event: BillingEvent,
    delivery: DeliveryRef,
  ): Promise<{ readonly effect: Effect; readonly customerId: string | null }>
  /** Those of the deliveries that the state rests on: they must not be deleted, or a rebuild would lose what they say. */
  restsOn(db: Db, deliveryIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Replays the inbox from zero; `dryRun` only tells what is wrong. */
  rebuild(caller: SystemCaller, options: { readonly dryRun: boolean }): Promise<Rebuilt>
  /** Deletes all that is kept of a customer, whom the caller has locked, and the checkouts that rest on these deliveries. */
  forget(tx: Tx, customerId: string, deliveryIds: readonly string[]): Promise<void>
}

/** What can be stored of a customer and says who it is. */
const identityOf = ({ id, columns }: EntityVersion) => ({
  id,
  email: columns['email'] as string | null,
  externalId: columns['external_id'] as string | null,
})

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly linking: Pick<Linking, 'settle'>
}

export const createProjection = ({ db, transact, linking }: Deps): Projection => {
  /** The row of a customer carries what they hold. */
  const withStanding = (version: EntityVersion, standing: string): EntityVersion => ({
    ...version,
    columns: { ...version.columns, standing },
  })

  const refreshStanding = async (tx: Tx, customerId: string) => {
    await store.lockCustomer(tx, customerId)
    const rows = await store.readCustomer(tx, customerId)
    await store.updateStanding(tx, customerId, standingAfter(customerId, rows, []))
  }

  /** True when anything was newer. */
  const write = async (
    tx: Tx,
    customerId: string | null,
    versions: readonly EntityVersion[],
    settle: Linking['settle'],
  ): Promise<boolean> => {
    const rows = await store.readCustomer(tx, customerId, versions)
    const stored = new Map(rows.map((row) => [keyOf(row), row]))
    const newer = versions.filter((version) => version.version > (stored.get(keyOf(version))?.version ?? ''))
    if (newer.length === 0) return false

    const known = rows.find(({ kind }) => kind === 'customer')
    const customer = newer.find(({ kind }) => kind === 'customer')
    if (customer !== undefined) {
      const identity = identityOf(customer)
      if (known?.email !== identity.email || known.externalId !== identity.externalId) await settle(tx, identity)
    }
    const standing = customerId !== null && newer.some(saysStanding) ? standingAfter(customerId, rows, newer) : undefined
    await store.upsertVersions(
      tx,
      newer.map((version) => (version === customer ? withStanding(version, standing ?? '') : version)),
    )
    if (customerId !== null && customer === undefined && standing !== undefined && standing !== known?.data)
      await store.updateStanding(tx, customerId, standing)
    const owners = new Set(newer.map((version) => stored.get(keyOf(version))?.customerId ?? customerId))
    for (const owner of [...owners].sort()) if (owner !== null && owner !== customerId) await refreshStanding(tx, owner)
    return true
  }

  return {
    apply: async (tx, event, delivery) => {
      const { customerId, versions } = extract(event, delivery)
      if (versions.length === 0) return { effect: 'ignored', customerId }
      return { effect: (await write(tx, customerId, versions, linking.settle)) ? 'applied' : 'superseded', customerId }
    },
    restsOn: async (db, deliveryIds) => new Set(await store.listRestedOn(db, deliveryIds)),
    // Whose a customer is, is decided once, by what they are at the end.
    rebuild: createRebuild({
      ...{ db, transact, settle: linking.settle },
      write: (tx, customerId, versions) => write(tx, customerId, versions, async () => undefined),
    }),
    forget: store.deleteCustomer,
  }
}
