import type { Db } from './db/database.ts'

/** The columns of a user that claims need, read together with a token or session. */
export interface ClaimsUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  /** Null for a user without a user name. Claims use it only where user names are enabled. */
  readonly username: string | null
  readonly updatedAt: Date
}

/** The subject that claims are about. */
export interface ClaimsSubject {
  readonly user: ClaimsUser
  /** The organization that the user signed in for, or null. Claim sources check that the user is still a member. */
  readonly organizationId: string | null
  /** The client that receives the claims. When absent: all claims except those for a particular client. */
  readonly clientId?: string | undefined
  /** The administrator who impersonates the user. When absent: the user acts. */
  readonly impersonatorId?: string | undefined
}

/** Why a claim has its value: a rule, and the database row that the rule used. */
export interface ClaimOrigin {
  /** An attribute, a relation or a configuration key, such as `user.name`, `member.role` or `billing.entitlements.0`. */
  readonly rule: string
  /** Kind and id of the row, such as `user rEqx…` or `subscription sub_1`. */
  readonly row: string
}

/** The value of a claim and everything that contributes to it. */
export interface SourcedValue {
  readonly value: unknown
  readonly origins: readonly ClaimOrigin[]
}

/** A scope that a feature provides, with its claims. */
export interface ClaimSource {
  readonly scope: string
  /** Every claim that the scope may have. Other claims that the source returns are dropped. No two sources may have a claim of the same name. */
  readonly claims: readonly string[]
  /**
   * Returns the current claims by name, without those that have no value. Called only when `scopes` contains the scope; `scopes` are all
   * scopes that are read together.
   */
  claimsOf(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<Readonly<Record<string, SourcedValue>>>
  /** Returns the claims about an organization for a machine that has access to it. Without this function, machines do not get the scope. */
  ofOrganization?(db: Db, organizationId: string): Promise<Readonly<Record<string, SourcedValue>>>
}

/** A claim source with the name of the feature that registered it. */
export interface RegisteredClaimSource extends ClaimSource {
  readonly feature: string
}
