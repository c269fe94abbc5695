import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { type Retention, retentionOfRows } from '../../../core/retention.ts'
import * as store from './store.ts'

/** The purpose of a challenge. */
export interface Challenge {
  readonly kind: 'registration' | 'authentication'
  /** Whose passkey is wanted; null: anybody's. */
  readonly userId: string | null
  /** The browser makes the passkey by itself, without asking the person. */
  readonly isConditional: boolean
}

/** A challenge for the browser whose cookie holds `binding`. */
export interface IssuedChallenge {
  /** Base64url of 32 random bytes. Only its hash is stored. */
  readonly challenge: string
  readonly binding: string
}

/** Challenges of ceremonies: for one use, for a while, in one browser. */
export interface Challenges {
  /** `binding` is what the cookie of the browser holds already, so that two of its tabs do not disturb each other. */
  issue(purpose: Challenge, binding: string | undefined): Promise<IssuedChallenge>
  /** Consumes a challenge, whatever the outcome of the ceremony; undefined for a challenge that is unknown, used, expired or of another browser. */
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
