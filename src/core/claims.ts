import type { Db } from './db/database.ts'

/** The columns of a user that claims need, read together with a token or session. */
export interface ClaimsUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  /** Null for a user without a user name; used only where user names are enabled. */
  readonly username: string | null
  readonly updatedAt: Date
}

/** The subject that claims are about. */
export interface ClaimsSubject {
  readonly user: ClaimsUser
  /** The organization of the sign-in, null for none. Claim sources check that the user is still a member. */
  readonly organizationId: string | null
  /** The client that receives the claims; absent: all claims that are not for a particular client. */
  readonly clientId?: string | undefined
  /** The impersonating administrator; absent: the user acts. */
  readonly impersonatorId?: string | undefined
}

/** Why a claim has its value: a rule, and the row behind it. */
export interface ClaimOrigin {
  /** Attribute, relation or configuration key, such as `user.name`, `member.role` or `billing.entitlements.0`. */
  readonly rule: string
  /** Kind and id, such as `user rEqx…` or `subscription sub_1`. */
  readonly row: string
}

/** The value of a claim and everything that contributes to it. */
export interface SourcedValue {
  readonly value: unknown
  readonly origins: readonly ClaimOrigin[]
}

/** A scope of a feature with its claims. */
export interface ClaimSource {
  readonly scope: string
  /** Every possible claim of the scope; other returned claims are dropped. No other source may have a claim of the same name. */
  readonly claims: readonly string[]
  /** The current claims by name; claims without a value are absent. Called only when `scopes`, all that are read together, contain the scope. */
  claimsOf(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<Readonly<Record<string, SourcedValue>>>
  /** The claims about an organization for a machine with access to it. A source without this function is not available to machines. */
  ofOrganization?(db: Db, organizationId: string): Promise<Readonly<Record<string, SourcedValue>>>
}

/** A claim source with the name of the feature that registered it. */
export interface RegisteredClaimSource extends ClaimSource {
  readonly feature: string
}
