import type { Row } from '../core/output/table.ts'
import { UsageError } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Organizations } from '../organizations/index.ts'
import type { ClaimExplanation, EntitlementExplanation } from './contract.ts'
import type { ClaimExplanations } from './service.ts'

interface Needs {
  readonly organizations?: Organizations
  readonly claimExplanations: ClaimExplanations
}

interface Flags {
  readonly user?: string
  readonly org?: string
  readonly client?: string
}

type Bought = Pick<EntitlementExplanation, 'entitlements' | 'unused'>
type Source = Bought['unused'][number] | Bought['entitlements'][number]['sources'][number]

const sourceRow = ({ kind, id, holder, customerId, linkedBy, delivery }: Source) => ({
  source: `${kind} ${id}`,
  customer: customerId,
  of: holder,
  linkedBy,
  delivery: delivery === null ? '' : `${delivery.eventType} ${delivery.webhookId}`,
  receivedAt: delivery?.receivedAt.toISOString(),
})

const section = (title: string, rows: readonly Row[]) => ({ title, rows })

const entitlementRows = ({ entitlements }: Bought) =>
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

const unusedRows = ({ unused }: Bought) => unused.map((source) => ({ because: source.because, ...sourceRow(source) }))

const claimRows = ({ claims }: ClaimExplanation) =>
  Object.entries(claims).map(([claim, value]) => ({ claim, value: JSON.stringify(value) }))

/** Makes the rows of the output. There is one for each pair of a rule and a database row that contributes to a claim. */
const originRows = ({ claimOrigins }: ClaimExplanation) =>
  Object.entries(claimOrigins).flatMap(([claim, { feature, origins }]) =>
    origins.length === 0 ? [{ claim, feature }] : origins.map((origin) => ({ claim, feature, ...origin })),
  )

const boughtSections = (bought: Bought) => [
  section('Entitlements', entitlementRows(bought)),
  section('Held, and gives nothing', unusedRows(bought)),
]

const ofUser = (explanation: ClaimExplanation) => {
  const { user, organization, held } = explanation
  const claimableRows = [...entitlementRows(held), ...unusedRows(held)]
  const isOutside = organization?.isMember === false
  return {
    json: explanation,
    ...(isOutside ? { text: `${user.email} is not a member of ${organization.slug}` } : {}),
    sections: [
      section('Claims', claimRows(explanation)),
      section('Where they come from', originRows(explanation)),
      ...boughtSections(explanation),
      ...(claimableRows.length > 0 ? [section(`Held until ${user.email} is verified`, claimableRows)] : []),
    ],
  }
}

export const claimExplanationCommands: Commands<Needs> = (program, cli) => {
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
    .action(async ({ user, org, client }: Flags) => {
      await cli.run(async ({ claimExplanations, organizations }, principal) => {
        if (org !== undefined && organizations === undefined) throw new UsageError('--org: this instance has no organizations')
        if (user !== undefined) return ofUser(await claimExplanations.ofUser(principal, { user, organization: org, client }))
        if (org === undefined || client !== undefined) throw new UsageError('give --user, or --org alone')
        const explanation = await claimExplanations.ofOrganization(principal, org)
        return { json: explanation, sections: boughtSections(explanation) }
      })
    })
}
