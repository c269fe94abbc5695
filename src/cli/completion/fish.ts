import type { CompletedOption, CompletionModel } from './model.ts'

const line = (condition: string | undefined, { flags, description, value }: CompletedOption): string => {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const values = {
    none: '',
    any: ' -x',
    file: ' -r -F',
    directory: " -x -a '(__fish_complete_directories)'",
    one: value.kind === 'one' ? ` -x -a '${value.of.join(' ')}'` : '',
  }[value.kind]
  return `complete -c gatehouse${condition === undefined ? '' : ` -n '${condition}'`} ${names.join(' ')}${values} -d '${description}'`
}

/** The completion script for fish, installed by `gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish`. */
export const fishCompletion = ({ options, commands }: CompletionModel): string =>
  [
    '# Completion of gatehouse for fish: gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish',
    'complete -c gatehouse -f',
    ...commands.map(({ name, summary }) => `complete -c gatehouse -n __fish_use_subcommand -a ${name} -d '${summary}'`),
    ...options.map((option) => line(undefined, option)),
    ...commands.flatMap(({ name, options: own, words }) => {
      const condition = `__fish_seen_subcommand_from ${name}`
      const argument = words.length === 0 ? [] : [`complete -c gatehouse -n '${condition}' -a '${words.join(' ')}'`]
      return [...own.map((option) => line(condition, option)), ...argument]
    }),
  ].join('\n')
