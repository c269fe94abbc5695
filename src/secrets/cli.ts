import type { Commands } from '../feature.ts'
import { nameOf, type SealedCount } from './rules.ts'
import type { MasterSecrets } from './service.ts'

const leftOver = (left: readonly SealedCount[]): string => {
  if (left.length === 0) return 'Nothing is left: secrets behind the newest may be removed.'
  const lost = left.filter(({ state }) => state === 'unknown')
  return [
    `Left: ${left.map(nameOf).join(', ')}.`,
    ...(lost.length < left.length ? ['Run it again once every node has the newest secret in front.'] : []),
    ...(lost.length > 0 ? [`No configured secret opens ${lost.map(nameOf).join(', ')}.`] : []),
  ].join('\n')
}

export const secretCommands: Commands<{ readonly masterSecrets: MasterSecrets }> = (program, cli) => {
  program
    .command('reencrypt')
    .inGroup('Instance')
    .description(
      'Seal all values of older master secrets with the newest one, in batches, while daemons run. The command may be stopped and run again. It reports how much is left.',
    )
    .option('--status', 'only say how much each secret has sealed', false)
    .examples('reencrypt --status', 'reencrypt')
    .action(async ({ status }: { readonly status: boolean }) => {
      await cli.run(async ({ masterSecrets }, principal) => {
        if (status) {
          const rows = await masterSecrets.count()
          return { json: rows, rows: rows.map((row) => ({ ...row })) }
        }
        const { resealed, left } = await masterSecrets.reencrypt(principal)
        return { json: { resealed, left }, text: `Sealed anew: ${resealed}.\n${leftOver(left)}` }
      })
    })
}
