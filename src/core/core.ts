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

/** What nearly every feature needs. A part of a feature names what it uses: `Pick<Core, 'db' | 'clock'>`. */
export interface Core {
  readonly db: Db
  readonly transact: Transact
  /** Runs a single statement, which needs no transaction. */
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
  /** Public address without a slash at the end. Tokens name it as their issuer. */
  readonly url: string
}

/** Guards of a feature, which forbid or limit actions of other features. A guard runs in the transaction of the action and changes nothing. */
export interface Guards {
  /** Throws if the user must not be deleted. It is also called when the user requests the deletion. */
  readonly deleteUser?: (tx: Tx, user: { readonly id: string }) => Promise<void>
  /**
   * The number of seats that an organization has for members and open invitations; null means no limit. Called before a seat is taken,
   * and for display.
   */
  readonly seats?: (db: Db, organizationId: string) => Promise<SeatCount | null>
  /** The name of an organization's plan, or null. */
  readonly plan?: (db: Db, organizationId: string) => Promise<string | null>
  /**
   * The number of a user's sign-in methods in this feature. The user's last method among all features cannot be removed. A caller that
   * removes one has locked the row of the user.
   */
  readonly signInMethods?: (db: Db, userId: string) => Promise<number>
  /**
   * True if the user can give a first proof with this feature, as it is configured. `changes` returns true for a key that the
   * configuration changes.
   */
  readonly signsIn?: (db: Db, userId: string, changes: (key: string) => boolean) => Promise<boolean>
  /** True if this feature, as it is configured, never gives the user a session, whatever the first proof is. */
  readonly locksOut?: (db: Db, userId: string) => Promise<boolean>
  /** True if an organization that the user acts for requires two factors. */
  readonly requiresSecondFactor?: (db: Db, userId: string) => Promise<boolean>
}
export type SecondFactorGuard = NonNullable<Guards['requiresSecondFactor']>
/** Parts of an account that other people may control. The next owner of the account is asked about them. */
export interface Holdings {
  readonly organizations: readonly HeldOrganization[]
  /** Number of API keys that act for the account. */
  readonly apiKeys: number
  /** Number of invitations that the account has sent and nobody has answered. */
  readonly invitations: number
}
export interface HeldOrganization {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly memberCount: number
  /** Names of the oldest members, without the account itself. */
  readonly members: readonly { readonly name: string; readonly email: string; readonly role: string }[]
}
export type HoldingsOf = (db: Db, userId: string) => Promise<Partial<Holdings>>
export interface SeatCount {
  readonly seats: number
  /** True if the seats are the free ones (`billing.freeSeats`). */
  readonly isFree: boolean
}
export type DeleteUserGuard = NonNullable<Guards['deleteUser']>
export type SeatLimit = NonNullable<Guards['seats']>
export type PlanOf = NonNullable<Guards['plan']>
export type SignInMethodCount = NonNullable<Guards['signInMethods']>
