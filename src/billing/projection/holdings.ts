import type { EntityVersion } from './entities.ts'
import { keyOf } from './rules.ts'
import { type Source, type Sources, standingOf } from './standing.ts'
import type { StoredRow } from './store/entities.ts'

/** Kinds that say what a customer holds. */
const standingKinds: ReadonlySet<string> = new Set(['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'])

export const saysStanding = ({ kind }: Pick<EntityVersion, 'kind'>): boolean => standingKinds.has(kind)

interface Current extends Source<unknown> {
  readonly kind: EntityVersion['kind']
}

/** JSON of what a customer holds, once what is stored has become what the newer versions say. */
export const standingAfter = (customerId: string, stored: readonly StoredRow[], newer: readonly EntityVersion[]): string => {
  const current = new Map<string, Current>()
  for (const row of stored) {
    if (row.customerId === customerId && row.data !== null)
      current.set(keyOf(row), { ...row, data: row.kind === 'customer' ? null : JSON.parse(row.data) })
  }
  for (const version of newer) {
    if (version.customerId === customerId) current.set(keyOf(version), version)
    // It was this customer's before.
    else current.delete(keyOf(version))
  }
  const rows = [...current.values()]
  const of = <D>(kind: EntityVersion['kind']) => rows.filter((row) => row.kind === kind) as unknown as readonly Source<D>[]
  const sources: Sources = {
    isDeleted: rows.some(({ kind, version }) => kind === 'customer' && version.startsWith('1')),
    state: of<NonNullable<Sources['state']>['data']>('customer_state')[0],
    subscriptions: of('subscription'),
    grants: of('grant'),
    orders: of('order'),
    refunds: of('refund'),
  }
  return JSON.stringify(standingOf(customerId, sources))
}
