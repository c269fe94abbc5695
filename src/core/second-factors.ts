import type { Db, Tx } from './db/database.ts'
import type { Actor } from './events/record.ts'
import type { RequestContext } from './request-context.ts'

/** Values of RFC 8176, section 2. */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'swk' | 'pop' | 'user' | 'mfa'

/**
 * Kinds of evidence. Two proofs of one kind are one factor. A federated sign-in and a mailed link count as knowledge, because they show
 * only that the person could sign in elsewhere. So they are no second factor beside a password (NIST SP 800-63B, section 5.1.3.1,
 * excludes mail).
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

/** A way to authenticate. The folder that checks it declares it. */
export interface AuthenticationMethod {
  readonly name: MethodName
  /** Empty if RFC 8176 has no value for it: federated sign-ins and mailed links. */
  readonly amr: readonly Amr[]
  /** The factors that the method proves. A passkey with user verification proves two. */
  readonly factors: readonly Factor[]
  /** True for a proof that a phishing page cannot use. */
  readonly isPhishingResistant?: boolean
  /** True for a method that does not raise the authentication class: a mailed code. */
  readonly raisesNoAcr?: boolean
  /** True if the factor was added in the same session. Its proof does not count as recent. */
  readonly isNew?: boolean
  /** Provider of a federated sign-in. */
  readonly provider?: string
}

/** A second factor, as operators see it. It contains no secrets or codes. */
export interface OwnedFactor {
  readonly id: string
  /** The name that the owner gave it, or null. */
  readonly name: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** Number of uses that are left. Absent if the number is unlimited. */
  readonly left?: number
}

/** A kind of second factor. The feature that checks it registers it. */
export interface SecondFactor {
  readonly method: AuthenticationMethod
  /** True for a factor that cannot be a user's only one: recovery codes, mailed codes. */
  readonly isAlternative?: boolean
  /** True for a disabled method. It proves nothing, but its stored factors are still deleted with the others. */
  readonly isOff?: boolean
  /** True if the user could use this factor now. */
  isEnrolled(db: Db, user: { readonly id: string; readonly role: string }): Promise<boolean>
  /** The user's factors of this method, oldest first. Absent if the method stores nothing (mailed codes). */
  list?(db: Db, userId: string): Promise<readonly OwnedFactor[]>
  /**
   * Deletes one factor and records it. False if there is no such factor. Absent if the factors of the method can only be deleted together
   * with others.
   */
  remove?(tx: Tx, actor: Actor, userId: string, id: string): Promise<boolean>
  /** Deletes all factors of the user. */
  removeAll(tx: Tx, userId: string): Promise<void>
}

/** Browsers that take the place of the second factor, because the user chose so after giving a proof. */
export interface RememberedBrowsers {
  /** True if this browser is remembered for the user now. */
  isRemembered(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Records that the browser of the call has taken the place of the second factor. */
  use(tx: Tx, call: RequestContext, userId: string): Promise<void>
  /** Number of a user's remembered browsers. */
  count(db: Db, userId: string): Promise<number>
  /** Forgets all browsers of a user. */
  forgetAll(tx: Tx, actor: Actor, userId: string): Promise<void>
}
