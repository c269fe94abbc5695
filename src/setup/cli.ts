import type { Commands } from '../feature.ts'
import type { Setup } from './service.ts'

export const setupCommands: Commands<{ readonly setup: Setup }> = (program, cli) => {
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
}
