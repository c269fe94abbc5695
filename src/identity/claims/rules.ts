/** Ready mappings: the roles in an organization, and roles and teams, as flat lists of names. */
export const presets = ['roles', 'groups'] as const

/** A claim that the configuration adds. */
export interface Mapping {
  /** Configuration key, for explanations. */
  readonly rule: string
  readonly claim: string
  readonly source: string
  readonly scope: string
  /** Undefined: every client. */
  readonly clients: readonly string[] | undefined
  /** Id or slug of the organization whose value it has; undefined: that of the sign-in. */
  readonly organization: string | undefined
}

interface Declared {
  readonly preset?: (typeof presets)[number] | undefined
  readonly claim?: string | undefined
  readonly from?: string | undefined
  readonly scope?: string | undefined
  readonly clients?: readonly string[] | undefined
  readonly organization?: string | undefined
}

const presetFields = {
  roles: { claim: 'roles', from: 'organization.roles', scope: 'profile' },
  groups: { claim: 'groups', from: 'organization.groups', scope: 'groups' },
} as const

/** The mappings in their applied form. */
export const mappingsOf = (declared: readonly Declared[]): readonly Mapping[] =>
  declared.map(({ preset, clients, organization, ...given }, index) => {
    const ready = preset === undefined ? undefined : presetFields[preset]
    return {
      rule: `claims.mappings.${index}`,
      claim: ready?.claim ?? given.claim ?? '',
      source: ready?.from ?? given.from ?? '',
      scope: given.scope ?? ready?.scope ?? 'profile',
      ...{ clients, organization },
    }
  })

/**
 * Names with a meaning in tokens (RFC 7519, RFC 8693, RFC 9068, OpenID Connect Core 1.0 and its logout specifications) and at endpoints
 * that return claims.
 */
const protocolClaims = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'azp', 'nonce', 'auth_time', 'acr', 'amr', 'sid', 'events', 'typ'],
  ...['at_hash', 'c_hash', 's_hash', 'act', 'may_act', 'cnf', 'scope', 'client_id', 'token_type', 'active', 'username'],
  ...['authorization_details', 'sub_jwk', '_claim_names', '_claim_sources', 'error', 'error_description'],
]
/** The standard claims of OpenID Connect Core 1.0, section 5.1, and those of gatehouse (docs/reference/claims.md). */
const otherClaims = [
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website'],
  ...['email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number', 'phone_number_verified'],
  ...['address', 'updated_at', 'org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams'],
  ...['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
]

/** Why a claim cannot have this name, or undefined. */
export const claimProblem = (name: string, scope: string | undefined): string | undefined => {
  if (protocolClaims.includes(name)) return `${name} has a meaning in tokens: choose another name`
  if (otherClaims.includes(name)) return `${name} is a claim already (docs/reference/claims.md): choose another name`
  if (name === 'groups' && scope !== 'groups')
    return 'groups is a claim of the scope groups: say scope: groups to replace it there'
  return /^(https:\/\/[^\s"\\]+|[A-Za-z_][A-Za-z0-9_.:-]*)$/.test(name)
    ? undefined
    : 'must begin with a letter and have letters, digits and _ . : - alone, or be an https address'
}

const fixedSources = [
  ...['user.id', 'user.name', 'user.email', 'user.emailVerified', 'user.username', 'user.roles'],
  ...[
    'organization.id',
    'organization.slug',
    'organization.name',
    'organization.roles',
    'organization.teams',
    'organization.groups',
  ],
  'entitlements',
]
const namedSource = /^(user\.fields|organization\.metadata|entitlement)\.([A-Za-z0-9_.:-]{1,100})$/

/** The kind of a source and its name: `['user.fields', 'department']`. */
export const partsOf = (source: string): readonly [kind: string, name: string] => {
  const [, kind = source, name = ''] = namedSource.exec(source) ?? []
  return [kind, name]
}

/** Why a source cannot give a value, or undefined. */
export const sourceProblem = (source: string): string | undefined =>
  fixedSources.includes(source) || namedSource.test(source)
    ? undefined
    : `must be one of ${fixedSources.join(', ')}, user.fields.<name>, organization.metadata.<name>, entitlement.<name>`

/** True for a value that everybody gets by creating an organization. */
export const isOfAnyFounder = ({ source, organization }: Mapping): boolean =>
  organization === undefined && /^organization\.(roles|groups)$/.test(source)
