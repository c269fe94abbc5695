import type { ClaimOrigin, ClaimsSubject, RegisteredClaimSource, SourcedValue } from '../../core/claims.ts'
import type { Db } from '../../core/db/database.ts'
import { type Mapping, partsOf } from './rules.ts'

/** Data for mappings that no claim contains. */
export interface MoreFacts {
  /** Configured fields of users, and their instance roles; undefined for an unknown user. */
  userOf(db: Db, id: string): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly role: string } | undefined>
  /** The metadata of an organization. */
  metadataOf(db: Db, id: string): Promise<Readonly<Record<string, unknown>>>
}

type Found = ReadonlyMap<string, SourcedValue>

/** The claim with the value of a source, and the scope of that claim. */
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

  /** The mappings for a client with these scopes. */
  const wanted = (clientId: string | undefined, scopes: readonly string[]) =>
    mappings.filter(
      ({ scope, clients }) =>
        scopes.includes(scope) && (clients === undefined || (clientId !== undefined && clients.includes(clientId))),
    )

  /** The claims of further scopes that mappings read, each once: those of requested scopes exist already. */
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
      // The scope with the organization's id tells which organization it is.
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

  /** The value of a mapping; undefined without one. */
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
    // Without the prefix of the organization.
    return of(
      asList(value).map((group) => String(group).replace(/^[^:]*:/, '')),
      origins,
    )
  }

  return {
    /** Names of claims by scope. */
    byScope: mappings.map(({ scope, claim }) => [scope, claim] as const),
    /** The scopes by which a mapping tells about an organization or its purchases. */
    ofOrganizations: mappings.filter(({ source }) => Object.hasOwn(claimOf, partsOf(source)[0])).map(({ scope }) => scope),
    /** The claims of these scopes for this client, with their rule before other origins; reads nothing without a mapping. */
    read: async (db: Db, subject: ClaimsSubject, scopes: readonly string[], known: Found) => {
      const needed = mappings.length === 0 ? [] : wanted(subject.clientId, scopes)
      if (needed.length === 0) return []
      const found = await complete(db, subject, needed, scopes, known)
      const claims: { readonly mapping: Mapping; readonly sourced: SourcedValue }[] = []
      for (const mapping of needed) {
        const sourced = isInOrganization(found, mapping) ? await resolve(db, subject, found, mapping) : undefined
        const origins = [{ rule: mapping.rule, row: mapping.source }, ...(sourced?.origins ?? [])]
        // A mapping that replaces a list of groups makes an empty list if it has no value.
        if (sourced !== undefined) claims.push({ mapping, sourced: { value: sourced.value, origins } })
        else if (mapping.claim === 'groups') claims.push({ mapping, sourced: { value: [], origins } })
      }
      return claims
    },
  }
}
