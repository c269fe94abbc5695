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

/** The services that nearly every feature needs. A function asks only for those that it uses: `Pick<Core, 'db' | 'clock'>`. */
export interface Core {
  readonly db: Db
  readonly transact: Transact
  /** Runs a single statement without a transaction. */
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
  /** The public URL of the instance, without a slash at the end. Tokens name it as their issuer. */
  readonly url: string
}

/** Guards of a feature. A guard forbids or limits an action of another feature. It runs in the transaction of the action, and changes nothing. */
export interface Guards {
  /** Throws if the user must not be deleted. Called when the user requests the deletion, and again before the deletion. */
  readonly deleteUser?: (tx: Tx, user: { readonly id: string }) => Promise<void>
  /**
   * The number of seats for members and open invitations of an organization. Null means no limit. Called before a seat is taken, and to
   * display the number.
   */
  readonly seats?: (db: Db, organizationId: string) => Promise<SeatCount | null>
  /** The name of an organization's plan. Null if the organization has no plan. */
  readonly plan?: (db: Db, organizationId: string) => Promise<string | null>
  /**
   * The number of sign-in methods that the user has in this feature. A user's last sign-in method, over all features, cannot be removed.
   * A caller that removes a sign-in method has locked the row of the user.
   */
  readonly signInMethods?: (db: Db, userId: string) => Promise<number>
  /**
   * True if the user could sign in with this feature, as it is configured, at least as far as the first factor. `changes` returns true
   * for each configuration key that the tried configuration changes.
   */
  readonly signsIn?: (db: Db, userId: string, changes: (key: string) => boolean) => Promise<boolean>
  /** True if this feature, as it is configured, keeps the user from getting any session, whatever the user signs in with. */
  readonly locksOut?: (db: Db, userId: string) => Promise<boolean>
  /** True if an organization that the user acts for requires two factors of its members. */
  readonly requiresSecondFactor?: (db: Db, userId: string) => Promise<boolean>
}
export type SecondFactorGuard = NonNullable<Guards['requiresSecondFactor']>
/** Parts of an account that other people may still control. When an account gets a new owner, the new owner is asked about them. */
export interface Holdings {
  readonly organizations: readonly HeldOrganization[]
  /** Number of API keys that act for the account's user. */
  readonly apiKeys: number
  /** Number of invitations that the account's user has sent and that nobody has answered. */
  readonly invitations: number
}
export interface HeldOrganization {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly memberCount: number
  /** The oldest members of the organization, except the account's own user. */
  readonly members: readonly { readonly name: string; readonly email: string; readonly role: string }[]
}
export type HoldingsOf = (db: Db, userId: string) => Promise<Partial<Holdings>>
export interface SeatCount {
  readonly seats: number
  /** True if the organization has only the free seats (`billing.freeSeats`). */
  readonly isFree: boolean
}
export type DeleteUserGuard = NonNullable<Guards['deleteUser']>
export type SeatLimit = NonNullable<Guards['seats']>
export type PlanOf = NonNullable<Guards['plan']>
export type SignInMethodCount = NonNullable<Guards['signInMethods']>
