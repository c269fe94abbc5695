import type { Clock } from '../core/clock.ts'
import { sha256 } from '../core/crypto.ts'
import type { Tx } from '../core/database.ts'
import { invalidToken } from './errors.ts'
import * as store from './store.ts'
import { endOfUse } from './upstream/id-token.ts'

/** Notes that an ID token signed somebody in or linked an account. Throws INVALID_TOKEN when it had already; the primary key decides a race. */
export type SpendIdToken = (tx: Tx, idToken: string) => Promise<void>

export const createSpendIdToken =
  (clock: Clock): SpendIdToken =>
  async (tx, idToken) => {
    // What is signed, without the signature: that has more than one spelling.
    const hash = sha256(idToken.split('.').slice(0, 2).join('.'))
    const id = hash.slice(0, 32)
    if (await store.isKept(tx, id)) throw invalidToken()
    const now = clock.now()
    const identifier = `${store.statePrefix}id-token:${hash}`
    await store.insertState(tx, { id, identifier, value: '', expiresAt: endOfUse(idToken, now), createdAt: now, updatedAt: now })
  }
