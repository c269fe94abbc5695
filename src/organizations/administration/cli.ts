import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import { plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import type { Organizations } from '../service.ts'
import { AdministeredOrganization, memberList } from './contract.ts'
import type { OrganizationAdministration } from './service.ts'

interface Needs {
  readonly organizations: Pick<Organizations, 'require'>
  readonly organizationAdministration: OrganizationAdministration
}

const org = plainText(64, 1)

export const organizationAdministrationCommands: Commands<Needs> = (program, cli) => {
  program
    .command('get-org')
    .inGroup('Organizations')
    .description('Show an organization.')
    .examples('get-org --org acme', 'get-org --org acme --json')
    .requiredOption('--org <id or slug>', 'the organization')
    .action(async (flags: unknown) => {
      const named = parseFlags(z.object({ org }), flags)
      await cli.run(async ({ organizations, organizationAdministration }) => {
        const { id } = await organizations.require(named.org)
        return { json: z.encode(AdministeredOrganization, await organizationAdministration.get(id)) }
      })
    })
  program
    .command('list-members')
    .inGroup('Organizations')
    .description('List the members of an organization, newest first, page by page.')
    .examples('list-members --org acme', 'list-members --org acme --role owner --json')
    .requiredOption('--org <id or slug>', 'the organization')
    .option('--role <role>', 'those with this role')
    .option('--order <order>', 'asc or desc', 'desc')
    .option('--limit <number>', 'how many at most', '50')
    .option('--after <next>', 'the page behind another')
    .action(async (flags: unknown) => {
      const { org: named } = parseFlags(z.object({ org }), flags)
      const query = parseFlags(memberList.query, flags)
      await cli.run(async ({ organizations, organizationAdministration }) => {
        const { id } = await organizations.require(named)
        const { rows, next } = await organizationAdministration.listMembers(id, query)
        const shown = rows.map(({ user, ...member }) => ({
          ...{ id: member.id, userId: member.userId, name: user.name, email: user.email, role: member.role },
          createdAt: member.createdAt.toISOString(),
        }))
        return { json: shown, rows: shown, next }
      })
    })
}
