import type { Clock } from './clock.ts'
import type { Secrets } from './crypto.ts'
import type { Db, Transact, Tx } from './db/database.ts'
import type { Events } from './events/record.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Queue } from './queue.ts'
import type { Random } from './random.ts'
import type { Remedies } from './remedies.ts'
import type { SecurityLog } from './security-log.ts'
import type { Signals } from './signals.ts'

/** The dependencies of nearly every feature. A part names what it uses: `Pick<Core, 'db' | 'clock'>`. */
export interface Core {
  readonly db: Db
  readonly transact: Transact
  /** For a single statement, which needs no transaction. */
  readonly single: Transact
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly secrets: Secrets
  readonly signals: Signals
  readonly queue: Queue
  readonly security: SecurityLog
  readonly events: Events
  readonly metrics: Metrics
  readonly remedies: Remedies
  /** Public address without a slash at the end; also the issuer of tokens. */
  readonly url: string
}

/** Guards by which a feature forbids or limits actions of other features. A guard runs in the transaction of the action, and changes nothing. */
export interface Guards {
  /** Throws for a user who may not be deleted. Called at the request of a deletion, too. */
  readonly deleteUser?: (tx: Tx, user: { readonly id: string }) => Promise<void>
  /**
   * The number of seats of an organization for members and open invitations; null: no limit. Called before a seat is taken, and to show
   * the number.
   */
  readonly seats?: (db: Db, organizationId: string) => Promise<SeatCount | null>
  /** The name of an organization's plan; null: none. */
  readonly plan?: (db: Db, organizationId: string) => Promise<string | null>
  /**
   * The number of a user's sign-in methods in this feature. The last method of all features cannot be removed; a caller that removes one
   * has locked the user.
   */
  readonly signInMethods?: (db: Db, userId: string) => Promise<number>
  /** True if the user can give a first proof by this feature as it is configured. `changes`: true for a key that the configuration changes. */
  readonly signsIn?: (db: Db, userId: string, changes: (key: string) => boolean) => Promise<boolean>
  /** True if this feature, as it is configured, keeps the user from a session whatever the first proof is. */
  readonly locksOut?: (db: Db, userId: string) => Promise<boolean>
  /** True if an organization that the user acts for requires two factors. */
  readonly requiresSecondFactor?: (db: Db, userId: string) => Promise<boolean>
}
export type SecondFactorGuard = NonNullable<Guards['requiresSecondFactor']>
/** Parts of an account that may be in other hands; the next owner is asked about them. */
export interface Holdings {
  readonly organizations: readonly HeldOrganization[]
  /** Number of keys that act for the account. */
  readonly apiKeys: number
  /** Number of its invitations without an answer. */
  readonly invitations: number
}
export interface HeldOrganization {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly memberCount: number
  /** Names of the oldest, without the account itself. */
  readonly members: readonly { readonly name: string; readonly email: string; readonly role: string }[]
}
export type HoldingsOf = (db: Db, userId: string) => Promise<Partial<Holdings>>
export interface SeatCount {
  readonly seats: number
  /** True for free seats (`billing.freeSeats`). */
  readonly isFree: boolean
}
export type DeleteUserGuard = NonNullable<Guards['deleteUser']>
export type SeatLimit = NonNullable<Guards['seats']>
export type PlanOf = NonNullable<Guards['plan']>
export type SignInMethodCount = NonNullable<Guards['signInMethods']>
