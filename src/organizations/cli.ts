import { z } from 'zod'
import { cursorOf } from '../core/page.ts'
import { parseFlags } from '../core/terminal.ts'
import { plainText } from '../core/wire.ts'
import type { Commands } from '../feature.ts'
import type { OrganizationAdministration } from './administration/service.ts'
import { CreateOrganization } from './contract.ts'
import type { MemberOperator } from './members/operator.ts'
import type { Organizations } from './service.ts'

interface Needs {
  readonly organizations: Organizations
  readonly organizationAdministration: OrganizationAdministration
  readonly members: MemberOperator
}

type Listed = Awaited<ReturnType<OrganizationAdministration['list']>>['rows'][number]

const pageSize = 100
const oldestFirst = { sort: 'createdAt', order: 'asc' } as const
/** The order of a list. The results of a search have another order. */
const asFound = { sort: 'createdAt', order: 'desc' } as const
const ListOrganizations = z
  .object({
    search: plainText(200, 1).optional(),
    limit: z.coerce.number().int().min(1).max(100_000),
    after: z.string().max(2048).optional(),
  })
  .superRefine(({ search, after }, context) => {
    const order = search === undefined ? oldestFirst : asFound
    if (after !== undefined && cursorOf({ ...order, limit: 1, after }).after === undefined)
      context.addIssue({ code: 'custom', path: ['after'], message: 'is not the next of such a list' })
  })
const unverified = z.boolean().default(false)
const AddMember = z.object({ org: plainText(64, 1), user: plainText(320, 1), role: plainText(255, 1), unverified })
const Owner = z.object({ owner: plainText(320, 1).optional(), unverified })
const unverifiedHelp = 'also with an unverified address, which another person may have signed up with'
const DeleteOrganization = z.object({ org: plainText(64, 1), yes: z.boolean().default(false) })

export const organizationCommands: Commands<Needs> = (program, cli) => {
  program
    .command('create-org')
    .inGroup('Organizations')
    .description('Create an organization, with its first team.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--slug <slug>', 'its name in addresses: letters, digits, - and _')
    .option('--owner <email, name or id>', 'user who becomes the owner')
    .option('--unverified', unverifiedHelp)
    .examples(
      "create-org --name 'Acme Inc.' --slug acme",
      "create-org --name 'Acme Inc.' --slug acme --owner ann@example.com --json",
    )
    .action(async (flags: unknown) => {
      const input = parseFlags(CreateOrganization, flags)
      const { owner, unverified: allowsUnverified } = parseFlags(Owner, flags)
      await cli.run(async ({ organizations }, principal) => {
        const { id, name, slug, ownerId, createdAt } = await organizations.createFor(principal, input, owner, allowsUnverified)
        return { json: { id, name, slug, ownerId, createdAt: createdAt.toISOString() } }
      })
    })
  program
    .command('list-orgs')
    .inGroup('Organizations')
    .description('List organizations, oldest first, or the results of a search in order of their names.')
    .option('--search <words>', 'text in the name or the slug')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .examples('list-orgs --search acme', 'list-orgs -o csv --columns slug,members')
    .action(async (flags: unknown) => {
      const { search, limit, after } = parseFlags(ListOrganizations, flags)
      await cli.run(async ({ organizationAdministration }) => {
        const query = search === undefined ? oldestFirst : { ...asFound, search }
        const found: Listed[] = []
        let next: string | null | undefined = after
        do {
          const size = Math.min(pageSize, limit - found.length)
          const page = await organizationAdministration.list({ ...query, limit: size, after: next })
          found.push(...page.rows)
          next = page.next
        } while (next !== null && found.length < limit)
        const rows = found.map(({ id, slug, name, memberCount, createdAt }) => ({
          ...{ id, slug, name, members: memberCount },
          createdAt: createdAt.toISOString(),
        }))
        return { json: rows, rows, next }
      })
    })
  program
    .command('add-member')
    .inGroup('Organizations')
    .description('Make a user a member of an organization, without an invitation.')
    .requiredOption('--org <id or slug>', 'the organization')
    .requiredOption('--user <email, name or id>', 'the user')
    .option('--role <roles>', 'one role, or several with commas', 'member')
    .option('--unverified', unverifiedHelp)
    .examples('add-member --org acme --user ann@example.com', 'add-member --org acme --user ann@example.com --role admin,member')
    .action(async (flags: unknown) => {
      const { org: organization, unverified: allowsUnverified, ...named } = parseFlags(AddMember, flags)
      await cli.run(async ({ members }, principal) => {
        const member = await members.add(principal, { organization, ...named, allowsUnverified })
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
