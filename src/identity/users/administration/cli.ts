import { z } from 'zod'
import { defaultRole } from '../../../access/roles.ts'
import { blamingFlag, emailFlag, parseFlags, UsageError } from '../../../core/terminal.ts'
import { nameInput } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import type { UserActions } from './actions.ts'

const CreateUser = z.object({
  email: emailFlag,
  name: z.string().min(1, 'must not be empty').pipe(nameInput),
  role: z.string(),
  verified: z.boolean().default(false),
  username: z.string().optional(),
  field: z.array(z.string()).default([]),
})

interface Needs {
  readonly administration: Pick<UserActions, 'create' | 'createLink' | 'setPassword'>
}

interface SetPasswordFlags {
  readonly user: string
  readonly onlyIfNone?: boolean
  readonly passwordStdin?: boolean
}

/** How a user who was made by `create-user` signs in for the first time. */
interface FirstSignIn {
  readonly passwordStdin?: boolean
  readonly sendLink?: boolean
  readonly printLink?: boolean
}

interface RecoveryFlags {
  readonly user: string
  readonly secondFactor?: boolean
}

/** Names that the option `--field` refuses, because they have options of their own. */
const noFields = ['role', 'emailVerified', 'username', 'displayUsername']

/** Turns the values of the options `--field name=value` into an object. */
const fieldsOf = (assignments: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    assignments.map((assignment) => {
      const [name = '', ...text] = assignment.split('=')
      const problem = noFields.includes(name)
        ? 'is no field of users.fields'
        : text.length === 0
          ? 'expected name=value'
          : undefined
      if (problem !== undefined) throw new UsageError(`--field: ${name}: ${problem}`, [{ path: name, message: problem }])
      return [name, text.join('=')]
    }),
  )

/** The commands about a single person: account, password and recovery. */
export const accountCommands: Commands<Needs> = (program, cli) => {
  program
    .command('create-user')
    .inGroup('People')
    .description('Create a user with email and password, or with a mailed link for setting a password.')
    .requiredOption('--email <address>', 'email address')
    .requiredOption('--name <name>', 'name that others see')
    .option('--role <roles>', 'role on the instance; several with commas', defaultRole)
    .option('--username <name>', 'name to sign in with, where accounts.userNames has them')
    .option('--verified', 'take the address as verified')
    .option(
      '--field <name=value>',
      "value of a field of users.fields, operators' too; may be repeated",
      (one: string, all: readonly string[] = []) => [...all, one],
    )
    .option('--password-stdin', 'read the password from the first line of standard input instead of asking for it')
    .option('--send-link', 'without a password: mail the user a link to set one, within accounts.resetTtlSeconds')
    .option('--print-link', 'without a password: print a link to set one, for a user who is --verified')
    .examples(
      "create-user --email ann@example.com --name 'Ann Example'",
      "create-user --email ben@example.com --name 'Ben Example' --send-link",
      "create-user --email cleo@example.com --name 'Cleo Example' --verified --print-link",
      'create-user --email ada@example.com --name Ada --role admin --verified --password-stdin < password.txt',
    )
    .action(async (flags: FirstSignIn) => {
      const { email, name, role, verified, username, field } = parseFlags(CreateUser, flags)
      const { sendLink = false, printLink = false, passwordStdin = false } = flags
      if ([sendLink, printLink, passwordStdin].filter(Boolean).length > 1)
        throw new UsageError('give --password-stdin, --send-link or --print-link, one of them')
      if (printLink && !verified) throw new UsageError('--print-link needs --verified: the link does not prove the address')
      const password = sendLink || printLink ? undefined : await cli.readSecret('Password', passwordStdin)
      const firstSignIn = sendLink ? 'mail' : printLink ? 'link' : undefined
      const fields = fieldsOf(field)
      await cli.run(async ({ administration }, principal) => {
        const data = { ...fields, emailVerified: verified, ...(username === undefined ? {} : { username }) }
        const create = () => administration.create(principal, { email, name, password, firstSignIn, role, data })
        const { user, link } = await blamingFlag('--role', 'ROLE_IS_NOT_KNOWN', () =>
          blamingFlag('--field', 'VALIDATION_ERROR', create),
        )
        return {
          json: {
            id: user.id,
            email: user.email,
            name: user.name,
            role: user.role,
            emailVerified: user.emailVerified,
            createdAt: user.createdAt.toISOString(),
            ...user.fields,
            ...(link === undefined ? {} : { link: link.url, linkExpiresAt: link.expiresAt.toISOString() }),
          },
        }
      })
    })

  program
    .command('set-password')
    .inGroup('People')
    .description('Set the password of a user; ends their sessions and tells them by mail.')
    .requiredOption('--user <email, name or id>', 'the user')
    .option('--only-if-none', 'refuse when the user has a password already')
    .option('--password-stdin', 'read the password from the first line of standard input instead of asking for it')
    .examples(
      'set-password --user ann@example.com',
      'set-password --user ann@example.com --only-if-none --password-stdin < password.txt',
    )
    .action(async ({ user: named, onlyIfNone, passwordStdin }: SetPasswordFlags) => {
      const password = await cli.readSecret('Password', passwordStdin === true)
      await cli.run(async ({ administration }, principal) => {
        const user = await administration.setPassword(principal, named, password, { replaces: onlyIfNone !== true })
        return { json: { id: user.id, email: user.email }, text: `${user.email} has a new password.` }
      })
    })

  program
    .command('create-recovery-link')
    .inGroup('People')
    .description(
      'Print a link with which a locked-out user sets a new password: for one use, within accounts.resetTtlSeconds. Using the link ends all sessions and locks of the user.',
    )
    .requiredOption('--user <email, name or id>', 'the user')
    .option('--second-factor', 'the link also removes the lost second factors of the user')
    .examples('create-recovery-link --user ann@example.com', 'create-recovery-link --user ann@example.com --second-factor --json')
    .action(async ({ user: named, secondFactor }: RecoveryFlags) => {
      await cli.run(async ({ administration }, principal) => {
        const { user, url, expiresAt } = await administration.createLink(principal, named, {
          secondFactor: secondFactor === true,
        })
        return {
          json: { id: user.id, email: user.email, url, expiresAt: expiresAt.toISOString() },
          text: url,
          done: 'For another link run the command again.',
        }
      })
    })
}
