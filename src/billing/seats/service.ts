import type { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Total } from '../../core/db/count.ts'
import type { Db } from '../../core/db/database.ts'
import { cursorOf, nextAfter, textAfter } from '../../core/page.ts'
import type { Memberships } from '../../organizations/index.ts'
import { listSnapshotsOf } from '../dry-run/store.ts'
import type { EntitlementService } from '../entitlements/service.ts'
import type { OrganizationSeats, seatsContract } from './contract.ts'
import * as store from './store.ts'

type Query = z.output<(typeof seatsContract)['seats']['query']>
type Row = Omit<z.output<typeof OrganizationSeats>, 'customers'>

export interface Seats {
  /** A page of organizations that are linked to customers. */
  list(query: Query): Promise<{ readonly organizations: Row[]; readonly next: string | null; readonly total: Total | null }>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly entitlements: Pick<EntitlementService, 'of'>
  readonly memberships: Pick<Memberships, 'seatsTaken'>
}

/** A page that is filtered by state examines at most this many organizations. The state is computed, so no index can select the rows. */
const lookedAt = 200
/** For each organization, the answer names at most this many customers. */
const namedCustomers = 20

const stateOf = (seats: number | null, taken: number): Row['state'] =>
  seats === null || taken < seats ? 'free' : taken === seats ? 'full' : 'over'

export const createSeats = ({ db, clock, entitlements, memberships }: Deps): Seats => ({
  list: async ({ state, ...query }) => {
    const { order, after } = cursorOf(query)
    const window = state === undefined ? query.limit : Math.max(lookedAt, query.limit)
    const ids = await store.listLinkedOrganizations(db, { order, limit: window + 1, after: textAfter(after)?.[0] })
    const looked = ids.slice(0, window)
    const [snapshots, taken] = await Promise.all([
      looked.length === 0 ? undefined : listSnapshotsOf(db, 'organization', looked),
      memberships.seatsTaken(db, looked, clock.now()),
    ])
    const byId = new Map(taken.map((one) => [one.organizationId, one]))
    const rows = looked.flatMap((id): readonly Row[] => {
      const one = byId.get(id)
      if (one === undefined) return []
      const own = snapshots?.get(id) ?? []
      const { seats } = entitlements.of(own)
      const customerIds = own.slice(0, namedCustomers).map(({ customerId }) => customerId)
      return [{ ...one, seats, state: stateOf(seats, one.members + one.invitations), customerIds }]
    })
    const found = rows.filter((row) => state === undefined || row.state === state)
    const shown = found.slice(0, query.limit)
    const last = found.length > query.limit ? shown.at(-1)?.organizationId : ids.length > window ? looked.at(-1) : undefined
    const total = query.total === true && state === undefined ? await store.totalOfLinkedOrganizations(db) : null
    return { organizations: shown, next: last === undefined ? null : nextAfter(query, { value: last, id: last }), total }
  },
})
