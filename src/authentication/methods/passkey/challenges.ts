import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { type Retention, retentionOfRows } from '../../../core/retention.ts'
import * as store from './store.ts'

/** What a challenge was issued for. */
export interface Challenge {
  readonly kind: 'registration' | 'authentication'
  /** The user whose passkey has to sign the challenge; null if every passkey may. */
  readonly userId: string | null
  /** True if the browser may create the passkey without asking the person (conditional creation). */
  readonly isConditional: boolean
}

/** A challenge that is valid only in the browser whose cookie has the value `binding`. */
export interface IssuedChallenge {
  /** 32 random bytes in base64url. The database stores only their hash. */
  readonly challenge: string
  readonly binding: string
}

/** Issues challenges. Each can be used once, for a limited time, in one browser. */
export interface Challenges {
  /**
   * Issues a challenge. `binding` is the present value of the browser's cookie. It stays the same, so that two tabs do not invalidate
   * each other's challenges.
   */
  issue(purpose: Challenge, binding: string | undefined): Promise<IssuedChallenge>
  /** Uses up a challenge, whether or not later checks succeed. Undefined if the challenge is unknown, used, expired or from another browser. */
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
