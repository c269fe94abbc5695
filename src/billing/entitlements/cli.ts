import type { Db } from '../../core/database.ts'
import { formatTable, UsageError } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Oidc } from '../../oidc/index.ts'
import type { Memberships, Organizations } from '../../organizations/index.ts'
import type { Users } from '../../users/index.ts'
import type { Linking } from '../linking/service.ts'
import type { EntitlementService, Explanation } from './service.ts'

export interface ExplainNeeds {
  readonly core: { readonly db: Db }
  readonly users: Users
  readonly organizations: Organizations
  readonly memberships: Memberships
  readonly oidc: Oidc
  readonly billing: { readonly entitlements: EntitlementService; readonly linking: Linking }
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

const section = (title: string, rows: readonly Readonly<Record<string, unknown>>[]) =>
  `${title}\n${formatTable(rows)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}`

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

const claimRows = (claims: Readonly<Record<string, unknown>>) =>
  Object.entries(claims).map(([claim, value]) => ({ claim, value: JSON.stringify(value) }))

/** All that an organization has, whoever acts for it. */
const explainOrganization = async ({ core: { db }, organizations, billing }: ExplainNeeds, idOrSlug: string) => {
  const { id, slug } = await organizations.require(idOrSlug)
  const standings = await billing.linking.standingsOf(db, { userId: null, organizationId: id })
  const explanation = await billing.entitlements.explain(db, standings)
  const text = [
    section('Entitlements', entitlementRows(explanation)),
    section('Held, and gives nothing', unusedRows(explanation)),
  ]
  return { json: { organization: { id, slug }, ...explanation }, text: text.join('\n\n') }
}

/** All that an application learns of a user, and why. */
const explainUser = async (needs: ExplainNeeds, idOrEmail: string, flags: Flags) => {
  const { core, users, organizations, memberships, oidc } = needs
  const { entitlements, linking } = needs.billing
  const { db } = core
  const user = await users.require(db, idOrEmail)
  const organization = flags.org === undefined ? undefined : await organizations.require(flags.org)
  const holder = { userId: user.id, organizationId: organization?.id ?? null }
  const { client, scopes, claims } = await oidc.explain(user, holder.organizationId, flags.client)
  const own = organization === undefined ? undefined : await memberships.claimsOf(db, user.id, organization.id)
  const explanation = await entitlements.explain(db, await linking.standingsOf(db, holder))
  const held = await entitlements.explain(db, await linking.heldStandings(db, user.email))
  const json = {
    user: { id: user.id, email: user.email, emailVerified: user.emailVerified },
    organization:
      organization === undefined
        ? null
        : { id: organization.id, slug: organization.slug, isMember: own !== undefined, roles: own?.roles ?? [] },
    client: client ?? null,
    scopes,
    claims,
    ...explanation,
    seats: own === undefined ? null : explanation.seats,
    held: { plan: held.plan, entitlements: held.entitlements, unused: held.unused },
  }
  const heldRows = [...entitlementRows(held), ...unusedRows(held)]
  const text = [
    ...(organization !== undefined && own === undefined ? [`${user.email} is not a member of ${organization.slug}`] : []),
    section('Claims', claimRows(claims)),
    section('Entitlements', entitlementRows(explanation)),
    section('Held, and gives nothing', unusedRows(explanation)),
    ...(heldRows.length > 0 ? [section(`Held until ${user.email} is verified`, heldRows)] : []),
  ]
  return { json, text: text.join('\n\n') }
}

export const explainCommands: Commands<ExplainNeeds> = (program, cli) => {
  program
    .command('explain')
    .description(
      'Say which claims an application gets about a user, and for each entitlement of a user or an organization the rule, what gives it, and the delivery that told it.',
    )
    .option('--user <email or id>', 'the user')
    .option('--org <id or slug>', 'the organization they act for; without a user, all that it has')
    .option('--client <client id>', 'the application; without it one that may ask for everything')
    .action(async (flags: Flags) => {
      const { user, org, client } = flags
      await cli.run(async (needs) => {
        if (user !== undefined) return explainUser(needs, user, flags)
        if (org !== undefined && client === undefined) return explainOrganization(needs, org)
        throw new UsageError('give --user, or --org alone')
      })
    })
}
