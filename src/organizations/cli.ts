import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import { CreateOrganization } from './contract.ts'
import type { Organizations } from './service.ts'

export const organizationCommands: Commands<{ readonly organizations: Organizations }> = (program, cli) => {
  program
    .command('create-org')
    .description('Create an organization.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--slug <slug>', 'its name in addresses: letters, digits, - and _')
    .option('--owner <email or id>', 'user who becomes its owner')
    .action(async (flags: { readonly owner?: string }) => {
      const input = parseFlags(CreateOrganization, flags)
      await cli.run(async ({ organizations }, caller) => {
        const { id, name, slug, ownerId, createdAt } = await organizations.createFor(caller, input, flags.owner)
        return { json: { id, name, slug, ownerId, createdAt: createdAt.toISOString() } }
      })
    })
}
