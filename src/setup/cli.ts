import type { Commands } from '../feature.ts'
import type { Setup } from './service.ts'
import type { SetupSteps } from './steps.ts'

export const setupCommands: Commands<{ readonly setup: Setup; readonly setupSteps: SetupSteps }> = (program, cli) => {
  program
    .command('create-setup-link')
    .inGroup('Start and run')
    .description('Print a link that creates the first administrator: for one use, within an hour.')
    .examples('create-setup-link', 'create-setup-link --json')
    .action(async () => {
      await cli.run(async ({ setup }, principal) => {
        const link = await setup.createSetupLink(principal)
        return {
          json: { url: link.url, expiresAt: link.expiresAt.toISOString() },
          text: link.url,
          done: `For another link run: ${cli.remedies().createSetupLink()}`,
        }
      })
    })
  program
    .command('list-setup-steps')
    .inGroup('Start and run')
    .description('List the steps from an empty instance to people who sign in, and which of them are done.')
    .examples('list-setup-steps', 'list-setup-steps --json')
    .action(async () => {
      await cli.run(async ({ setupSteps }) => {
        const rows = await setupSteps.list()
        return { json: rows, rows: rows.map((row) => ({ ...row })) }
      })
    })
  program
    .command('dismiss-setup-step')
    .inGroup('Start and run')
    .description('Dismiss a step of the set-up that is not wanted, or ask for it again.')
    .argument('<name>', 'name of the step, as list-setup-steps shows it')
    .option('--undo', 'ask for it again')
    .examples('dismiss-setup-step backup', 'dismiss-setup-step backup --undo')
    .action(async (name: string, { undo = false }: { readonly undo?: boolean }) => {
      await cli.run(async ({ setupSteps }, principal) => {
        const step = await setupSteps.update(principal, name, { isDismissed: !undo })
        return { json: step, text: `The step ${name} is ${step.state}.` }
      })
    })
}
