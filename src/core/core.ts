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
  /** For work that is one statement: no transaction is begun for it. */
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
  /** Public address, without a slash at its end; the issuer of tokens too. */
  readonly url: string
}

/** Checks by which a feature forbids or limits actions of other features. A guard runs inside the transaction of the action, and changes nothing. */
export interface Guards {
  /** Throws when a user may not be deleted. Called when the deletion is requested, too. */
  readonly deleteUser?: (tx: Tx, user: { readonly id: string }) => Promise<void>
  /** How many seats an organization has for members and open invitations; null: no limit. Called before one more is taken, and to show them. */
  readonly seats?: (db: Db, organizationId: string) => Promise<SeatCount | null>
  /** The name of the plan that an organization has; null: none. */
  readonly plan?: (db: Db, organizationId: string) => Promise<string | null>
  /** The number of sign-in methods that a user has by this feature. The last method of all features may not be removed; a caller that removes one has locked the user. */
  readonly signInMethods?: (db: Db, userId: string) => Promise<number>
  /** True if the user can give a first proof by this feature as it is configured. `changes`: true for a key that the configuration changes. */
  readonly signsIn?: (db: Db, userId: string, changes: (key: string) => boolean) => Promise<boolean>
  /** True if this feature, as it is configured, keeps the user from a session whatever the first proof is. */
  readonly locksOut?: (db: Db, userId: string) => Promise<boolean>
  /** True if an organization that the user acts for requires two factors. */
  readonly requiresSecondFactor?: (db: Db, userId: string) => Promise<boolean>
}
export type SecondFactorGuard = NonNullable<Guards['requiresSecondFactor']>
/** Possessions of an account that other people may share or hold; the next owner is asked about them. */
export interface Holdings {
  readonly organizations: readonly HeldOrganization[]
  /** How many keys act in its name. */
  readonly apiKeys: number
  /** How many invitations that it sent wait for an answer. */
  readonly invitations: number
}
export interface HeldOrganization {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly memberCount: number
  /** The first of them, oldest first, the account itself left out. */
  readonly members: readonly { readonly name: string; readonly email: string; readonly role: string }[]
}
export type HoldingsOf = (db: Db, userId: string) => Promise<Partial<Holdings>>
export interface SeatCount {
  readonly seats: number
  /** True for seats that cost nothing (`billing.freeSeats`). */
  readonly isFree: boolean
}
export type DeleteUserGuard = NonNullable<Guards['deleteUser']>
export type SeatLimit = NonNullable<Guards['seats']>
export type PlanOf = NonNullable<Guards['plan']>
export type SignInMethodCount = NonNullable<Guards['signInMethods']>
