import { configWarnings } from '../composition.ts'
import { configurationSources } from '../core/settings.ts'
import type { GatehouseCommand } from './command.ts'
import { readConfiguration } from './globals.ts'
import type { Shell } from './run.ts'

export const checkConfigCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('check-config')
    .inGroup('Start and run')
    .description('Check the configuration and name everything that is wrong with it.')
    .examples('check-config --config gatehouse.yaml', 'check-config --json')
    .action(() => {
      const { config, settings } = readConfiguration(shell.terminal, shell.globals())
      const warnings = configWarnings(config)
      const text = [
        'The configuration is good.',
        `Read: ${configurationSources(settings())}.`,
        ...warnings.map((warning) => `Warning: ${warning}`),
      ].join('\n')
      return shell.print({ json: { ok: true, warnings }, text })
    })
}
