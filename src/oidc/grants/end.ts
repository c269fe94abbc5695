import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Memberships } from '../../organizations/index.ts'
import { deleteByClientAndAccount, deleteOfOrganization } from '../artifacts/store.ts'
import { oidcEvents } from '../events.ts'
import * as store from '../interactions/store.ts'
import type { Logouts } from '../logout/service.ts'
import { missingScopes, splitScope } from '../rules.ts'

/**
 * Ends the access of an application to a user's account: the consent, codes and tokens. Returns the number of deleted codes and tokens,
 * or undefined if the application had no access. The function locks the row of the user. A code that was issued before is deleted. A code
 * that is being issued at the same time is invalid (`isEnded`).
 */
export type EndAccess = (
  tx: Tx,
  actor: Actor,
  userId: string,
  clientId: string,
  /** The organization for which access ends; if absent, access ends as a whole. */
  organizationId?: string,
) => Promise<number | undefined>

interface Deps extends Pick<Core, 'events' | 'clock' | 'random'> {
  readonly logouts: Pick<Logouts, 'notify'>
  /** Undefined if organizations are disabled. */
  readonly memberships: Pick<Memberships, 'listOf'> | undefined
}

/**
 * Removes one organization from a consent. Codes for it that are being issued become invalid. Returns false if the consent does not cover
 * the organization.
 */
const endForOrganization = async (
  { memberships, clock }: Deps,
  tx: Tx,
  consent: store.ConsentRow | undefined,
  organizationId: string,
): Promise<boolean> => {
  if (consent?.consentGiven !== true) return false
  const before = consent.organizations ?? ((await memberships?.listOf(tx, consent.userId)) ?? []).map(({ id }) => id)
  if (!before.includes(organizationId)) return false
  const organizations = before.filter((id) => id !== organizationId)
  // Codes store the second in which they were issued. Codes of the present second have to end too, so the time is rounded up.
  const notBefore = new Date(Math.floor(clock.now().getTime() / 1000) * 1000 + 1000)
  return store.narrowConsent(tx, consent, { organizations, notBefore })
}

export const createEndAccess =
  (deps: Deps): EndAccess =>
  async (tx, actor, userId, clientId, organizationId) => {
    const { events, clock, random, logouts } = deps
    await store.lockConsent(tx, userId, clientId)
    await lockRow(tx, 'user', userId)
    const consent = await store.findConsent(tx, userId, clientId)
    const isWhole = organizationId === undefined
    const hadConsent = await (isWhole
      ? store.endConsent(tx, userId, clientId, clock.now())
      : endForOrganization(deps, tx, consent, organizationId))
    await logouts.notify(tx, { userId, clientId, organizationId }, oidcEvents['consent.ended'].name)
    const tokens = await (isWhole
      ? deleteByClientAndAccount(tx, clientId, userId)
      : deleteOfOrganization(tx, clientId, userId, organizationId))
    if (!hadConsent && tokens === 0) return undefined
    // An application that got its tokens by exchange has no consent. The time of the end is stored, so that the application cannot
    // exchange tokens of earlier sign-ins again.
    if (!hadConsent && isWhole) await store.noteEnd(tx, { id: random.id(), userId, clientId }, clock.now())
    const data = {
      ...{ clientId, scopes: splitScope(consent?.scopes ?? ''), ended: tokens },
      ...(isWhole ? {} : { organizationId }),
    }
    await events.record(tx, actor, oidcEvents['consent.ended'], { subject: userId, data })
    return tokens
  }

/** The largest number of consents that are read. Nobody has given so many consents. */
const mostConsents = 10_000

/** The scopes that only identify the user. All other scopes allow more, or give access while the user is signed out. */
const modestScopes: readonly string[] = ['openid', 'profile', 'email']

/** Ends the access of every application that has more than `modestScopes`, because another person may have consented in the name of the user. */
export const createEndFurtherAccess =
  (endAccess: EndAccess) =>
  async (tx: Tx, actor: Actor, userId: string): Promise<void> => {
    for (const { clientId, scopes } of await store.listConsents(tx, userId, mostConsents))
      if (missingScopes(splitScope(scopes), modestScopes).length > 0) await endAccess(tx, actor, userId, clientId)
  }
