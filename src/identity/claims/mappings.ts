import type { ClaimOrigin, ClaimsSubject, RegisteredClaimSource, SourcedValue } from '../../core/claims.ts'
import type { Db } from '../../core/db/database.ts'
import { type Mapping, partsOf } from './rules.ts'

/** Reads data that mappings use but no claim contains. */
export interface MoreFacts {
  /** The configured fields and the instance roles of a user. Undefined for an unknown user. */
  userOf(db: Db, id: string): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly role: string } | undefined>
  /** The metadata of an organization. */
  metadataOf(db: Db, id: string): Promise<Readonly<Record<string, unknown>>>
}

type Found = ReadonlyMap<string, SourcedValue>

/** For each source of a mapping, the claim that already contains its value, and the scope of that claim. */
const claimOf: Readonly<Record<string, readonly [scope: string, claim: string]>> = {
  'organization.id': ['organizations', 'org_id'],
  'organization.slug': ['organizations', 'org_slug'],
  'organization.name': ['organizations', 'org_name'],
  'organization.roles': ['organizations', 'org_roles'],
  'organization.teams': ['organizations', 'org_teams'],
  'organization.groups': ['groups', 'groups'],
  'organization.metadata': ['organizations', 'org_id'],
  entitlements: ['billing', 'entitlements'],
  entitlement: ['billing', 'entitlements'],
}

const foundValue = (found: Found, claim: string) => found.get(claim)?.value
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const createMappings = (mappings: readonly Mapping[], sources: readonly RegisteredClaimSource[], more: MoreFacts) => {
  const sourceOf = new Map(sources.map((source) => [source.scope, source]))

  /** The mappings that apply to this client and to the requested scopes. */
  const wanted = (clientId: string | undefined, scopes: readonly string[]) =>
    mappings.filter(
      ({ scope, clients }) =>
        scopes.includes(scope) && (clients === undefined || (clientId !== undefined && clients.includes(clientId))),
    )

  /**
   * Adds the claims of further scopes that the mappings read. Each of these scopes is read once. Claims of the requested scopes were read
   * before.
   */
  const complete = async (
    db: Db,
    subject: ClaimsSubject,
    needed: readonly Mapping[],
    scopes: readonly string[],
    known: Found,
  ) => {
    const limited = needed.some(({ organization }) => organization !== undefined)
    const others = new Set([
      ...needed.flatMap(({ source }) => claimOf[partsOf(source)[0]]?.[0] ?? []),
      // A mapping for only one organization needs the scope `organizations`, because its claims say which organization the user acts for.
      ...(limited ? ['organizations'] : []),
    ])
    const found = new Map(known)
    for (const scope of others) {
      if (scopes.includes(scope)) continue
      const answer = (await sourceOf.get(scope)?.claimsOf(db, subject, [...scopes, scope])) ?? {}
      for (const [name, value] of Object.entries(answer)) found.set(name, value)
    }
    return found
  }

  const isInOrganization = (found: Found, { organization }: Mapping) =>
    organization === undefined || [foundValue(found, 'org_id'), foundValue(found, 'org_slug')].includes(organization)

  /** Computes the value of a mapping. Undefined if the mapping gives no value. */
  const resolve = async (
    db: Db,
    { user }: ClaimsSubject,
    found: Found,
    { source }: Mapping,
  ): Promise<SourcedValue | undefined> => {
    const [kind, name] = partsOf(source)
    const of = (value: unknown, origins: readonly ClaimOrigin[]) =>
      value === undefined || value === null ? undefined : { value, origins }
    const ofUser = (value: unknown) => of(value, [{ rule: source, row: `user ${user.id}` }])
    if (kind === 'user.fields' || kind === 'user.roles') {
      const stored = await more.userOf(db, user.id)
      return ofUser(kind === 'user.roles' ? stored?.role.split(',') : stored?.fields[name])
    }
    if (kind.startsWith('user.')) {
      const fields = {
        id: user.id,
        name: user.name,
        email: user.email,
        emailVerified: user.emailVerified,
        username: user.username,
      }
      return ofUser(new Map<string, unknown>(Object.entries(fields)).get(kind.slice('user.'.length)))
    }
    const claim = found.get(claimOf[kind]?.[1] ?? '')
    if (claim === undefined) return undefined
    const { value, origins } = claim
    if (kind === 'organization.metadata') {
      const metadata = await more.metadataOf(db, String(value))
      return Object.hasOwn(metadata, name)
        ? of(metadata[name], [{ rule: source, row: `organization ${String(value)}` }])
        : undefined
    }
    if (kind === 'entitlement') return of(asList(value).includes(name), origins)
    if (kind !== 'organization.groups') return of(value, origins)
    // In the claim `groups`, each name begins with the organization. The mapped claim contains the names without this beginning.
    return of(
      asList(value).map((group) => String(group).replace(/^[^:]*:/, '')),
      origins,
    )
  }

  return {
    /** Pairs of a scope and the name of a claim that a mapping adds to the scope. */
    byScope: mappings.map(({ scope, claim }) => [scope, claim] as const),
    /** The scopes with a mapping that reveals something about an organization or its purchases. */
    ofOrganizations: mappings.filter(({ source }) => Object.hasOwn(claimOf, partsOf(source)[0])).map(({ scope }) => scope),
    /**
     * The claims that mappings add for this client and these scopes. Among the origins of such a claim, the rule of the mapping comes
     * first. If no mapping applies, nothing is read.
     */
    read: async (db: Db, subject: ClaimsSubject, scopes: readonly string[], known: Found) => {
      const needed = mappings.length === 0 ? [] : wanted(subject.clientId, scopes)
      if (needed.length === 0) return []
      const found = await complete(db, subject, needed, scopes, known)
      const claims: { readonly mapping: Mapping; readonly sourced: SourcedValue }[] = []
      for (const mapping of needed) {
        const sourced = isInOrganization(found, mapping) ? await resolve(db, subject, found, mapping) : undefined
        const origins = [{ rule: mapping.rule, row: mapping.source }, ...(sourced?.origins ?? [])]
        // A mapping may replace the claim `groups`. If it has no value, the claim is an empty list.
        if (sourced !== undefined) claims.push({ mapping, sourced: { value: sourced.value, origins } })
        else if (mapping.claim === 'groups') claims.push({ mapping, sourced: { value: [], origins } })
      }
      return claims
    },
  }
}
