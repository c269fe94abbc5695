import type { Clock } from '../../core/clock.ts'
import type { Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { missingScopes, splitScope } from '../rules.ts'
import * as store from './store.ts'

/** What users have agreed to, by client. Both changes lock it, so that none is lost when two happen at once. */
export interface Consents {
  /** Adds scopes; returns those that are new. */
  agree(tx: Tx, userId: string, clientId: string, scopes: readonly string[]): Promise<readonly string[]>
  /** Takes scopes back; with the last one nothing is left. */
  withdraw(tx: Tx, userId: string, clientId: string, scopes: readonly string[]): Promise<void>
}

interface Deps {
  readonly clock: Clock
  readonly entropy: Entropy
}

export const createConsents = ({ clock, entropy }: Deps): Consents => {
  const change = async (
    tx: Tx,
    userId: string,
    clientId: string,
    changed: (agreed: readonly string[]) => readonly string[],
  ): Promise<readonly string[]> => {
    await store.lockConsent(tx, userId, clientId)
    const before = await store.findConsent(tx, userId, clientId)
    const agreed = before?.consentGiven === true ? splitScope(before.scopes) : []
    const scopes = changed(agreed)
    const now = clock.now()
    await store.saveConsent(tx, {
      id: before?.id ?? entropy.id(),
      clientId,
      userId,
      scopes: scopes.join(' '),
      consentGiven: scopes.length > 0,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    })
    return agreed
  }

  return {
    agree: async (tx, userId, clientId, scopes) => {
      const before = await change(tx, userId, clientId, (agreed) => [...new Set([...agreed, ...scopes])])
      return missingScopes(scopes, before)
    },
    withdraw: async (tx, userId, clientId, scopes) => {
      await change(tx, userId, clientId, (agreed) => missingScopes(agreed, scopes))
    },
  }
}
