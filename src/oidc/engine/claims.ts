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
