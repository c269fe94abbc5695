import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { deleteByClientAndAccount } from '../artifacts/store.ts'
import { oidcEvents } from '../events.ts'
import * as store from '../interactions/store.ts'
import type { Logouts } from '../logout/service.ts'
import { missingScopes, splitScope } from '../rules.ts'

/**
 * Ends the access of an application to a user: what they agreed to, and its codes and tokens. How many there were; undefined when there was
 * nothing to end. With the user's row locked a code is issued before, and is deleted, or after, and does not count (`isEnded`).
 */
export type EndAccess = (tx: Tx, actor: Actor, userId: string, clientId: string) => Promise<number | undefined>

export const createEndAccess =
  ({
    events,
    clock,
    random,
    logouts,
  }: Pick<Core, 'events' | 'clock' | 'random'> & { readonly logouts: Pick<Logouts, 'notify'> }): EndAccess =>
  async (tx, actor, userId, clientId) => {
    await store.lockConsent(tx, userId, clientId)
    await lockRow(tx, 'user', userId)
    const consent = await store.findConsent(tx, userId, clientId)
    const hadConsent = await store.endConsent(tx, userId, clientId, clock.now())
    await logouts.notify(tx, { userId, clientId }, oidcEvents['consent.ended'].name)
    const tokens = await deleteByClientAndAccount(tx, clientId, userId)
    if (!hadConsent && tokens === 0) return undefined
    // An application that got its tokens by exchange, without a consent, gets none more of sign-ins from before.
    if (!hadConsent) await store.noteEnd(tx, { id: random.id(), userId, clientId }, clock.now())
    const data = { clientId, scopes: splitScope(consent?.scopes ?? ''), ended: tokens }
    await events.record(tx, actor, oidcEvents['consent.ended'], { subject: userId, data })
    return tokens
  }

/** More applications than anybody has agreed to. */
const mostConsents = 10_000

/** The scopes that only identify the user. All other scopes reach further, or last while the user is signed out. */
const modestScopes: readonly string[] = ['openid', 'profile', 'email']

/** Ends the access of every application with more scopes: another person may have consented in the name of the user. */
export const createEndFurtherAccess =
  (endAccess: EndAccess) =>
  async (tx: Tx, actor: Actor, userId: string): Promise<void> => {
    for (const { clientId, scopes } of await store.listConsents(tx, userId, mostConsents))
      if (missingScopes(splitScope(scopes), modestScopes).length > 0) await endAccess(tx, actor, userId, clientId)
  }
