import type { Commands } from '../../feature.ts'
import { billingErrors } from '../errors.ts'
import type { Projection } from './service.ts'

export interface ProjectionNeeds {
  readonly billing: { readonly projection: Pick<Projection, 'rebuild'> }
}

export const projectionCommands: Commands<ProjectionNeeds> = (program, cli) => {
  program
    .command('rebuild-billing')
    .description(
      'Derive customers, purchases and what they entitle to anew from the stored deliveries, beside the running daemon.',
    )
    .option('--dry-run', 'only tell what is wrong', false)
    .option('--check', 'the same, and fail when anything is', false)
    .action(async ({ dryRun, check }: { readonly dryRun: boolean; readonly check: boolean }) => {
      await cli.run(async ({ billing }, caller) => {
        const { deliveries, customers, ...wrong } = await billing.projection.rebuild(caller, { dryRun: dryRun || check })
        const differs = Object.values(wrong).some((count) => count > 0)
        const text = Object.entries(wrong).map(([what, count]) => `${what} ${count}`)
        if (check && differs)
          throw billingErrors.refuse('BILLING_STATE_DIFFERS', { message: `Billing state differs: ${text.join(', ')}` })
        const json = { deliveries, customers, ...wrong }
        return {
          json,
          text: `${deliveries} deliveries, ${customers} customers: ${differs ? text.join(', ') : 'nothing was wrong'}`,
        }
      })
    })
}
