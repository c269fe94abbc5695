import type { Db } from './db/database.ts'

/** The columns of a user from which claims are made. They are read together with the token or session. */
export interface ClaimsUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  /** Null for a user without a user name. It becomes a claim only on an instance where user names are enabled. */
  readonly username: string | null
  readonly updatedAt: Date
}

/** The subject of claims: a user, and what the token or session says about the user. */
export interface ClaimsSubject {
  readonly user: ClaimsUser
  /** The organization that the user signed in for, or null. Claim sources check that the user is still a member. */
  readonly organizationId: string | null
  /** The client that receives the claims. When absent: only the claims that every client may receive are returned. */
  readonly clientId?: string | undefined
  /** The administrator who impersonates the user. When absent: nobody impersonates the user. */
  readonly impersonatorId?: string | undefined
}

/** Explains why a claim has its value: the rule that gave it, and the database row that the rule used. */
export interface ClaimOrigin {
  /** The rule: an attribute, a relation or a configuration key, such as `user.name`, `member.role` or `billing.entitlements.0`. */
  readonly rule: string
  /** The row: its kind and id, such as `user rEqx…` or `subscription sub_1`. */
  readonly row: string
}

/** The value of a claim, together with everything that contributed to the value. */
export interface SourcedValue {
  readonly value: unknown
  readonly origins: readonly ClaimOrigin[]
}

/** A scope that a feature provides, with its claims. */
export interface ClaimSource {
  readonly scope: string
  /**
   * The names of all claims that the scope may contain. If the source returns any other claim, it is dropped. Two sources must not have a
   * claim of the same name.
   */
  readonly claims: readonly string[]
  /**
   * Returns the claims of the scope by name. A claim without a value is left out. This function is called only if `scopes` contains the
   * scope of this source. `scopes` are all scopes that are read together.
   */
  claimsOf(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<Readonly<Record<string, SourcedValue>>>
  /**
   * Returns the claims about an organization, for a machine client that has access to the organization. If a source lacks this function,
   * machine clients do not get its scope.
   */
  ofOrganization?(db: Db, organizationId: string): Promise<Readonly<Record<string, SourcedValue>>>
}

/** A claim source, with the name of the feature that registered it. */
export interface RegisteredClaimSource extends ClaimSource {
  readonly feature: string
}
