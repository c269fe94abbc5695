import type { Db } from '../../core/database.ts'
import { splitScope } from '../rules.ts'

/** Whom claims are about: a user, and the organization that was chosen when they signed in to the application. */
export interface ClaimsSubject {
  readonly userId: string
  readonly organizationId: string | null
}

/** A scope of another feature and the claims it gives. It is asked at each use of a token with the scope, and only then. */
export interface ClaimSource {
  readonly scope: string
  /** Every claim it may give; what else it answers is left out. */
  readonly claims: readonly string[]
  /** The claims as they are now; those without a value are absent. */
  claimsOf(db: Db, subject: ClaimsSubject): Promise<Readonly<Record<string, unknown>>>
}

/** The user as claims need them. */
export interface ClaimsUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly updatedAt: Date
}

/** Which claims a scope gives (OpenID Connect Core, section 5.4). */
export const claimsOfScope = {
  openid: ['sub', 'auth_time'],
  profile: ['name', 'given_name', 'family_name', 'picture', 'updated_at'],
  email: ['email', 'email_verified'],
} as const

/** The same with the scopes of other features. */
export const claimsByScope = (sources: readonly ClaimSource[]): Readonly<Record<string, readonly string[]>> => ({
  ...claimsOfScope,
  ...Object.fromEntries(sources.map(({ scope, claims }) => [scope, claims])),
})

/** What the sources of these scopes say. A token without their scopes costs nothing. */
export const sourceClaims = async (
  db: Db,
  sources: readonly ClaimSource[],
  scope: string,
  subject: ClaimsSubject,
): Promise<Readonly<Record<string, unknown>>> => {
  const scopes = splitScope(scope)
  const asked = sources.filter((source) => scopes.includes(source.scope))
  const answers = await Promise.all(asked.map((source) => source.claimsOf(db, subject)))
  return Object.fromEntries(
    asked.flatMap(({ claims }, i) => Object.entries(answers[i] ?? {}).filter(([name]) => claims.includes(name))),
  )
}

/** Everything that can be said about a user; the library gives each client what its scopes allow. A claim without a value is left out. */
export const claimsOf = (user: ClaimsUser): Record<string, unknown> & { readonly sub: string } => {
  const [given = '', ...family] = user.name.trim().split(/\s+/)
  return {
    sub: user.id,
    name: user.name,
    ...(given === '' ? {} : { given_name: given }),
    ...(family.length === 0 ? {} : { family_name: family.join(' ') }),
    ...(user.image === null ? {} : { picture: user.image }),
    updated_at: Math.floor(user.updatedAt.getTime() / 1000),
    email: user.email,
    email_verified: user.emailVerified,
  }
}
