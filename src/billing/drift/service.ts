import type { z } from 'zod'
import type { Db } from '../../core/db/database.ts'
import type { Links } from '../links/service.ts'
import type { StateService } from '../state/service.ts'
import type { driftContract } from './contract.ts'
import * as store from './store.ts'

type Calls = typeof driftContract
type Answer = z.output<Calls['drift']['response']>
type Page = Omit<Answer, 'customers'> & { readonly customers: Omit<Answer['customers'][number], 'customer' | 'owners'>[] }

/** Finds customers whose stored state differs from the state that the received events give. */
export interface Drift {
  /** Checks one page of customers. Changes nothing. */
  check(query: z.output<Calls['drift']['query']>): Promise<Page>
}

interface Deps {
  readonly db: Db
  readonly links: Pick<Links, 'listOutdated'>
  readonly state: Pick<StateService, 'listOutdated'>
}

export const createDrift = ({ db, links, state }: Deps): Drift => ({
  check: async ({ after = '', limit }) => {
    const found = await store.listIdentities(db, after, limit + 1)
    const looked = found.slice(0, limit)
    const ids = looked.map(({ id }) => id)
    const [outdated, owners] = await Promise.all([state.listOutdated(db, ids), links.listOutdated(db, looked)])
    const byId = new Map(owners.map(({ customerId, ...link }) => [customerId, link]))
    return {
      customers: ids.flatMap((customerId) => {
        const [snapshot, link] = [outdated.has(customerId), byId.get(customerId) ?? null]
        return snapshot || link !== null ? [{ customerId, snapshot, link }] : []
      }),
      checked: looked.length,
      next: found.length > limit ? (ids.at(-1) ?? null) : null,
    }
  },
})
