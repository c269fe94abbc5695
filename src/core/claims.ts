import type { Db } from './db/database.ts'

/** The user that claims are about, as a token or session is read with. */
export interface ClaimsUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  /** Null for a user without one; counts only where users have names. */
  readonly username: string | null
  readonly updatedAt: Date
}

/** The subject that claims are about. */
export interface ClaimsSubject {
  readonly user: ClaimsUser
  /** The organization the user acts for, null for none. That the user is still a member is for the sources to check. */
  readonly organizationId: string | null
  /** The client that gets the claims; absent: every claim that no client is named for. */
  readonly clientId?: string | undefined
  /** The administrator who impersonates the user; absent: the users themselves act. */
  readonly impersonatorId?: string | undefined
}

/** Why a claim has its value: the rule that gives it and the row it is read from. */
export interface ClaimOrigin {
  /** Attribute, relation or configuration key, such as `user.name`, `member.role` or `billing.entitlements.0`. */
  readonly rule: string
  /** Kind and id, such as `user rEqx…` or `subscription sub_1`. */
  readonly row: string
}

/** The value of a claim with all that contributes to it. */
export interface SourcedValue {
  readonly value: unknown
  readonly origins: readonly ClaimOrigin[]
}

/** A scope of a feature and the claims it gives. */
export interface ClaimSource {
  readonly scope: string
  /** Every claim it may give; others that it returns are dropped. No other source may give one of the same name. */
  readonly claims: readonly string[]
  /**
   * The present claims, by name; claims without a value are absent. Called for a subject only when the scope is among `scopes`: all that
   * are read together.
   */
  claimsOf(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<Readonly<Record<string, SourcedValue>>>
  /** The claims about an organization by itself, for a machine that may ask about it. Without it a machine does not get the scope. */
  ofOrganization?(db: Db, organizationId: string): Promise<Readonly<Record<string, SourcedValue>>>
}

/** A claim source with the name of the feature that registered it. */
export interface RegisteredClaimSource extends ClaimSource {
  readonly feature: string
}
