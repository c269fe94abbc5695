import type { Db } from '../../core/database.ts'
import { UsageError } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Organizations } from '../../organizations/index.ts'
import type { Users } from '../../users/index.ts'
import type { Linking } from './service.ts'

export interface LinkingNeeds {
  readonly core: { readonly db: Db }
  readonly users: Users
  readonly organizations: Organizations
  readonly billing: { readonly linking: Pick<Linking, 'link'> }
}

interface Flags {
  readonly user?: string
  readonly org?: string
}

export const linkingCommands: Commands<LinkingNeeds> = (program, cli) => {
  program
    .command('link-customer')
    .description('Say whose a customer of the billing platform is, whatever external id and address say.')
    .argument('<customer>', "the customer's id on the billing platform")
    .option('--user <email or id>', 'the user it is')
    .option('--org <id or slug>', 'the organization it is')
    .action(async (customerId: string, { user, org }: Flags) => {
      if ((user === undefined) === (org === undefined)) throw new UsageError('give --user or --org, one of them')
      await cli.run(async ({ core: { db }, users, organizations, billing }, caller) => {
        const holder =
          user === undefined
            ? { userId: null, organizationId: (await organizations.require(org ?? '')).id }
            : { userId: (await users.require(db, user)).id, organizationId: null }
        const { linkedBy, linkedAt } = await billing.linking.link(caller, customerId, holder)
        return { json: { customerId, ...holder, linkedBy, linkedAt: linkedAt.toISOString() } }
      })
    })
}
