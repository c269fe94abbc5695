import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { Linking } from './service.ts'

export interface LinkingNeeds {
  readonly billing: { readonly linking: Pick<Linking, 'link'> }
}

const Holder = z
  .object({ user: z.string().optional(), organization: z.string().optional() })
  .refine(({ user, organization }) => (user === undefined) !== (organization === undefined), {
    path: ['user'],
    message: 'give --user or --organization, one of them',
  })

export const linkingCommands: Commands<LinkingNeeds> = (program, cli) => {
  program
    .command('link-customer')
    .description('Say whose a customer of the billing platform is, whatever external id and address say.')
    .argument('<customer>', "the customer's id on the billing platform")
    .option('--user <id>', 'the user it is')
    .option('--organization <id>', 'the organization it is')
    .action(async (customerId: string, flags: unknown) => {
      const { user, organization = '' } = parseFlags(Holder, flags)
      await cli.run(async ({ billing }, caller) => {
        const holder =
          user === undefined ? { userId: null, organizationId: organization } : { userId: user, organizationId: null }
        const { linkedBy, linkedAt } = await billing.linking.link(caller, customerId, holder)
        return { json: { customerId, ...holder, linkedBy, linkedAt: linkedAt.toISOString() } }
      })
    })
}
