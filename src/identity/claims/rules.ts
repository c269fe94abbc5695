/** Prepared mappings. `roles` lists the names of the roles in an organization, `groups` the names of roles and teams. */
export const presets = ['roles', 'groups'] as const

/** A claim that the configuration adds. */
export interface Mapping {
  /** The key in the configuration, which explanations of a claim show. */
  readonly rule: string
  readonly claim: string
  readonly source: string
  readonly scope: string
  /** The clients that get the claim; undefined for every client. */
  readonly clients: readonly string[] | undefined
  /** The id or slug of the only organization for which the claim has a value; undefined if every organization has one. */
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

/** Turns the mappings of the configuration into the mappings that apply, including the prepared ones. */
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
 * Claims that have a meaning in tokens (RFC 7519, RFC 8693, RFC 9068, OpenID Connect Core 1.0 and its logout specifications) or at
 * endpoints that return claims. A mapping cannot use their names.
 */
const protocolClaims = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'azp', 'nonce', 'auth_time', 'acr', 'amr', 'sid', 'events', 'typ'],
  ...['at_hash', 'c_hash', 's_hash', 'act', 'may_act', 'cnf', 'scope', 'client_id', 'token_type', 'active', 'username'],
  ...['authorization_details', 'sub_jwk', '_claim_names', '_claim_sources', 'error', 'error_description'],
]
/**
 * The standard claims (OpenID Connect Core 1.0, section 5.1) and the claims of gatehouse (docs/reference/claims.md). A mapping cannot use
 * their names.
 */
const otherClaims = [
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website'],
  ...['email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number', 'phone_number_verified'],
  ...['address', 'updated_at', 'org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams'],
  ...['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
]

/** Returns the reason why a claim cannot have this name, and undefined for a valid name. */
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

/** Splits a source into its kind and its name, for example `user.fields.department` into `['user.fields', 'department']`. */
export const partsOf = (source: string): readonly [kind: string, name: string] => {
  const [, kind = source, name = ''] = namedSource.exec(source) ?? []
  return [kind, name]
}

/** Returns the reason why a source is invalid, and undefined for a valid source. */
export const sourceProblem = (source: string): string | undefined =>
  fixedSources.includes(source) || namedSource.test(source)
    ? undefined
    : `must be one of ${fixedSources.join(', ')}, user.fields.<name>, organization.metadata.<name>, entitlement.<name>`

/** True if anybody can obtain the value by creating an organization of their own. */
export const isOfAnyFounder = ({ source, organization }: Mapping): boolean =>
  organization === undefined && /^organization\.(roles|groups)$/.test(source)
