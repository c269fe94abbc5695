import type { Commands } from '../../feature.ts'
import type { ManagedUsers } from '../../identity/users/index.ts'
import type { Recovery } from './service.ts'

interface Needs {
  readonly secondFactorRecovery: Pick<Recovery, 'ofUser' | 'cancelOfUser'>
  readonly managedUsers: Pick<ManagedUsers, 'require'>
}

const named = 'email, name or id'

export const recoveryCommands: Commands<Needs> = (program, cli) => {
  program
    .command('cancel-recovery')
    .inGroup('People')
    .description(
      'End the wait after which the second factors of a user, reported as lost, could be removed. The user is notified by mail.',
    )
    .requiredOption(`--user <${named}>`, 'the user')
    .examples(
      'cancel-recovery --user ann@example.com',
      "cancel-recovery --user ann@example.com --reason 'she did not ask for it, by telephone'",
    )
    .action(async ({ user: whom }: { readonly user: string }) => {
      await cli.run(async ({ secondFactorRecovery, managedUsers }, principal) => {
        const { id, email } = await managedUsers.require(whom)
        await secondFactorRecovery.cancelOfUser(principal, id)
        return { json: { id, email, recovery: null }, text: `The wait of ${email} is ended. Their second factors stay.` }
      })
    })
}
