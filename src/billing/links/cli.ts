import type { Db } from '../../core/db/database.ts'
import { UsageError } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Organizations } from '../../organizations/index.ts'
import type { Links } from './service.ts'

export interface LinkNeeds {
  readonly core: { readonly db: Db }
  readonly users: Users
  readonly organizations?: Organizations
  readonly billing: { readonly links: Pick<Links, 'link'> }
}

interface Flags {
  readonly user?: string
  readonly org?: string
}

/** The organization that an option names. Throws `UsageError` in an instance without organizations, and ORGANIZATION_NOT_FOUND. */
export const requireOrganization = async (organizations: Organizations | undefined, idOrSlug: string) => {
  if (organizations === undefined) throw new UsageError('--org: this instance has no organizations')
  return organizations.require(idOrSlug)
}

export const linkCommands: Commands<LinkNeeds> = (program, cli) => {
  program
    .command('link-customer')
    .inGroup('Billing')
    .description('Set the owner of a billing customer, regardless of external id and address.')
    .argument('<customer>', "the customer's id on the billing platform")
    .option('--user <email, name or id>', 'the user it is')
    .option('--org <id or slug>', 'the organization it is')
    .examples('link-customer 0193f2c4 --user ann@example.com', 'link-customer 0193f2c4 --org acme')
    .action(async (customerId: string, { user, org }: Flags) => {
      if ((user === undefined) === (org === undefined)) throw new UsageError('give --user or --org, one of them')
      await cli.run(async ({ core: { db }, users, organizations, billing }, principal) => {
        const owner =
          user === undefined
            ? { userId: null, organizationId: (await requireOrganization(organizations, org ?? '')).id }
            : { userId: (await users.require(db, user)).id, organizationId: null }
        const { linkedBy, linkedAt } = await billing.links.link(principal, customerId, owner)
        return { json: { customerId, ...owner, linkedBy, linkedAt: linkedAt?.toISOString() } }
      })
    })
}
