import type { Commands } from '../feature.ts'
import type { Outlived, Pruning } from './service.ts'

interface Flags {
  readonly dryRun: boolean
  readonly yes: boolean
}

const listOf = (outlived: readonly Outlived[]): string =>
  outlived.map(({ name, which, count }) => `${count} ${name} ${which}`).join('; ')

export const retentionCommands: Commands<{ readonly pruning: Pruning }> = (program, cli) => {
  program
    .command('prune')
    .inGroup('Instance')
    .description('Delete all data past its retention now, without waiting for the periodic job.')
    .dryRunnable()
    .option('--yes', 'do not ask', false)
    .examples('prune --dry-run', 'prune --yes --json')
    .action(async ({ dryRun, yes }: Flags) => {
      await cli.run(async ({ pruning }, principal) => {
        const found = await pruning.count()
        const outlived = found.filter(({ count }) => count > 0)
        if (!dryRun && outlived.length > 0) await cli.confirm(yes, `This deletes, for good: ${listOf(outlived)}.`)
        const deleted = dryRun || outlived.length === 0 ? [] : await pruning.prune(principal, found)
        const rows = found.map(({ name, which, count }, index) => ({
          name,
          outlived: count,
          deleted: deleted[index]?.count ?? 0,
          which,
        }))
        return { json: rows, rows }
      })
    })
}
