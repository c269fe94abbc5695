import { renewalDueAt, standingOf } from './deriving.ts'
import type { EntityVersion } from './entities.ts'
import type { Source, Sources, StoredStanding } from './standing.ts'
import type { StoredRow } from './store/entities.ts'

/** Kinds that say what a customer holds. */
const standingKinds: ReadonlySet<string> = new Set(['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'])

export const saysStanding = ({ kind }: Pick<EntityVersion, 'kind'>): boolean => standingKinds.has(kind)

interface Current extends Source<unknown> {
  readonly kind: EntityVersion['kind']
}

const standingAfter = (customerId: string, stored: readonly StoredRow[], newer: readonly EntityVersion[]): StoredStanding => {
  const known = stored.flatMap((row): Current[] =>
    row.data === null ? [] : [{ ...row, data: row.kind === 'customer' ? null : JSON.parse(row.data) }],
  )
  const rows: readonly Current[] = [...known, ...newer]
  const of = <D>(kind: EntityVersion['kind']) => rows.filter((row) => row.kind === kind) as unknown as readonly Source<D>[]
  const sources: Sources = {
    isDeleted: rows.some(({ kind, version }) => kind === 'customer' && version.startsWith('1')),
    state: of<NonNullable<Sources['state']>['data']>('customer_state')[0],
    subscriptions: of('subscription'),
    grants: of('grant'),
    orders: of('order'),
    refunds: of('refund'),
  }
  const standing = standingOf(customerId, sources)
  const [due = null] = standing.subscriptions.flatMap((one) => renewalDueAt(one) ?? []).sort()
  return { json: JSON.stringify(standing), renewalDueAt: due }
}

/** What each customer holds, by what is stored of them and nothing replaces, and by what is newer. */
export const standingsAfter = (
  customerIds: readonly string[],
  stored: readonly StoredRow[],
  newer: readonly EntityVersion[],
): Map<string, StoredStanding> => {
  const ownerOf = ({ customerId }: { readonly customerId: string | null }) => customerId
  const [before, now] = [Map.groupBy(stored, ownerOf), Map.groupBy(newer, ownerOf)]
  return new Map(customerIds.map((id) => [id, standingAfter(id, before.get(id) ?? [], now.get(id) ?? [])]))
}
