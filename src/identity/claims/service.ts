import type { ClaimOrigin, ClaimsSubject, RegisteredClaimSource } from '../../core/claims.ts'
import type { Db } from '../../core/db/database.ts'
import { createMappings, type MoreFacts } from './mappings.ts'
import type { Mapping } from './rules.ts'

/** A claim, with the feature, the scope and the database rows that it comes from. */
export interface Claim {
  readonly name: string
  readonly value: unknown
  readonly feature: string
  readonly scope: string
  readonly origins: readonly ClaimOrigin[]
}

/**
 * Reads the claims about a user, the user's organization and their purchases. All sources of claims are read here. Each protocol chooses
 * claims by scope.
 */
export interface Claims {
  /** For each scope, the claims that it may contain, in the order of the features. */
  readonly byScope: ReadonlyMap<string, readonly string[]>
  /** The current claims of these scopes about the subject. The source of each scope is read once. */
  read(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<readonly Claim[]>
  /** The scopes to which the configuration adds claims about the organization or its purchases. */
  readonly mappedOfOrganizations: readonly string[]
  /** The scopes whose claims can also be read for an organization alone, without a user. */
  readonly ofOrganizations: readonly string[]
  /** The claims of these scopes about an organization, without a user. Returns values by the name of the claim. */
  valuesOfOrganization(db: Db, organizationId: string, scopes: readonly string[]): Promise<Readonly<Record<string, unknown>>>
  /** The claims of these scopes. Returns values by the name of the claim, because protocols need this form. */
  values(db: Db, subject: ClaimsSubject, scopes: readonly string[]): Promise<Readonly<Record<string, unknown>>>
}

/** Throws if two sources have the same scope or the same claim, because a token can contain a claim only once. */
export const createClaims = (
  sources: readonly RegisteredClaimSource[],
  mapped: readonly Mapping[] = [],
  more: MoreFacts = { userOf: async () => undefined, metadataOf: async () => ({}) },
): Claims => {
  const names = sources.flatMap(({ scope, claims }) => [`scope ${scope}`, ...claims.map((claim) => `claim ${claim}`)])
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`two claim sources give the ${twice}`)
  const mappings = createMappings(mapped, sources, more)
  const read: Claims['read'] = async (db, subject, scopes) => {
    const requested = sources.filter(({ scope }) => scopes.includes(scope))
    const found = await Promise.all(
      requested.map(async ({ feature, scope, claims, claimsOf }) =>
        Object.entries(await claimsOf(db, subject, scopes))
          .filter(([name]) => claims.includes(name))
          .map(([name, sourced]) => ({ name, ...sourced, feature, scope })),
      ),
    )
    const claims = found.flat()
    const own = await mappings.read(db, subject, scopes, new Map(claims.map(({ name, ...claim }) => [name, claim])))
    if (own.length === 0) return claims
    const replaced = new Set(own.map(({ mapping }) => mapping.claim))
    return [
      ...claims.filter(({ name }) => !replaced.has(name)),
      ...own.map(({ mapping, sourced }) => ({ name: mapping.claim, ...sourced, feature: 'claims', scope: mapping.scope })),
    ]
  }
  return {
    byScope: new Map(
      sources.map(({ scope, claims }) => [
        scope,
        [...new Set([...claims, ...mappings.byScope.flatMap(([of, claim]) => (of === scope ? [claim] : []))])],
      ]),
    ),
    read,
    mappedOfOrganizations: mappings.ofOrganizations,
    ofOrganizations: sources.flatMap(({ scope, ofOrganization }) => (ofOrganization === undefined ? [] : scope)),
    valuesOfOrganization: async (db, organizationId, scopes) => {
      const asked = sources.filter(({ scope }) => scopes.includes(scope))
      const found = await Promise.all(asked.map((source) => source.ofOrganization?.(db, organizationId)))
      return Object.fromEntries(found.flatMap((of) => Object.entries(of ?? {}).map(([name, { value }]) => [name, value])))
    },
    values: async (...of) => Object.fromEntries((await read(...of)).map(({ name, value }) => [name, value])),
  }
}
