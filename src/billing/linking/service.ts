import type { Db } from '../../core/database.ts'
import type { Standing } from '../projection/standing.ts'
import * as store from './store.ts'

/** What one customer who is this user, or the organization they act for, holds. */
export interface HeldStanding {
  readonly holder: 'user' | 'organization'
  readonly customerId: string
  readonly standing: Standing
}

/** Everything that was bought by or for somebody: one query, on the way of every token. */
export const standingsOf = (
  db: Db,
  who: { readonly userId: string | null; readonly organizationId: string | null },
): Promise<readonly HeldStanding[]> => store.listStandings(db, who)
