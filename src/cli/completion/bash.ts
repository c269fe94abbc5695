import type { CompletedOption, CompletionModel } from './model.ts'

const reply = (words: readonly string[]) => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur")); return`

/** The branch of the `case` statement that completes the value of an option. */
const valueArm = (command: string, { flags, value }: CompletedOption): readonly string[] => {
  if (value.kind === 'none') return []
  const action =
    value.kind === 'one'
      ? reply(value.of)
      : value.kind === 'any'
        ? 'return'
        : `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -${value.kind === 'file' ? 'f' : 'd'} -- "$cur")); return`
  return [`    ${flags.map((flag) => `${command}:${flag}`).join('|')}) ${action} ;;`]
}

const flagsOf = (options: readonly CompletedOption[]) =>
  options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--')))

/** The completion script for bash, used by `source <(gatehouse completion bash)`. */
export const bashCompletion = ({ options, commands }: CompletionModel): string => {
  const names = commands.map(({ name }) => name)
  const taking = [...options, ...commands.flatMap((command) => command.options)]
    .filter(({ value }) => value.kind !== 'none')
    .flatMap(({ flags }) => flags)
  const global = flagsOf(options)
  const arms = commands.flatMap((command) => command.options.flatMap((option) => valueArm(command.name, option)))
  return `# Completion of gatehouse for bash: source <(gatehouse completion bash)
_gatehouse() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word i
  # bash makes words of their own of the = in --output=json.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${[...new Set(taking)].join('|')}) ((i++)) ;;
      ${names.join('|')}) command=$word; break ;;
    esac
  done
  COMPREPLY=()
  case "$command:$prev" in
${[...arms, ...options.flatMap((option) => valueArm('*', option))].join('\n')}
  esac
  case $command in
${commands
  .map(
    ({ name, options: own, words }) =>
      `    ${name}) if [[ $cur == -* ]]; then ${reply([...flagsOf(own), ...global])}; else ${words.length === 0 ? 'return' : reply(words)}; fi ;;`,
  )
  .join('\n')}
    *) if [[ $cur == -* ]]; then ${reply(global)}; else ${reply(names)}; fi ;;
  esac
}
complete -F _gatehouse gatehouse`
}
