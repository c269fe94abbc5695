import type { ClaimOrigin, ClaimsSubject, RegisteredClaimSource, SourcedValue } from '../../core/claims.ts'
import type { Db } from '../../core/db/database.ts'
import { type Mapping, partsOf } from './rules.ts'

/** Reads data that mappings need and no claim contains. */
export interface MoreFacts {
  /** The configured fields and the instance roles of a user; undefined for an unknown user. */
  userOf(db: Db, id: string): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly role: string } | undefined>
  /** The metadata of an organization. */
  metadataOf(db: Db, id: string): Promise<Readonly<Record<string, unknown>>>
}

type Found = ReadonlyMap<string, SourcedValue>

/** For each source, the claim that contains its value, and the scope of that claim. */
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

  /** The mappings that apply to the client and the requested scopes. */
  const wanted = (clientId: string | undefined, scopes: readonly string[]) =>
    mappings.filter(
      ({ scope, clients }) =>
        scopes.includes(scope) && (clients === undefined || (clientId !== undefined && clients.includes(clientId))),
    )

  /** Adds the claims of other scopes that the mappings read. Each scope is read once, and the claims of requested scopes are known already. */
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
      // The claims of the scope `organizations` say which organization this is.
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

  /** The value that a mapping gives; undefined if it gives none. */
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
    // Each group has the organization as a prefix. The claim leaves the prefix out.
    return of(
      asList(value).map((group) => String(group).replace(/^[^:]*:/, '')),
      origins,
    )
  }

  return {
    /** Each scope that mappings use, with the name of the claim. */
    byScope: mappings.map(({ scope, claim }) => [scope, claim] as const),
    /** The scopes in which a mapping reveals something about an organization or its purchases. */
    ofOrganizations: mappings.filter(({ source }) => Object.hasOwn(claimOf, partsOf(source)[0])).map(({ scope }) => scope),
    /**
     * The claims that mappings add for this client and these scopes. The rule of the mapping comes first in their origins. Without a
     * matching mapping nothing is read.
     */
    read: async (db: Db, subject: ClaimsSubject, scopes: readonly string[], known: Found) => {
      const needed = mappings.length === 0 ? [] : wanted(subject.clientId, scopes)
      if (needed.length === 0) return []
      const found = await complete(db, subject, needed, scopes, known)
      const claims: { readonly mapping: Mapping; readonly sourced: SourcedValue }[] = []
      for (const mapping of needed) {
        const sourced = isInOrganization(found, mapping) ? await resolve(db, subject, found, mapping) : undefined
        const origins = [{ rule: mapping.rule, row: mapping.source }, ...(sourced?.origins ?? [])]
        // A mapping that replaces the claim `groups` gives an empty list when it has no value.
        if (sourced !== undefined) claims.push({ mapping, sourced: { value: sourced.value, origins } })
        else if (mapping.claim === 'groups') claims.push({ mapping, sourced: { value: [], origins } })
      }
      return claims
    },
  }
}
