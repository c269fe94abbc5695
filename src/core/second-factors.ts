import type { Db, Tx } from './db/database.ts'
import type { Actor } from './events/record.ts'
import type { RequestContext } from './request-context.ts'

/** Values of RFC 8176, section 2. */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'swk' | 'pop' | 'user' | 'mfa'

/**
 * Kinds of evidence; two proofs of one kind are one factor. A federated sign-in and a mailed link count as knowledge: they show that the person
 * could sign in elsewhere, and beside a password they are no second factor (NIST SP 800-63B, section 5.1.3.1, excludes mail).
 */
export type Factor = 'knowledge' | 'possession' | 'inherence'

export type MethodName =
  | 'password'
  | 'federated'
  | 'mail-link'
  | 'mail-code'
  | 'passkey'
  | 'security-key'
  | 'totp'
  | 'recovery-code'
  | 'remembered-browser'

/** One way to authenticate. Each is declared in the folder that checks it. */
export interface AuthenticationMethod {
  readonly name: MethodName
  /** Empty where RFC 8176 has no value: a federated sign-in, a mailed link. */
  readonly amr: readonly Amr[]
  /** The factors that the method proves; a passkey with user verification proves two. */
  readonly factors: readonly Factor[]
  /** A page that only looks like ours cannot get it. */
  readonly isPhishingResistant?: boolean
  /** It lets the person in, and is worth no higher class: a mailed code. */
  readonly raisesNoAcr?: boolean
  /** True for a proof by a factor that was added in the same session: the proof does not count as recent. */
  readonly isNew?: boolean
  /** Where the person signed in, of a federated sign-in. */
  readonly provider?: string
}

/** A second factor as operators see it: no secret, no code. */
export interface OwnedFactor {
  readonly id: string
  /** The name that the owner gave it; null: none. */
  readonly name: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** How often it can be used still; missing: as often as one likes. */
  readonly left?: number
}

/** One kind of second factor. The feature that checks it gives it as `secondFactors` where it registers. */
export interface SecondFactor {
  readonly method: AuthenticationMethod
  /** Counts only beside another one: recovery codes, mailed codes. */
  readonly isAlternative?: boolean
  /** True if the method is disabled: it proves nothing, and stored factors are still deleted together with the others. */
  readonly isOff?: boolean
  /** True when the user could prove it now. */
  isEnrolled(db: Db, user: { readonly id: string; readonly role: string }): Promise<boolean>
  /** The factors that the user has of this method, oldest first. Missing for a method that stores nothing: mailed codes. */
  list?(db: Db, userId: string): Promise<readonly OwnedFactor[]>
  /** Deletes one and records it; false when the user has no such one. Missing where it goes with the other factors alone. */
  remove?(tx: Tx, actor: Actor, userId: string, id: string): Promise<boolean>
  /** Deletes all that the user has of it. */
  removeAll(tx: Tx, userId: string): Promise<void>
}

/** Browsers that stand for the second factor, because the person said so after a proof. */
export interface RememberedBrowsers {
  /** True while this browser is remembered for the user. */
  isRemembered(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Notes that the browser of the call has stood for the second factor. */
  use(tx: Tx, call: RequestContext, userId: string): Promise<void>
  /** How many there are of a user now. */
  count(db: Db, userId: string): Promise<number>
  /** Ends all of a user. */
  forgetAll(tx: Tx, actor: Actor, userId: string): Promise<void>
}
