import type { Option } from 'commander'
import type { GatehouseCommand } from '../command.ts'
import { listedCommands, summaryOf } from '../help.ts'

/** What kind of value an option takes. */
export type Value =
  | { readonly kind: 'none' | 'any' | 'file' | 'directory' }
  | { readonly kind: 'one'; readonly of: readonly string[] }

export interface CompletedOption {
  /** All spellings of the option, such as `-o` and `--output`. */
  readonly flags: readonly string[]
  readonly description: string
  readonly value: Value
}

export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  /** The values that the first argument can have, if they are known. */
  readonly words: readonly string[]
}

/** The commands and options for which a completion script is made. The model is the same for every shell. */
export interface CompletionModel {
  /** Options that every command has. */
  readonly options: readonly CompletedOption[]
  readonly commands: readonly CompletedCommand[]
}

/** Removes all characters that have a special meaning in the script of any shell. */
const plain = (text: string) =>
  text
    .replace(/[^\p{L}\p{N} .,;()/+-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()

const valueOfOption = (option: Option): Value => {
  if (option.argChoices !== undefined) return { kind: 'one', of: option.argChoices }
  if (!option.required && !option.optional) return { kind: 'none' }
  if (/<file>/.test(option.flags)) return { kind: 'file' }
  return { kind: /<directory>/.test(option.flags) ? 'directory' : 'any' }
}

const completedOption = (option: Option): CompletedOption => ({
  flags: [option.short, option.long].filter((flag) => flag !== undefined),
  description: plain(option.description),
  value: valueOfOption(option),
})

const visible = (command: GatehouseCommand) => command.createHelp().visibleOptions(command).map(completedOption)

/** Reads commands, options and values from the program itself, so that the completion scripts are always up to date. */
export const completionModel = (program: GatehouseCommand): CompletionModel => {
  const commands = listedCommands(program)
  const names = commands.map((command) => command.name())
  const wordsOf = (command: GatehouseCommand) =>
    command.name() === 'help' ? names : (command.registeredArguments[0]?.argChoices ?? [])
  return {
    options: visible(program),
    commands: commands.map((command) => ({
      name: command.name(),
      summary: plain(summaryOf(command)),
      options: visible(command).filter(({ flags }) => !flags.includes('--help')),
      words: wordsOf(command),
    })),
  }
}
