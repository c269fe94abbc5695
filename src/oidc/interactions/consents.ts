import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { dayMs } from '../../core/time.ts'
import { oidcEvents } from '../events.ts'
import { missingScopes, splitScope } from '../rules.ts'
import * as store from './store.ts'

/** How long a consent counts. */
export interface ConsentConfig {
  /** 0: until it is ended. */
  readonly consentTtlDays: number
}

type Given = Pick<store.ConsentRow, 'updatedAt'>

/** When a consent stops counting; null: not by itself. */
export const expiryOf = ({ updatedAt }: Given, { consentTtlDays }: ConsentConfig): Date | null =>
  consentTtlDays === 0 ? null : new Date(updatedAt.getTime() + consentTtlDays * dayMs)

/** True for a consent that the person has to give again. */
export const isExpired = (consent: Given, config: ConsentConfig, now: Date): boolean => {
  const at = expiryOf(consent, config)
  return at !== null && at <= now
}

/** What users have agreed to, by client. Both changes lock it, so that none is lost when two happen at once. */
export interface Consents {
  /** Adds scopes and, unless it is null, the organization that the application acts for; returns the scopes that are new. */
  agree(
    tx: Tx,
    principal: UserPrincipal,
    clientId: string,
    scopes: readonly string[],
    organizationId: string | null,
  ): Promise<readonly string[]>
  /** Withdraws scopes; without any left, the consent counts as not given. */
  withdraw(tx: Tx, principal: UserPrincipal, clientId: string, scopes: readonly string[]): Promise<void>
}

type Deps = Pick<Core, 'clock' | 'random' | 'events'> & { readonly config: ConsentConfig }

export const createConsents = ({ clock, random, events, config }: Deps): Consents => {
  const change = async (
    tx: Tx,
    userId: string,
    clientId: string,
    changed: (agreed: readonly string[]) => readonly string[],
    organizationId: string | null = null,
  ): Promise<readonly string[]> => {
    await store.lockConsent(tx, userId, clientId)
    const before = await store.findConsent(tx, userId, clientId)
    const now = clock.now()
    const isValid = before?.consentGiven === true && !isExpired(before, config, now)
    const agreed = isValid ? splitScope(before.scopes) : []
    const scopes = changed(agreed)
    const organizations = isValid ? before.organizations : []
    await store.saveConsent(tx, {
      id: before?.id ?? random.id(),
      clientId,
      userId,
      scopes: scopes.join(' '),
      consentGiven: scopes.length > 0,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
      lastUsedAt: before?.lastUsedAt ?? null,
      organizations:
        organizations === null || organizationId === null ? organizations : [...new Set([...organizations, organizationId])],
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
    agree: async (tx, principal, clientId, scopes, organizationId) => {
      const all = (agreed: readonly string[]) => [...new Set([...agreed, ...scopes])]
      const before = await change(tx, principal.user.id, clientId, all, organizationId)
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
