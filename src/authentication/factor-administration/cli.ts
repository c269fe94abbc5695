import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { anyState } from '../../core/etag.ts'
import { parseFlags } from '../../core/terminal.ts'
import type { Commands } from '../../feature.ts'
import type { ManagedUsers } from '../../identity/users/index.ts'
import { UserFactors } from './contract.ts'
import type { FactorAdministration } from './service.ts'

interface Needs {
  readonly core: Pick<Core, 'remedies'>
  readonly factorAdministration: FactorAdministration
  readonly managedUsers: Pick<ManagedUsers, 'require'>
}

const named = 'email or id'
const RemoveFactor = z
  .object({ user: z.string(), factor: z.string().optional(), all: z.boolean().default(false), yes: z.boolean().default(false) })
  .refine((one) => (one.factor === undefined) === one.all, { path: ['factor'], message: 'name either one factor or --all' })

const requirementOf = ({ requirement }: UserFactors): string => {
  if (requirement === null) return 'No second factor is required of them.'
  const { by, roles, dueAt } = requirement
  const rule = { person: 'of this person', roles: `of the roles ${roles.join(', ')}`, everybody: 'of everybody' }[by]
  const due = dueAt === null ? 'the time to add one begins with their next sign-in' : `due ${dueAt.toISOString()}`
  return `A second factor is required ${rule}, ${due}.`
}

/** Lines for an operator who has just removed factors. They say how the user can sign in now. */
const consequences = (left: UserFactors, createLink: string): readonly string[] => [
  ...(left.factors.length === 0 && left.requirement !== null ? ['They have to add a second factor when they sign in.'] : []),
  ...(left.signInMethods === 0 ? [`No way to sign in is left but a link in a mail: ${createLink}`] : []),
]

export const factorCommands: Commands<Needs> = (program, cli) => {
  program
    .command('list-factors')
    .inGroup('People')
    .description('List the second factors and passkeys of a user, and the rule that requires one. No secrets, no codes.')
    .requiredOption(`--user <${named}>`, 'the user')
    .examples('list-factors --user ann@example.com', 'list-factors --user ann@example.com --json')
    .action(async ({ user: whom }: { readonly user: string }) => {
      await cli.run(async ({ factorAdministration, managedUsers }) => {
        const { id, email } = await managedUsers.require(whom)
        const found = await factorAdministration.get(id)
        const rows = found.factors.map(({ id, kind, name, counts, left, createdAt, lastUsedAt }) => ({
          ...{ id, kind, name, counts, left: left ?? null },
          ...{ createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null },
        }))
        const enabled = found.twoFactorEnabled ? 'does not sign in' : 'signs in'
        const lines = [
          `A password alone ${enabled} ${email}. ${requirementOf(found)}`,
          `Remembered browsers: ${found.rememberedBrowsers}. Ways to sign in: ${found.signInMethods}.`,
        ]
        const sections = rows.length === 0 ? [] : [{ title: 'Second factors', rows }]
        const text = [...lines, ...(rows.length === 0 ? ['They have no second factor.'] : [])].join('\n')
        return { json: z.encode(UserFactors, found), rows, text, sections }
      })
    })

  program
    .command('remove-factor')
    .inGroup('People')
    .description(
      'Remove a second factor or passkey of a user, or all of them with the recovery codes. The user is notified by mail; sessions stay.',
    )
    .requiredOption(`--user <${named}>`, 'the user')
    .option('--factor <id>', 'one of them, as list-factors shows it')
    .option('--all', 'all of them')
    .option('--yes', 'do not ask before all of them are removed', false)
    .examples(
      "remove-factor --user ann@example.com --all --yes --reason 'telephone lost, seen in person'",
      'remove-factor --user ann@example.com --factor 7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0',
    )
    .action(async (flags: unknown) => {
      const { user: whom, factor, yes } = parseFlags(RemoveFactor, flags)
      await cli.run(async ({ core, factorAdministration, managedUsers }, principal) => {
        const { id, email } = await managedUsers.require(whom)
        if (factor === undefined)
          await cli.confirm(yes, `This removes all second factors, passkeys and recovery codes of ${email}.`, email)
        const left =
          factor === undefined
            ? await factorAdministration.removeAll(principal, id, anyState)
            : await factorAdministration.remove(principal, id, factor, anyState)
        const done = left.factors.length === 0 ? `${email} has no second factor.` : `The second factor of ${email} is removed.`
        const text = [done, ...consequences(left, core.remedies.createRecoveryLink(email))].join('\n')
        return { json: z.encode(UserFactors, left), text }
      })
    })

  program
    .command('require-factor')
    .inGroup('People')
    .description('Require a second factor of a user, with any roles. The user has secondFactor.graceDays to add one.')
    .requiredOption(`--user <${named}>`, 'the user')
    .option('--off', 'end the requirement; requirements of the configuration stay')
    .examples('require-factor --user ann@example.com', 'require-factor --user ann@example.com --off')
    .action(async ({ user: whom, off }: { readonly user: string; readonly off?: boolean }) => {
      await cli.run(async ({ factorAdministration, managedUsers }, principal) => {
        const { id, email } = await managedUsers.require(whom)
        const now = await factorAdministration.require(principal, id, off !== true, anyState)
        return { json: z.encode(UserFactors, now), text: `${email}: ${requirementOf(now)}` }
      })
    })
}
