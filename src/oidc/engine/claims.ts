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
  profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'updated_at'],
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

/** An address that is verified and that the scopes tell anyway, else the id: applications take it for a name to sign in with. */
const usernameOf = ({ id, email, emailVerified }: ClaimsUser, scopes: readonly string[]) =>
  emailVerified && scopes.includes('email') ? email : id

/** Every scope there is. */
export const knownScopes = (sources: readonly ClaimSource[]): readonly string[] => [
  ...Object.keys(claimsByScope(sources)),
  'offline_access',
]

/** What can be said about a user to a client with these scopes; the library picks what they allow. A claim without a value is left out. */
export const claimsOf = (user: ClaimsUser, scopes: readonly string[]): Record<string, unknown> & { readonly sub: string } => {
  const [given = '', ...family] = user.name.trim().split(/\s+/)
  return {
    sub: user.id,
    name: user.name,
    ...(given === '' ? {} : { given_name: given }),
    ...(family.length === 0 ? {} : { family_name: family.join(' ') }),
    preferred_username: usernameOf(user, scopes),
    ...(user.image === null ? {} : { picture: user.image }),
    updated_at: Math.floor(user.updatedAt.getTime() / 1000),
    email: user.email,
    email_verified: user.emailVerified,
  }
}
