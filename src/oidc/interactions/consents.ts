import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { oidcEvents } from '../events.ts'
import { missingScopes, splitScope } from '../rules.ts'
import * as store from './store.ts'

/** What users have agreed to, by client. Both changes lock it, so that none is lost when two happen at once. */
export interface Consents {
  /** Adds scopes; returns those that are new. */
  agree(tx: Tx, principal: UserPrincipal, clientId: string, scopes: readonly string[]): Promise<readonly string[]>
  /** Withdraws scopes; without any left, the consent counts as not given. */
  withdraw(tx: Tx, principal: UserPrincipal, clientId: string, scopes: readonly string[]): Promise<void>
}

type Deps = Pick<Core, 'clock' | 'random' | 'events'>

export const createConsents = ({ clock, random, events }: Deps): Consents => {
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
      id: before?.id ?? random.id(),
      clientId,
      userId,
      scopes: scopes.join(' '),
      consentGiven: scopes.length > 0,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
      lastUsedAt: before?.lastUsedAt ?? null,
      // Of a code from before the end nobody can say whether it was meant.
      notBefore: before?.consentGiven === false && before.notBefore !== null ? now : (before?.notBefore ?? null),
    })
    return agreed
  }

  const record = (
    tx: Tx,
    principal: UserPrincipal,
    type: 'consent.given' | 'consent.withdrawn',
    clientId: string,
    scopes: readonly string[],
  ) => events.record(tx, principal, oidcEvents[type], { subject: principal.user.id, data: { clientId, scopes: [...scopes] } })

  return {
    agree: async (tx, principal, clientId, scopes) => {
      const before = await change(tx, principal.user.id, clientId, (agreed) => [...new Set([...agreed, ...scopes])])
      const added = missingScopes(scopes, before)
      if (added.length > 0) await record(tx, principal, 'consent.given', clientId, added)
      return added
    },
    withdraw: async (tx, principal, clientId, scopes) => {
      await change(tx, principal.user.id, clientId, (agreed) => missingScopes(agreed, scopes))
      await record(tx, principal, 'consent.withdrawn', clientId, scopes)
    },
  }
}
