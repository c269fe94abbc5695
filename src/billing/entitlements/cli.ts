import type { Db } from '../../core/db/database.ts'
import type { Row } from '../../core/output/table.ts'
import { UsageError } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Claim, Claims } from '../../identity/claims/index.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Oidc } from '../../oidc/index.ts'
import type { Memberships, Organizations } from '../../organizations/index.ts'
import { requireOrganization } from '../links/cli.ts'
import type { Links } from '../links/service.ts'
import type { EntitlementService, Explanation } from './service.ts'

export interface ExplainNeeds {
  readonly core: { readonly db: Db }
  readonly users: Users
  readonly organizations?: Organizations
  readonly memberships?: Memberships
  readonly claims: Claims
  readonly oidc: Oidc
  readonly billing: { readonly entitlements: EntitlementService; readonly links: Links }
}

interface Flags {
  readonly user?: string
  readonly org?: string
  readonly client?: string
}

type Source = Explanation['unused'][number] | Explanation['entitlements'][number]['sources'][number]

const sourceRow = ({ kind, id, holder, customerId, linkedBy, delivery }: Source) => ({
  source: `${kind} ${id}`,
  customer: customerId,
  of: holder,
  linkedBy,
  delivery: delivery === null ? '' : `${delivery.eventType} ${delivery.webhookId}`,
  receivedAt: delivery?.receivedAt.toISOString(),
})

const section = (title: string, rows: readonly Row[]) => ({ title, rows })

const entitlementRows = ({ entitlements }: Explanation) =>
  entitlements.flatMap(({ name, value, quantity, asOf, validUntil, sources }) =>
    sources.map((source) => ({
      name,
      value: quantity ?? value,
      asOf: asOf?.toISOString(),
      until: validUntil?.toISOString(),
      rule: source.rule,
      warning: source.warning,
      ...sourceRow(source),
    })),
  )

const unusedRows = ({ unused }: Explanation) => unused.map((source) => ({ because: source.because, ...sourceRow(source) }))

const claimRows = (claims: readonly Claim[]) => claims.map(({ name, value }) => ({ claim: name, value: JSON.stringify(value) }))

/** A row for each rule and purchase that contributes to a claim. */
const originRows = (claims: readonly Claim[]) =>
  claims.flatMap(({ name, feature, origins }) =>
    origins.length === 0 ? [{ claim: name, feature }] : origins.map((origin) => ({ claim: name, feature, ...origin })),
  )

/** The entitlements of an organization, without a user. */
const explainOrganization = async ({ core: { db }, organizations, billing }: ExplainNeeds, idOrSlug: string) => {
  const { id, slug } = await requireOrganization(organizations, idOrSlug)
  const snapshots = await billing.links.snapshotsOf(db, { userId: null, organizationId: id })
  const explanation = await billing.entitlements.explain(db, snapshots)
  const sections = [
    section('Entitlements', entitlementRows(explanation)),
    section('Held, and gives nothing', unusedRows(explanation)),
  ]
  return { json: { organization: { id, slug }, ...explanation }, sections }
}

/** The claims and entitlements of a user, with their sources. */
const explainUser = async (needs: ExplainNeeds, idOrEmail: string, flags: Flags) => {
  const { core, users, organizations, memberships, claims, oidc } = needs
  const { entitlements, links } = needs.billing
  const { db } = core
  const user = await users.require(db, idOrEmail)
  const organization = flags.org === undefined ? undefined : await requireOrganization(organizations, flags.org)
  const owner = { userId: user.id, organizationId: organization?.id ?? null }
  const { client, scopes } = await oidc.clients.scopesOf(flags.client)
  const read = await claims.read(db, { user, organizationId: owner.organizationId, clientId: flags.client }, scopes)
  const registered = client && (await oidc.clients.find(client.clientId))
  const found = registered === undefined ? read : await oidc.subjects.shown(registered, read)
  const own = organization && (await memberships?.claimsOf(db, user.id, organization.id))
  const explanation = await entitlements.explain(db, await links.snapshotsOf(db, owner))
  const claimable = await entitlements.explain(db, await links.claimableSnapshots(db, user.email))
  const json = {
    user: { id: user.id, email: user.email, emailVerified: user.emailVerified },
    organization:
      organization === undefined
        ? null
        : { id: organization.id, slug: organization.slug, isMember: own !== undefined, roles: own?.roles ?? [] },
    client: client ?? null,
    scopes,
    claims: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    claimOrigins: Object.fromEntries(found.map(({ name, feature, scope, origins }) => [name, { feature, scope, origins }])),
    ...explanation,
    seats: own === undefined ? null : explanation.seats,
    held: { plan: claimable.plan, entitlements: claimable.entitlements, unused: claimable.unused },
  }
  const claimableRows = [...entitlementRows(claimable), ...unusedRows(claimable)]
  const outside =
    organization !== undefined && own === undefined ? { text: `${user.email} is not a member of ${organization.slug}` } : {}
  const sections = [
    section('Claims', claimRows(found)),
    section('Where they come from', originRows(found)),
    section('Entitlements', entitlementRows(explanation)),
    section('Held, and gives nothing', unusedRows(explanation)),
    ...(claimableRows.length > 0 ? [section(`Held until ${user.email} is verified`, claimableRows)] : []),
  ]
  return { json, ...outside, sections }
}

export const explainCommands: Commands<ExplainNeeds> = (program, cli) => {
  program
    .command('explain')
    .inGroup('Billing')
    .answersFromConfiguration()
    .description(
      'Show the claims that an application gets about a user, with the source of each: for an entitlement the rule, the purchase, and the delivery that reported it.',
    )
    .option('--user <email, name or id>', 'the user')
    .option('--org <id or slug>', 'the organization they act for; without a user, all that it has')
    .option('--client <client id>', 'the application (default: one that may request every scope)')
    .examples('explain --user ann@example.com --org acme', 'explain --user ann@example.com --client 0193f2c4 --json')
    .action(async (flags: Flags) => {
      const { user, org, client } = flags
      await cli.run(async (needs) => {
        if (user !== undefined) return explainUser(needs, user, flags)
        if (org !== undefined && client === undefined) return explainOrganization(needs, org)
        throw new UsageError('give --user, or --org alone')
      })
    })
}
