/** The claims that the console explains. They are all claims that gatehouse issues about a person or a sign-in. */
export const explainedClaims = [
  ...(['sub', 'auth_time', 'acr', 'amr', 'act'] as const),
  ...(['name', 'given_name', 'family_name', 'nickname', 'preferred_username', 'picture', 'updated_at'] as const),
  ...(['email', 'email_verified'] as const),
  ...(['org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams', 'groups'] as const),
  ...(['entitlements', 'entitlement_values', 'plan', 'subscription_status'] as const),
]

/** The values of `amr` that the console explains. */
export const explainedWays = ['pwd', 'otp', 'hwk', 'swk', 'pop', 'user', 'mfa'] as const
