import type { CompletedOption, CompletionModel } from './model.ts'

const specValue = ({ value }: CompletedOption): string => {
  if (value.kind === 'none') return ''
  if (value.kind === 'one') return `:value:(${value.of.join(' ')})`
  return { any: ':value: ', file: ':file:_files', directory: ':directory:_files -/' }[value.kind]
}

const specOf = (option: CompletedOption): readonly string[] =>
  option.flags.map((flag) => `'*${flag}[${option.description}]${specValue(option)}'`)

/** The completion script for zsh. It is stored as `_gatehouse` in a directory of `fpath`, or used by `source <(gatehouse completion zsh)`. */
export const zshCompletion = ({ options, commands }: CompletionModel): string => {
  const global = options.flatMap(specOf)
  const arms = commands.map(({ name, options: own, words }) => {
    const argument = words.length === 0 ? "'*: : '" : `'1:value:(${words.join(' ')})'`
    return `        ${name}) _arguments ${[...own.flatMap(specOf), '$global', argument].join(' ')} ;;`
  })
  return `#compdef gatehouse
# Completion of gatehouse for zsh: source <(gatehouse completion zsh)
_gatehouse() {
  local context state line
  typeset -A opt_args
  local -a commands global
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${summary}'`).join('\n')}
  )
  global=(
${global.map((spec) => `    ${spec}`).join('\n')}
  )
  _arguments -C $global '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${arms.join('\n')}
      esac ;;
  esac
}
if [[ \${funcstack[1]} == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi`
}
