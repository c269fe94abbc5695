import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { dayMs } from '../../core/time.ts'
import { oidcEvents } from '../events.ts'
import { unqualified } from '../resource-servers/rules.ts'
import { missingScopes, splitScope } from '../rules.ts'
import * as store from './store.ts'

/** The setting for the lifetime of a consent. */
export interface ConsentConfig {
  /** The number of days after which a consent expires. With 0 it never expires. */
  readonly consentTtlDays: number
}

type Dated = Pick<store.ConsentRow, 'updatedAt'>

/** The time at which a consent expires; null if it never expires. */
export const expiryOf = ({ updatedAt }: Dated, { consentTtlDays }: ConsentConfig): Date | null =>
  consentTtlDays === 0 ? null : new Date(updatedAt.getTime() + consentTtlDays * dayMs)

/** True if a consent has expired. */
export const isExpired = (consent: Dated, config: ConsentConfig, now: Date): boolean => {
  const at = expiryOf(consent, config)
  return at !== null && at <= now
}

/** The scopes and the organization to which a person has just agreed. */
interface Given {
  readonly scopes: readonly string[]
  /** The scopes in `scopes` that give claims about an organization, or that allow actions in it. */
  readonly ofOrganization: readonly string[]
  /** The organization of the sign-in; null for none. */
  readonly organizationId: string | null
}

type Reach = Pick<store.ConsentRow, 'scopes' | 'organizations'>

/**
 * Adds what the person has agreed to now to the stored consent. Scopes that concern organizations count for all organizations of the
 * consent. A new scope of that kind therefore removes all other organizations. A new organization removes all scopes of that kind to
 * which the person has not agreed for it. The person is asked again for whatever was removed.
 */
const extended = (
  before: Reach,
  { scopes, ofOrganization, organizationId }: Given,
  isOwnReaching: (scope: string) => boolean,
) => {
  const agreed = splitScope(before.scopes)
  const isReaching = (scope: string) => isOwnReaching(scope) || unqualified(scope) !== undefined
  const named = ofOrganization.length === 0 ? null : organizationId
  const isCovered = named === null || before.organizations === null || before.organizations.includes(named)
  const kept = isCovered ? agreed : agreed.filter((scope) => !isReaching(scope) || ofOrganization.includes(scope))
  const isWider = missingScopes(ofOrganization, kept).length > 0
  const organizations = isWider ? [] : before.organizations
  return {
    scopes: [...new Set([...kept, ...scopes])],
    organizations: organizations === null || named === null ? organizations : [...new Set([...organizations, named])],
  }
}

/** Changes the consents of users to clients. Each change locks the consent, so that two simultaneous changes do not overwrite each other. */
export interface Consents {
  /** Adds scopes to a consent. Scopes that concern organizations are added for the organization of `given`. Returns the scopes that are new. */
  agree(tx: Tx, principal: UserPrincipal, clientId: string, given: Given): Promise<readonly string[]>
  /** Withdraws scopes from a consent. A consent that has no scopes left counts as not given. */
  withdraw(tx: Tx, principal: UserPrincipal, clientId: string, scopes: readonly string[]): Promise<void>
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly config: ConsentConfig
  /** The scopes of this server that give claims about an organization. */
  readonly sourceScopes: readonly string[]
}

export const createConsents = ({ clock, random, events, config, sourceScopes }: Deps): Consents => {
  const change = async (
    tx: Tx,
    userId: string,
    clientId: string,
    changed: (before: Reach) => { readonly scopes: readonly string[]; readonly organizations: readonly string[] | null },
  ): Promise<readonly string[]> => {
    await store.lockConsent(tx, userId, clientId)
    const before = await store.findConsent(tx, userId, clientId)
    const now = clock.now()
    const isValid = before?.consentGiven === true && !isExpired(before, config, now)
    const reach: Reach = isValid ? before : { scopes: '', organizations: [] }
    const { scopes, organizations } = changed(reach)
    await store.saveConsent(tx, {
      id: before?.id ?? random.id(),
      clientId,
      userId,
      scopes: scopes.join(' '),
      consentGiven: scopes.length > 0,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
      lastUsedAt: before?.lastUsedAt ?? null,
      organizations,
      // Codes from before the end of an earlier consent stay invalid, even after the person has consented again.
      notBefore: before?.consentGiven === false && before.notBefore !== null ? now : (before?.notBefore ?? null),
    })
    return splitScope(reach.scopes)
  }

  const record = (
    tx: Tx,
    principal: UserPrincipal,
    type: 'consent.given' | 'consent.withdrawn',
    clientId: string,
    scopes: readonly string[],
  ) => events.record(tx, principal, oidcEvents[type], { subject: principal.user.id, data: { clientId, scopes: [...scopes] } })

  return {
    agree: async (tx, principal, clientId, given) => {
      const isReaching = (scope: string) => sourceScopes.includes(scope)
      const before = await change(tx, principal.user.id, clientId, (reach) => extended(reach, given, isReaching))
      const added = missingScopes(given.scopes, before)
      if (added.length > 0) await record(tx, principal, 'consent.given', clientId, added)
      return added
    },
    withdraw: async (tx, principal, clientId, scopes) => {
      await change(tx, principal.user.id, clientId, (before) => ({
        scopes: missingScopes(splitScope(before.scopes), scopes),
        organizations: before.organizations,
      }))
      await record(tx, principal, 'consent.withdrawn', clientId, scopes)
    },
  }
}
