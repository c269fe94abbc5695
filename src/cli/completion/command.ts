import { Argument } from 'commander'
import type { GatehouseCommand } from '../command.ts'
import type { Shell } from '../run.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { completionModel } from './model.ts'
import { zshCompletion } from './zsh.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export const completionCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('completion')
    .inGroup('Instance')
    .description('Print a script that completes commands, options and their values in a shell. It says how it is loaded.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .examples('completion bash > /etc/bash_completion.d/gatehouse', 'completion fish > ~/.config/fish/completions/gatehouse.fish')
    .action((name: keyof typeof scripts) => {
      const script = scripts[name](completionModel(program))
      return shell.print({ json: { shell: name, script }, text: script })
    })
}
