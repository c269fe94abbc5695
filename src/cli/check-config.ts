import { configWarnings } from '../composition.ts'
import type { GatehouseCommand } from './command.ts'
import { loadConfiguration } from './globals.ts'
import type { Shell } from './run.ts'

export const checkConfigCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('check-config')
    .inGroup('Start and run')
    .description('Check the configuration and name everything that is wrong with it.')
    .examples('check-config --config gatehouse.yaml', 'check-config --json')
    .action(() => {
      const warnings = configWarnings(loadConfiguration(shell.terminal, shell.globals()))
      const text = ['The configuration is good.', ...warnings.map((warning) => `Warning: ${warning}`)].join('\n')
      return shell.print({ json: { ok: true, warnings }, text })
    })
}
