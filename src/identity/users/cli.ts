import { z } from 'zod'
import { isBanned } from '../../access/ban.ts'
import type { Clock } from '../../core/clock.ts'
import { anyState } from '../../core/etag.ts'
import { blamingFlag, emailFlag, parseFlags, UsageError } from '../../core/terminal.ts'
import { nameInput, plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import type { UserAdministration } from './administration/service.ts'
import { AdministeredUser, userList } from './contract.ts'
import type { ManagedUsers } from './managed.ts'
import type { User } from './service.ts'

interface Needs {
  readonly administration: UserAdministration
  readonly managedUsers: ManagedUsers
  readonly core: { readonly clock: Clock }
}

const ListUsers = userList.query
const GetUser = z.object({ user: plainText(320, 1) })

export const userCommands: Commands<Needs> = (program, cli) => {
  program
    .command('list-users')
    .inGroup('People')
    .description('List users, newest first, page by page. A page of a filtered list may be short and still go on.')
    .examples('list-users --search ada', 'list-users --role support --json', 'list-users --second-factor overdue')
    .option('--search <words>', 'text in the name, the address or the user name')
    .option('--role <role>', 'users with this role')
    .option('--banned <true or false>', 'users who are banned, or are not')
    .choice('--second-factor <state>', 'users who have one, have to add one, or are late', ['on', 'required', 'overdue'])
    .option('--verified <true or false>', 'users whose address is verified, or is not')
    .option('--created-since <time>', 'created at this time or later (ISO 8601)')
    .option('--created-until <time>', 'created before this time')
    .option('--sort <column>', 'createdAt, name or email', 'createdAt')
    .option('--order <order>', 'asc or desc', 'desc')
    .option('--limit <number>', 'how many at most', '50')
    .option('--after <next>', 'the page behind another')
    .action(async (flags: unknown) => {
      const query = parseFlags(ListUsers, flags)
      await cli.run(async ({ administration }) => {
        const { users, next } = await administration.list(query)
        const rows = users.map(({ id, name, email, emailVerified, role, banned, secondFactor, createdAt }) => ({
          ...{ id, name, email, emailVerified, role, banned, secondFactor, createdAt: createdAt.toISOString() },
        }))
        return { json: users.map((user) => z.encode(AdministeredUser, user)), rows, next }
      })
    })
  program
    .command('get-user')
    .inGroup('People')
    .description('Show a user.')
    .examples('get-user --user ada@example.com', 'get-user --user ada@example.com --json')
    .requiredOption('--user <email, name or id>', 'the user')
    .action(async (flags: unknown) => {
      const { user: named } = parseFlags(GetUser, flags)
      await cli.run(async ({ managedUsers }) => ({
        json: z.encode(AdministeredUser, await managedUsers.require(named)),
      }))
    })
}

const durations = { m: 60, h: 3600, d: 86_400 } as const

const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, 'must be a number with m, h or d, such as 12h')
  .transform((text) => Number(text.slice(0, -1)) * durations[text.slice(-1) as keyof typeof durations])

const Ban = z.object({ user: z.string(), for: duration.optional() })

interface UserFlag {
  readonly user: string
}

const shown = (user: User, now: Date) => ({
  ...{ id: user.id, email: user.email, name: user.name, role: user.role },
  banned: isBanned(user, now),
  banReason: user.banReason,
  banExpires: user.banExpiresAt?.toISOString() ?? null,
})

const named = 'email, name or id'

const UpdateUser = z.object({
  user: plainText(320, 1),
  name: nameInput.optional(),
  email: emailFlag.optional(),
  verified: z.literal(true).optional(),
})

const updateCommand: Commands<Needs> = (program, cli) => {
  program
    .command('update-user')
    .inGroup('People')
    .description(
      'Change name or address of a user, or say that the address is theirs. Another address is not verified by itself.',
    )
    .requiredOption(`--user <${named}>`, 'the user')
    .option('--name <name>', 'name that others see')
    .option('--email <address>', 'another address')
    .option('--verified', 'take the address as verified')
    .examples(
      "update-user --user ann@example.com --name 'Ann Example'",
      'update-user --user ann@example.com --email ann@example.org --verified',
    )
    .action(async (flags: unknown) => {
      const { user: whom, name, email, verified: emailVerified } = parseFlags(UpdateUser, flags)
      const changes = { ...(name && { name }), ...(email && { email }), ...(emailVerified && { emailVerified }) }
      if (Object.keys(changes).length === 0) throw new UsageError('give --name, --email or --verified, one of them at least')
      await cli.run(async ({ administration, managedUsers }, principal) => {
        const { id } = await managedUsers.require(whom)
        return { json: z.encode(AdministeredUser, await administration.update(principal, id, changes, anyState)) }
      })
    })
}

export const userActionCommands: Commands<Needs> = (program, cli) => {
  updateCommand(program, cli)
  program
    .command('set-role')
    .inGroup('People')
    .description('Replace the roles of a user on the instance.')
    .requiredOption(`--user <${named}>`, 'the user')
    .requiredOption('--role <roles>', 'admin, auditor, support, user or one of access.roles; several with commas')
    .examples('set-role --user ann@example.com --role support', 'set-role --user ann@example.com --role user')
    .action(async ({ user: whom, role }: UserFlag & { readonly role: string }) => {
      await cli.run(async ({ administration, core }, principal) => {
        const user = await blamingFlag('--role', 'ROLE_IS_NOT_KNOWN', () => administration.setRole(principal, whom, role))
        return { json: shown(user, core.clock.now()), text: `${user.email} has the role ${user.role}.` }
      })
    })

  program
    .command('ban-user')
    .inGroup('People')
    .description('Ban a user: sessions and tokens end at once, and the user cannot sign in. The user is not told the reason.')
    .requiredOption(`--user <${named}>`, 'the user')
    .option('--for <time>', 'until when: 30m, 12h or 7d; without it until unban-user')
    .examples("ban-user --user ann@example.com --reason 'chargebacks'", 'ban-user --user ann@example.com --for 7d')
    .action(async (flags: UserFlag) => {
      const { user: whom, for: seconds } = parseFlags(Ban, flags)
      await cli.run(async ({ administration, core }, principal) => {
        const user = await administration.ban(principal, whom, undefined, seconds)
        const end = user.banExpiresAt === null ? 'until unban-user' : `until ${user.banExpiresAt.toISOString()}`
        return { json: shown(user, core.clock.now()), text: `${user.email} is banned ${end}.` }
      })
    })

  program
    .command('unban-user')
    .inGroup('People')
    .description('Lift the ban of a user.')
    .requiredOption(`--user <${named}>`, 'the user')
    .examples('unban-user --user ann@example.com', 'unban-user --user ann@example.com --json')
    .action(async ({ user: whom }: UserFlag) => {
      await cli.run(async ({ administration, core }, principal) => {
        const user = await administration.unban(principal, whom)
        return { json: shown(user, core.clock.now()), text: `${user.email} is not banned.` }
      })
    })

  program
    .command('delete-user')
    .inGroup('People')
    .description('Delete a user with all that belongs to them. Cannot be undone.')
    .requiredOption(`--user <${named}>`, 'the user')
    .option('--yes', 'do not ask')
    .examples('delete-user --user ann@example.com', 'delete-user --user ann@example.com --yes')
    .action(async ({ user: whom, yes }: UserFlag & { readonly yes?: boolean }) => {
      await cli.confirm(yes === true, `This deletes the user ${whom}, their sessions, tokens and memberships.`)
      await cli.run(async ({ administration }, principal) => {
        const user = await administration.remove(principal, whom)
        return { json: { id: user.id, email: user.email }, text: `${user.email} is deleted.` }
      })
    })

  program
    .command('list-sessions')
    .inGroup('People')
    .description('List the live sessions of a user, including sessions of administrators who impersonate the user.')
    .requiredOption(`--user <${named}>`, 'the user')
    .watchable()
    .examples('list-sessions --user ann@example.com', 'list-sessions --user ann@example.com --json')
    .action(async ({ user: whom }: UserFlag) => {
      await cli.run(async ({ administration }, principal) => {
        const sessions = await administration.listSessions(principal, whom)
        const rows = sessions.map((one) => ({
          ...{ id: one.id, device: one.device, address: one.ipAddress, lastUsedAt: one.updatedAt.toISOString() },
          ...{ startedAt: one.createdAt.toISOString(), expiresAt: one.expiresAt.toISOString() },
          impersonatedBy: one.impersonatedBy,
        }))
        return { json: rows, rows }
      })
    })

  program
    .command('end-sessions')
    .inGroup('People')
    .description('End all sessions of a user, with the tokens of applications, or one session by its id.')
    .option(`--user <${named}>`, 'the user')
    .option('--session <id>', 'one session, as list-sessions shows it')
    .dryRunnable()
    .examples(
      'end-sessions --user ann@example.com',
      'end-sessions --user ann@example.com --dry-run',
      'end-sessions --session 3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
    )
    .action(async (flags: unknown) => {
      const {
        user: whom,
        session,
        dryRun,
      } = parseFlags(
        z
          .object({ user: z.string().optional(), session: z.string().optional(), dryRun: z.boolean() })
          .refine((one) => (one.user === undefined) !== (one.session === undefined), {
            path: ['user'],
            message: 'name either a user or one session',
          })
          .refine((one) => !one.dryRun || one.session === undefined, { path: ['dryRun'], message: 'goes with --user' }),
        flags,
      )
      await cli.run(async ({ administration }, principal) => {
        if (session !== undefined) {
          await administration.endSession(principal, session)
          return { json: { session }, text: 'The session has ended.' }
        }
        // The preview shows the sessions that exist now. Until the command runs, the user may start more sessions.
        const sessions = (await administration.listSessions(principal, whom ?? '')).map(({ id, device, ipAddress }) => ({
          ...{ id, device, address: ipAddress },
        }))
        if (dryRun) {
          const lines = sessions.map(({ id, device, address }) => `- session ${id}: ${device}, ${address}`)
          const text = [...lines, `${sessions.length} to end, with the codes and tokens of applications for the user.`].join('\n')
          return { json: { user: whom, isApplied: false, sessions }, text }
        }
        const user = await administration.endSessions(principal, whom ?? '')
        return {
          json: { id: user.id, email: user.email, isApplied: true, sessions },
          text: `The sessions of ${user.email} have ended.`,
        }
      })
    })
}
