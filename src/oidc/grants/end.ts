import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { deleteByClientAndAccount } from '../artifacts/store.ts'
import { oidcEvents } from '../events.ts'
import * as store from '../interactions/store.ts'
import { splitScope } from '../rules.ts'

/**
 * Ends the access of an application to a user: what they agreed to, and its codes and tokens. How many there were; undefined when there was
 * nothing to end.
 */
export type EndAccess = (tx: Tx, principal: Principal, userId: string, clientId: string) => Promise<number | undefined>

export const createEndAccess =
  ({ events }: Pick<Core, 'events'>): EndAccess =>
  async (tx, principal, userId, clientId) => {
    await store.lockConsent(tx, userId, clientId)
    const consent = await store.findConsent(tx, userId, clientId)
    const hadConsent = await store.deleteConsent(tx, userId, clientId)
    const tokens = await deleteByClientAndAccount(tx, clientId, userId)
    if (!hadConsent && tokens === 0) return undefined
    const data = { clientId, scopes: splitScope(consent?.scopes ?? ''), ended: tokens }
    await events.record(tx, principal, oidcEvents['consent.ended'], { subject: userId, data })
    return tokens
  }
