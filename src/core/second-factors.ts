import type { Db, Tx } from './db/database.ts'
import type { Actor } from './events/record.ts'
import type { RequestContext } from './request-context.ts'

/** Values for the claim `amr` (RFC 8176, section 2). */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'swk' | 'pop' | 'user' | 'mfa'

/**
 * Kinds of authentication factors. Two proofs of the same kind count as one factor. A federated sign-in and a mailed link count as
 * knowledge, because they show only that the person could sign in elsewhere. So beside a password they are not a second factor (NIST SP
 * 800-63B, section 5.1.3.1, excludes mail).
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

/** A way to authenticate, such as a password or a passkey. The folder that checks it declares it. */
export interface AuthenticationMethod {
  readonly name: MethodName
  /**
   * The values that the method adds to the claim `amr`. Empty for federated sign-ins and mailed links, because RFC 8176 has no value for
   * them.
   */
  readonly amr: readonly Amr[]
  /** The kinds of factors that the method proves. A passkey with user verification proves two. */
  readonly factors: readonly Factor[]
  /** True if a phishing page cannot use the method. */
  readonly isPhishingResistant?: boolean
  /** True if the method never leads to a higher authentication context class. That is so for a mailed code. */
  readonly raisesNoAcr?: boolean
  /** True if the user added this factor in the same session. Then using it does not count as a recent proof. */
  readonly isNew?: boolean
  /** The provider, if the method is a federated sign-in. */
  readonly provider?: string
}

/** A second factor of a user, as operators see it. It contains no secret and no code. */
export interface OwnedFactor {
  readonly id: string
  /** The name that the user gave to the factor. Null if it has none. */
  readonly name: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** How often the factor can still be used. Absent if there is no limit. */
  readonly left?: number
}

/** A kind of second factor. The feature that checks it registers it. */
export interface SecondFactor {
  readonly method: AuthenticationMethod
  /** True if a user cannot have only this factor. That is so for recovery codes and mailed codes. */
  readonly isAlternative?: boolean
  /** True if the configuration disables this kind. It cannot be used then, but its stored factors are still deleted together with the others. */
  readonly isOff?: boolean
  /** True if the user could use a factor of this kind now. */
  isEnrolled(db: Db, user: { readonly id: string; readonly role: string }): Promise<boolean>
  /** The user's factors of this kind, oldest first. Absent if nothing is stored for this kind, as for mailed codes. */
  list?(db: Db, userId: string): Promise<readonly OwnedFactor[]>
  /**
   * Deletes one factor and records an event. False if the user has no such factor. Absent if factors of this kind can only be deleted all
   * together.
   */
  remove?(tx: Tx, actor: Actor, userId: string, id: string): Promise<boolean>
  /** Deletes all of the user's factors of this kind. */
  removeAll(tx: Tx, userId: string): Promise<void>
}

/** Remembered browsers. After a full sign-in the user can choose that a browser is remembered. Then it takes the place of the second factor. */
export interface RememberedBrowsers {
  /** True if this browser is remembered for the user now. */
  isRemembered(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Records that the remembered browser of the call took the place of the second factor. */
  use(tx: Tx, call: RequestContext, userId: string): Promise<void>
  /** The number of browsers that are remembered for the user. */
  count(db: Db, userId: string): Promise<number>
  /** Forgets all browsers that are remembered for the user. */
  forgetAll(tx: Tx, actor: Actor, userId: string): Promise<void>
}
