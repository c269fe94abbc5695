import { z } from 'zod'
import { anyState } from '../../core/etag.ts'
import { parseFlags, UsageError } from '../../core/terminal.ts'
import { nameInput, plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import type { ManagedUsers } from '../../identity/users/index.ts'
import { Slug } from '../contract.ts'
import { allInvitationsList, ListedInvitation } from '../invitations/contract.ts'
import { joinTeams } from '../invitations/rules.ts'
import type { Invitations } from '../invitations/service.ts'
import type { Organizations } from '../service.ts'
import { AdministeredOrganization, memberList } from './contract.ts'
import type { OrganizationAdministration } from './service.ts'

interface Needs {
  readonly organizations: Pick<Organizations, 'require' | 'updateById'>
  readonly organizationAdministration: OrganizationAdministration
  readonly invitations: Pick<Invitations, 'linkOf'>
  readonly managedUsers: Pick<ManagedUsers, 'require'>
}

const org = plainText(64, 1)
const UpdateOrganization = z.object({
  org,
  name: nameInput.optional(),
  slug: Slug.optional(),
  secondFactor: z.enum(['required', 'optional']).optional(),
})
const ListInvitations = z.object({ org: org.optional(), invitedBy: plainText(320, 1).optional() })

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
    .command('update-org')
    .inGroup('Organizations')
    .description('Change name or slug of an organization, or require a second factor of its members.')
    .requiredOption('--org <id or slug>', 'the organization')
    .option('--name <name>', 'name that others see')
    .option('--slug <slug>', 'short name in addresses and claims')
    .choice('--second-factor <rule>', 'whether members need one to act for the organization', ['required', 'optional'])
    .examples("update-org --org acme --name 'Acme Inc.'", 'update-org --org acme --second-factor required')
    .action(async (flags: unknown) => {
      const { org: named, secondFactor, ...rest } = parseFlags(UpdateOrganization, flags)
      const changes = {
        ...rest,
        ...(secondFactor === undefined ? {} : { requiresSecondFactor: secondFactor === 'required' }),
      }
      if (Object.keys(changes).length === 0) throw new UsageError('give --name, --slug or --second-factor, one of them at least')
      await cli.run(async ({ organizations, organizationAdministration }, principal) => {
        const { id } = await organizations.require(named)
        await organizations.updateById(principal, id, changes, anyState)
        return { json: z.encode(AdministeredOrganization, await organizationAdministration.get(id)) }
      })
    })
  program
    .command('list-members')
    .inGroup('Organizations')
    .description('List the members of an organization, newest first, page by page.')
    .examples('list-members --org acme', 'list-members --org acme --role owner --json')
    .requiredOption('--org <id or slug>', 'the organization')
    .option('--role <role>', 'members with this role')
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
  program
    .command('list-invitations')
    .inGroup('Organizations')
    .description('List the invitations of all organizations, newest first, page by page. Open invitations come with their link.')
    .option('--org <id or slug>', 'invitations of one organization')
    .option('--email <address>', 'invitations to one address')
    .choice('--status <status>', 'invitations with this status', ListedInvitation.shape.status.options)
    .option('--invited-by <email, name or id>', 'invitations sent by one user')
    .option('--order <order>', 'asc or desc', 'desc')
    .option('--limit <number>', 'how many at most', '50')
    .option('--after <next>', 'the page behind another')
    .watchable()
    .examples('list-invitations --status expired', 'list-invitations --org acme --email ben@example.com --json')
    .action(async (flags: unknown) => {
      const { org: ofOrganization, invitedBy } = parseFlags(ListInvitations, flags)
      const query = parseFlags(allInvitationsList.query, flags)
      await cli.run(async ({ organizations, organizationAdministration, invitations, managedUsers }, principal) => {
        const organizationId = ofOrganization && (await organizations.require(ofOrganization)).id
        const inviterId = invitedBy && (await managedUsers.require(invitedBy)).id
        const page = await organizationAdministration.listAllInvitations(principal, { ...query, organizationId, inviterId })
        const json = page.rows.map((invitation) => ({
          ...z.encode(ListedInvitation, { ...invitation, teamId: joinTeams(invitation.teamIds) }),
          url: invitation.status === 'pending' ? invitations.linkOf(invitation) : null,
        }))
        const rows = json.map(({ id, email, organizationSlug, role, status, inviter, createdAt, expiresAt }) => ({
          ...{ id, email, organization: organizationSlug, role, status },
          ...{ invitedBy: inviter?.email ?? null, createdAt, expiresAt },
        }))
        return { json, rows, next: page.next }
      })
    })
}
