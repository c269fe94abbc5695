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

/** A way to authenticate, declared in the folder that checks it. */
export interface AuthenticationMethod {
  readonly name: MethodName
  /** Empty where RFC 8176 has no value: federated sign-ins and mailed links. */
  readonly amr: readonly Amr[]
  /** The factors that the method proves: two for a passkey with user verification. */
  readonly factors: readonly Factor[]
  /** True for a proof that a phishing page cannot use. */
  readonly isPhishingResistant?: boolean
  /** True for a method that gives no higher class: a mailed code. */
  readonly raisesNoAcr?: boolean
  /** True for a proof by a factor that was added in the same session: the proof does not count as recent. */
  readonly isNew?: boolean
  /** Provider of a federated sign-in. */
  readonly provider?: string
}

/** A second factor as operators see it, without secrets and codes. */
export interface OwnedFactor {
  readonly id: string
  /** The name from its owner; null: none. */
  readonly name: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** Number of uses left; absent: unlimited. */
  readonly left?: number
}

/** A kind of second factor, from the registration of the feature that checks it. */
export interface SecondFactor {
  readonly method: AuthenticationMethod
  /** True for a factor that needs another one beside it: recovery codes, mailed codes. */
  readonly isAlternative?: boolean
  /** True for a disabled method: it proves nothing, and its stored factors are still deleted together with the others. */
  readonly isOff?: boolean
  /** True when the user could use it now. */
  isEnrolled(db: Db, user: { readonly id: string; readonly role: string }): Promise<boolean>
  /** The user's factors of this method, oldest first. Absent for a method that stores nothing: mailed codes. */
  list?(db: Db, userId: string): Promise<readonly OwnedFactor[]>
  /** Deletes one factor and records it; false without one. Absent for a method whose factors are only deleted together with others. */
  remove?(tx: Tx, actor: Actor, userId: string, id: string): Promise<boolean>
  /** Deletes all factors of the user. */
  removeAll(tx: Tx, userId: string): Promise<void>
}

/** Browsers that replace the second factor, because the person chose so after a proof. */
export interface RememberedBrowsers {
  /** True while this browser is remembered for the user. */
  isRemembered(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Notes that the browser of the call has replaced the second factor. */
  use(tx: Tx, call: RequestContext, userId: string): Promise<void>
  /** Number of a user's remembered browsers. */
  count(db: Db, userId: string): Promise<number>
  /** Forgets all browsers of a user. */
  forgetAll(tx: Tx, actor: Actor, userId: string): Promise<void>
}
