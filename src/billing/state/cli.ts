import type { Commands } from '../../feature.ts'
import { billingErrors } from '../errors.ts'
import type { StateService } from './service.ts'

export interface StateNeeds {
  readonly billing: { readonly state: Pick<StateService, 'rebuild'> }
}

export const stateCommands: Commands<StateNeeds> = (program, cli) => {
  program
    .command('rebuild-billing')
    .inGroup('Billing')
    .description('Derive customers, purchases and entitlements again from the stored deliveries, while the daemon runs.')
    .option('--dry-run', 'only report what is wrong', false)
    .option('--check', 'the same, and fail when anything is', false)
    .examples('rebuild-billing --check', 'rebuild-billing')
    .action(async ({ dryRun, check }: { readonly dryRun: boolean; readonly check: boolean }) => {
      await cli.run(async ({ billing }, principal) => {
        const { deliveries, customers, snapshots, links, ...rows } = await billing.state.rebuild(principal, {
          dryRun: dryRun || check,
        })
        // The output of the command calls snapshots `standings`.
        const wrong = { ...rows, standings: snapshots, links }
        const differs = Object.values(wrong).some((count) => count > 0)
        const text = Object.entries(wrong).map(([what, count]) => `${what} ${count}`)
        if (check && differs)
          throw billingErrors.error('BILLING_STATE_DIFFERS', { message: `Billing state differs: ${text.join(', ')}` })
        const json = { deliveries, customers, ...wrong }
        return {
          json,
          text: `${deliveries} deliveries, ${customers} customers: ${differs ? text.join(', ') : 'nothing was wrong'}`,
        }
      })
    })
}
