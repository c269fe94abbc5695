import { z } from 'zod'
import { parseFlags } from '../core/terminal.ts'
import { plainText } from '../core/wire.ts'
import type { Commands } from '../feature.ts'
import { CreateOrganization, paged } from './contract.ts'
import type { MemberOperator } from './members/operator.ts'
import type { Organizations } from './service.ts'

interface Needs {
  readonly organizations: Organizations
  readonly members: MemberOperator
}

const ListOrganizations = z.object({ search: plainText(200, 1).optional(), ...paged })
const AddMember = z.object({ org: plainText(64, 1), user: plainText(320, 1), role: plainText(255, 1) })
const DeleteOrganization = z.object({ org: plainText(64, 1), yes: z.boolean().default(false) })

export const organizationCommands: Commands<Needs> = (program, cli) => {
  program
    .command('create-org')
    .inGroup('Organizations')
    .description('Create an organization, with its first team.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--slug <slug>', 'its name in addresses: letters, digits, - and _')
    .option('--owner <email or id>', 'user who becomes its owner')
    .examples(
      "create-org --name 'Acme Inc.' --slug acme",
      "create-org --name 'Acme Inc.' --slug acme --owner ann@example.com --json",
    )
    .action(async (flags: { readonly owner?: string }) => {
      const input = parseFlags(CreateOrganization, flags)
      await cli.run(async ({ organizations }, principal) => {
        const { id, name, slug, ownerId, createdAt } = await organizations.createFor(principal, input, flags.owner)
        return { json: { id, name, slug, ownerId, createdAt: createdAt.toISOString() } }
      })
    })
  program
    .command('list-orgs')
    .inGroup('Organizations')
    .description('List organizations, oldest first.')
    .option('--search <text>', 'part of name or slug')
    .option('--limit <number>', 'how many at most', '100')
    .option('--offset <number>', 'how many to pass over', '0')
    .examples('list-orgs --search acme', 'list-orgs -o csv --columns slug,members')
    .action(async (flags: unknown) => {
      const { search, ...page } = parseFlags(ListOrganizations, flags)
      await cli.run(async ({ organizations }) => {
        const rows = (await organizations.list(search, page)).map(({ id, slug, name, memberCount, createdAt }) => ({
          ...{ id, slug, name, members: memberCount },
          createdAt: createdAt.toISOString(),
        }))
        return { json: rows, rows }
      })
    })
  program
    .command('add-member')
    .inGroup('Organizations')
    .description('Make a user a member of an organization, without an invitation.')
    .requiredOption('--org <id or slug>', 'the organization')
    .requiredOption('--user <email or id>', 'the user')
    .option('--role <roles>', 'one role, or several with commas', 'member')
    .examples('add-member --org acme --user ann@example.com', 'add-member --org acme --user ann@example.com --role admin,member')
    .action(async (flags: unknown) => {
      const { org, user, role } = parseFlags(AddMember, flags)
      await cli.run(async ({ members }, principal) => {
        const member = await members.add(principal, { organization: org, user, role })
        return { json: { ...member, createdAt: member.createdAt.toISOString() } }
      })
    })
  program
    .command('delete-org')
    .inGroup('Organizations')
    .description('Delete an organization with its members, invitations and teams.')
    .requiredOption('--org <id or slug>', 'the organization')
    .option('--yes', 'do not ask')
    .examples('delete-org --org acme', 'delete-org --org acme --yes --json')
    .action(async (flags: unknown) => {
      const { org, yes } = parseFlags(DeleteOrganization, flags)
      await cli.run(async ({ organizations }, principal) => {
        const { id, slug, memberCount } = await organizations.require(org)
        await cli.confirm(yes, `This deletes ${slug}, with ${memberCount} members, for good.`, slug)
        await organizations.removeById(principal, id)
        return { json: { id, slug }, text: `Deleted: ${slug}` }
      })
    })
}
