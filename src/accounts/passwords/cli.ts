import type { Commands } from '../../feature.ts'
import type { PasswordCare } from './service.ts'

export const passwordCommands: Commands<{ readonly passwordCare: PasswordCare }> = (program, cli) => {
  program
    .command('set-password')
    .description('Set the password of a user; ends their sessions and tells them by mail.')
    .requiredOption('--user <email or id>', 'the user')
    .option('--only-if-none', 'refuse when the user has a password already')
    .option('--password-stdin', 'read the password from the first line of standard input instead of asking for it')
    .action(async ({ user: named, onlyIfNone, passwordStdin }: SetPasswordFlags) => {
      const password = await cli.readSecret('Password', passwordStdin === true)
      await cli.run(async ({ passwordCare }, caller) => {
        const user = await passwordCare.set(caller, named, password, { replaces: onlyIfNone !== true })
        return { json: { id: user.id, email: user.email }, text: `${user.email} has a new password.` }
      })
    })
}

interface SetPasswordFlags {
  readonly user: string
  readonly onlyIfNone?: boolean
  readonly passwordStdin?: boolean
}
