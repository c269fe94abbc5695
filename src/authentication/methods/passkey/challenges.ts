import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { type Retention, retentionOfRows } from '../../../core/retention.ts'
import * as store from './store.ts'

/** The purpose of a challenge. */
export interface Challenge {
  readonly kind: 'registration' | 'authentication'
  /** The user whose passkey is requested; null: anybody's. */
  readonly userId: string | null
  /** True if the browser makes the passkey without asking the person. */
  readonly isConditional: boolean
}

/** A challenge for the browser whose cookie holds `binding`. */
export interface IssuedChallenge {
  /** Base64url of 32 random bytes. Only its hash is stored. */
  readonly challenge: string
  readonly binding: string
}

/** Challenges of ceremonies: each for one use, a limited time, and one browser. */
export interface Challenges {
  /** `binding` is the present value of the browser's cookie, so that two tabs do not disturb each other. */
  issue(purpose: Challenge, binding: string | undefined): Promise<IssuedChallenge>
  /**
   * Consumes a challenge, whatever the result of the ceremony; undefined for a challenge that is unknown, used, expired or of another
   * browser.
   */
  take(kind: Challenge['kind'], challenge: string, binding: string | undefined): Promise<Challenge | undefined>
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random'> {
  readonly seconds: number
}

export const createChallenges = ({ db, transact, clock, random, seconds }: Deps): Challenges => ({
  issue: async (purpose, binding = random.token(32)) => {
    const challenge = random.bytes(32).toString('base64url')
    const row = {
      ...purpose,
      ...{ challengeHash: sha256(challenge), browserHash: sha256(binding), expiresAt: clock.after(seconds) },
    }
    await transact((tx) => store.insertChallenge(tx, row))
    return { challenge, binding }
  },
  take: async (kind, challenge, binding) => {
    if (binding === undefined) return undefined
    const where = { challengeHash: sha256(challenge), browserHash: sha256(binding), kind }
    return transact((tx) => store.takeChallenge(tx, where, clock.now()))
  },
  retention: retentionOfRows({ db, transact }, 'challenges of passkeys', 'that have expired', () =>
    store.expiredChallenges(clock.now()),
  ),
})
