/**
 * Mappings that an operator can choose by name. `roles`: the names of the user's roles in the organization. `groups`: the names of the
 * user's roles and teams.
 */
export const presets = ['roles', 'groups'] as const

/** A claim that the configuration adds. */
export interface Mapping {
  /** The configuration key of the mapping. Explanations of a claim show it. */
  readonly rule: string
  readonly claim: string
  readonly source: string
  readonly scope: string
  /** The clients that get the claim. Undefined if every client gets it. */
  readonly clients: readonly string[] | undefined
  /** If set, the claim has a value only for this organization (id or slug). If undefined, for every organization. */
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

/** Turns the declared mappings into the mappings that apply. A mapping that was chosen by its name is replaced by its content. */
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
 * Claims that have a fixed meaning in tokens (RFC 7519, RFC 8693, RFC 9068, OpenID Connect Core 1.0 and its logout specifications), or at
 * endpoints that return claims. No mapping can use their names.
 */
const protocolClaims = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'azp', 'nonce', 'auth_time', 'acr', 'amr', 'sid', 'events', 'typ'],
  ...['at_hash', 'c_hash', 's_hash', 'act', 'may_act', 'cnf', 'scope', 'client_id', 'token_type', 'active', 'username'],
  ...['authorization_details', 'sub_jwk', '_claim_names', '_claim_sources', 'error', 'error_description'],
]
/**
 * The standard claims (OpenID Connect Core 1.0, section 5.1) and gatehouse's own claims (docs/reference/claims.md). No mapping can use
 * their names.
 */
const otherClaims = [
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website'],
  ...['email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number', 'phone_number_verified'],
  ...['address', 'updated_at', 'org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams'],
  ...['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
]

/** Says why a claim cannot have this name. Undefined if it can. */
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

/** Splits a source into its kind and its name. For example, `user.fields.department` becomes `['user.fields', 'department']`. */
export const partsOf = (source: string): readonly [kind: string, name: string] => {
  const [, kind = source, name = ''] = namedSource.exec(source) ?? []
  return [kind, name]
}

/** Says why a source is invalid. Undefined for a valid source. */
export const sourceProblem = (source: string): string | undefined =>
  fixedSources.includes(source) || namedSource.test(source)
    ? undefined
    : `must be one of ${fixedSources.join(', ')}, user.fields.<name>, organization.metadata.<name>, entitlement.<name>`

/** True if anybody can get any value in this claim by creating an organization and choosing its names. */
export const isOfAnyFounder = ({ source, organization }: Mapping): boolean =>
  organization === undefined && /^organization\.(roles|groups)$/.test(source)
