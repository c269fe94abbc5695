import { z } from 'zod'
import { emailFlag, parseFlags } from '../../core/terminal.ts'
import { plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import { joinTeams } from './rules.ts'
import type { Invitations } from './service.ts'

const Flags = z.object({
  org: plainText(64, 1),
  email: emailFlag,
  role: plainText(255, 1),
  team: z.array(plainText(200, 1)).max(20),
  resend: z.boolean().optional(),
})

export const invitationCommands: Commands<{ readonly invitations: Invitations }> = (program, cli) => {
  program
    .command('invite-member')
    .inGroup('Organizations')
    .description(
      'Invite a person to an organization by mail, and print the link of the invitation. An organization without an owner gets one with --role owner.',
    )
    .requiredOption('--org <id or slug>', 'the organization')
    .requiredOption('--email <address>', 'whom to invite')
    .option('--role <role>', 'role of the new member; several with commas', 'member')
    .option('--team <id or name>', 'a team they join; can be repeated', (team: string, before: string[]) => [...before, team], [])
    .option('--resend', 'send an invitation that waits once more, and renew it')
    .examples(
      'invite-member --org acme --email ben@example.com',
      'invite-member --org acme --email ben@example.com --role owner --resend',
    )
    .action(async (given: unknown) => {
      const { org, team, ...flags } = parseFlags(Flags, given)
      await cli.run(async ({ invitations }, principal) => {
        const invited = await invitations.invite(principal, { ...flags, organizationId: org, teamId: team })
        const { id, organizationId, email, role, status, teamIds } = invited
        const times = { expiresAt: invited.expiresAt.toISOString(), createdAt: invited.createdAt.toISOString() }
        const url = invitations.linkOf(invited)
        return {
          json: { id, organizationId, email, role, status, teamId: joinTeams(teamIds), ...times, url },
          done: `${email} is invited. The link is in: ${cli.remedies().listInvitations()}`,
        }
      })
    })
}
