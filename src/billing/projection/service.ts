import type { SystemCaller } from '../../core/caller.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import type { BillingEvent } from '../events/parse.ts'
import type { Linking } from '../linking/service.ts'
import { type EntityVersion, type Extracted, extract, identityOf } from './entities.ts'
import { saysStanding, standingAfter, standingFrom } from './holdings.ts'
import { createRebuild, type Rebuilt } from './rebuild.ts'
import { keyOf } from './rules.ts'
import type { StoredStanding } from './standing.ts'
import * as store from './store/entities.ts'
import type { DeliveryRef } from './versions.ts'

export type { DeliveryRef }

/** `superseded`: everything in it was older than what is stored. `ignored`: a known event that says nothing we keep. */
export type Effect = 'applied' | 'superseded' | 'ignored'

/** An event and what brought it. */
export interface Happened {
  readonly event: BillingEvent
  readonly delivery: DeliveryRef
}

export interface Projection {
  /**
   * Makes what events say part of the state, as far as nothing newer is known. In any order, any number of times: the same state.
   * The caller has locked the customers. Several at once fail when one of them concerns a customer none of them names.
   */
  apply(tx: Tx, happened: readonly Happened[]): Promise<readonly Effect[]>
  /** Those of the deliveries that the state rests on: they must not be deleted, or a rebuild would lose what they say. */
  restsOn(db: Db, deliveryIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Replays the inbox from zero; `dryRun` only tells what is wrong. */
  rebuild(caller: SystemCaller, options: { readonly dryRun: boolean }): Promise<Rebuilt>
  /** Deletes all that is kept of a customer, whom the caller has locked. */
  forget(tx: Tx, customerId: string): Promise<void>
}

const ownerOf = ({ customerId }: { readonly customerId: string | null }) => customerId ?? ''

const inOrder = (a: EntityVersion, b: EntityVersion) => (a.id < b.id ? -1 : 1)

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly linking: Pick<Linking, 'settle' | 'countUnsettled'>
}

export const createProjection = ({ db, transact, linking }: Deps): Projection => {
  const refreshStanding = async (tx: Tx, customerId: string) => {
    await store.lockCustomer(tx, customerId)
    const standing = standingFrom(customerId, await store.readCustomers(tx, [customerId]), [])
    await store.updateStandings(tx, new Map([[customerId, standing]]))
  }

  /** What these customers hold, by what was and what is newer; all that is stored of them is read only where that is not enough. */
  const standingsAfter = async (
    tx: Tx,
    customerIds: readonly string[],
    rows: readonly store.StoredRow[],
    newest: ReadonlyMap<string, EntityVersion>,
    isWhole: boolean,
  ): Promise<Map<string, StoredStanding>> => {
    const newer = [...newest.values()]
    const losing = new Set(
      rows.flatMap((row) => {
        const version = newest.get(keyOf(row))
        return version === undefined || version.customerId === row.customerId ? [] : (row.customerId ?? [])
      }),
    )
    // Of whom nothing is stored but refunds, which are among the rows.
    const isAnyStored = rows.some(({ id }) => id === '')
    const [before, now] = [Map.groupBy(rows, ownerOf), Map.groupBy(newer, ownerOf)]
    const standings = new Map<string, StoredStanding>()
    const unsure: string[] = []
    for (const id of customerIds) {
      const [own, news] = [before.get(id) ?? [], now.get(id) ?? []]
      const customer = own.find(({ kind }) => kind === 'customer')
      const left = () => own.filter((row) => !newest.has(keyOf(row)))
      const standing =
        isWhole || losing.has(id)
          ? undefined
          : customer === undefined && !isAnyStored
            ? standingFrom(id, left(), news)
            : standingAfter(customer, own, news)
      if (standing === undefined) unsure.push(id)
      else standings.set(id, standing)
    }
    const whole = unsure.length === 0 ? [] : await store.readCustomers(tx, unsure)
    const all = Map.groupBy(
      whole.filter((row) => !newest.has(keyOf(row))),
      ownerOf,
    )
    for (const id of unsure) standings.set(id, standingFrom(id, all.get(id) ?? [], now.get(id) ?? []))
    return standings
  }

  /** Whether anything was newer, of each in turn, as if one had come after the other. */
  const write = async (
    tx: Tx,
    told: readonly Extracted[],
    settle: Linking['settle'],
    isWhole = false,
  ): Promise<readonly boolean[]> => {
    const customerIds = [...new Set(told.flatMap(({ customerId }) => customerId ?? []))]
    const versions = told.flatMap(({ versions }) => versions)
    const rows = versions.length === 0 ? [] : await store.readNamed(tx, customerIds, versions)
    const stored = new Map(rows.map((row) => [keyOf(row), row]))
    const newest = new Map<string, EntityVersion>()
    const areNews = told.map(({ versions }) => {
      const newer = versions.filter((version) => {
        const key = keyOf(version)
        return version.version > ((newest.get(key) ?? stored.get(key))?.version ?? '')
      })
      for (const version of newer) newest.set(keyOf(version), version)
      return newer.length > 0
    })
    if (newest.size === 0) return areNews

    const newer = [...newest.values()].sort(inOrder)
    const identities = newer.flatMap((version) => (version.kind === 'customer' ? [identityOf(version)] : []))
    await settle(
      tx,
      identities.filter(({ id, email, externalId }) => {
        const known = stored.get(keyOf({ kind: 'customer', id }))
        return known?.email !== email || known.externalId !== externalId
      }),
    )

    const saying = newer.filter(saysStanding)
    const owners = new Set([...saying, ...saying.flatMap((version) => stored.get(keyOf(version)) ?? [])].map(ownerOf))
    const before = owners.difference(new Set(customerIds))
    // Their locks would be taken out of order: not while others wait.
    if (before.size > 0 && told.length > 1) throw new Error('an entity of another customer: not together with others')
    const changing = customerIds.filter((id) => owners.has(id))
    const standings = await standingsAfter(tx, changing, rows, newest, isWhole)
    await store.deleteMoved(
      tx,
      saying.flatMap((version) => {
        const row = stored.get(keyOf(version))
        return row === undefined || row.customerId === version.customerId ? [] : row
      }),
    )
    await store.upsertVersions(
      tx,
      newer.map((version) =>
        // The row of a customer carries what they hold.
        version.kind === 'customer'
          ? { ...version, columns: { ...version.columns, ...store.standingColumns(standings.get(version.id)) } }
          : version,
      ),
    )
    for (const { id } of identities) standings.delete(id)
    for (const [id, standing] of standings)
      if (standing.json === stored.get(keyOf({ kind: 'customer', id }))?.data) standings.delete(id)
    await store.updateStandings(tx, standings)
    for (const owner of [...before].sort()) await refreshStanding(tx, owner)
    return areNews
  }

  return {
    apply: async (tx, happened) => {
      const told = happened.map(({ event, delivery }) => extract(event, delivery))
      const areNews = await write(tx, told, linking.settle)
      return told.map(({ versions }, i) => (versions.length === 0 ? 'ignored' : areNews[i] === true ? 'applied' : 'superseded'))
    },
    restsOn: async (db, deliveryIds) => new Set(await store.listRestedOn(db, deliveryIds)),
    // Whose a customer is, is decided once, by what they are at the end. What was held may be wrong: it is derived from all that is stored.
    rebuild: createRebuild({
      ...{ db, transact, linking },
      write: (tx, told) => write(tx, told, async () => 0, true),
    }),
    forget: store.deleteCustomer,
  }
}
